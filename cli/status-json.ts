// The status of a goal as programs see it: loopx/status@1.
import {owningClaim} from '../lib/model/todo.ts';
import {gateJson, goalJson} from './records.ts';
import type {Document} from './result.ts';
import type {Status} from './status.ts';

/** Returns the document; times are ISO 8601, durations in seconds. */
export function statusJson(status: Status, nowMs: number): Document {
  const {view, gates, next, counts, budget, checkpoint, untracked, sync, sizeBytes} = status;
  const {goal} = view;
  const round = goal.live[0];
  return {
    schema: 'loopx/status@1',
    goal: goalJson(goal),
    gates: gates.map(gateJson),
    next: next ? {...next, claim: owningClaim(next.claims, nowMs) ?? null} : null,
    todos: counts,
    agents: goal.live.map(({agent, round: id, todo, at, until}) => ({agent, round: id, todo: todo ?? null, at, until})),
    budget,
    context: status.context ?? null,
    checkpoint: checkpoint ?? goal.checkpoint ?? null,
    round: round ? {...round, seconds: Math.max(0, Math.round((nowMs - Date.parse(round.at)) / 1000))} : null,
    rounds: goal.rounds,
    commits: {untracked: untracked ?? null},
    sync,
    sizeBytes: sizeBytes ?? null,
    ...(status.remote !== undefined && {remote: status.remote}),
  };
}
