// A round that loopx does not drive: an agent in an interactive host, or a person, begins and ends it by command.
import {beginRound, reportRound} from '../change/round.ts';
import {codeState} from '../evidence/code-state.ts';
import {Failure} from '../failure.ts';
import {type LiveRound, type OpenTodo, openTodos} from '../model/goal.ts';
import type {RoundOutcome} from '../model/round.ts';
import {reserveFor} from '../policy/spend.ts';
import {changeGoal, type Writer} from '../store/append.ts';
import type {GoalView} from '../store/view.ts';
import {concludeRound} from './conclude.ts';
import type {LoopContext} from './context.ts';
import type {AgentVerdict, Usage} from './executor.ts';
import {dropLive, readLive, refreshLive} from './live.ts';
import type {RoundReport} from './round.ts';
import {listRunning, nameRound, refuseOccupied, unnameRound} from './running.ts';
import {readWatch} from './watch.ts';

/** Begins a round by hand; returns its id. */
export async function beginByHand(
  context: LoopContext,
  view: GoalView,
  by: {readonly agent: string; readonly todo: OpenTodo | undefined; readonly executor?: string},
): Promise<string> {
  const {repository, config} = context;
  const {agent, todo, executor} = by;
  await refuseOccupied(repository, {goal: view.id, agent}, context.world);
  const code = await codeState(repository);
  await refreshLive(repository, {...liveOf(context, view.id, agent), message: `Before a round by ${agent}`});
  const reserve = reserveFor(view.goal.rounds);
  const {events} = await changeGoal(
    context.writerFor(agent),
    view.id,
    beginRound({
      ...{agent, leaseMs: config.durationMs('round.lease'), reserve},
      ...(todo && {todo: todo.id}),
      ...(executor !== undefined && {executor}),
      ...(code.head && {head: code.head}),
    }),
  );
  const round = String(events.find(event => event.event === 'round.begun')!.round);
  await nameRound(repository.gitDir, {goal: view.id, round});
  return round;
}

/** Ends a round by hand: looks, checks, judges and records as after a driven one. */
export async function endByHand(
  context: LoopContext,
  view: GoalView,
  live: LiveRound,
  end: {readonly outcome: RoundOutcome; readonly summary: string; readonly usage: Usage},
): Promise<RoundReport> {
  const {repository} = context;
  const own = liveOf(context, view.id, live.agent);
  const start = await readLive(repository, view.id, live.agent);
  const {outcome, summary, usage} = end;
  // Nobody has kept what the watch showed when the round began; the agent has seen about what is there now.
  const todo = openTodos(view.goal).find(({id}) => id === live.todo);
  const verdict: AgentVerdict = {
    ...{ok: outcome !== 'interrupted', lastMessage: summary, usage, calledModel: true},
    ...(outcome === 'interrupted'
      ? {error: {class: 'interrupted' as const, message: summary}}
      : {result: {outcome, summary}}),
  };
  const report = await concludeRound(context, context.writerFor(live.agent), {
    ...{
      round: live.round,
      head: live.head,
      startTree: start?.tree ?? '',
      startedAtMs: Date.parse(live.at),
      verdict,
      ...(todo?.watch !== undefined && {watched: await readWatch(repository, todo.watch)}),
    },
    live: {...own, ...(start && {start: start.commit})},
  });
  await unnameRound(repository.gitDir, live.round);
  await dropLive(repository, view.id, live.agent);
  return report;
}

/** Keeps an agent's word on a round that the loop drives: the loop ends it. */
export async function reportDriven(
  writer: Writer,
  goal: string,
  round: string,
  report: {readonly outcome: RoundOutcome; readonly summary: string},
): Promise<void> {
  await changeGoal(writer, goal, reportRound(round, report));
}

/** Says whether a loop on this machine drives the round. */
export async function isDriven(context: LoopContext, round: string): Promise<boolean> {
  return (await listRunning(context.repository)).some(running => running.round === round);
}

/**
 * Returns the running round that a command is about: the named one, this worktree's, or the agent's own.
 *
 * @throws {Failure} `round-over` where there is none.
 */
export function findLive(
  view: GoalView,
  wanted: {readonly round: string | undefined; readonly agent: string},
): LiveRound {
  const {live} = view.goal;
  const found =
    wanted.round === undefined
      ? live.find(({agent}) => agent === wanted.agent)
      : live.find(({round}) => round.startsWith(wanted.round!));
  if (found) return found;
  throw new Failure(
    'round-over',
    wanted.round === undefined ? `${wanted.agent} has no running round.` : `Round ${wanted.round} is not running.`,
    {
      hint: 'See the rounds: loopx log --rounds. Begin one: loopx round begin',
    },
  );
}

function liveOf({config}: LoopContext, goal: string, agent: string) {
  return {goal, agent, maxFileSizeBytes: config.sizeBytes('snapshot.maxFileSize')};
}
