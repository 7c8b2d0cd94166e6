// A round whose process vanished is found by the next command and recorded as interrupted, with what its live checkpoint
// knew; whatever it left running is ended. Nobody has to notice the death.

import {attachNotes} from '../evidence/attach.ts';
import {roundCommits} from '../evidence/commits.ts';
import {isFailure} from '../failure.ts';
import {moveRef} from '../git/refs.ts';
import {openRepository} from '../git/repository.ts';
import type {LiveRound} from '../model/goal.ts';
import {recordId} from '../model/ids.ts';
import type {RoundCommit, RoundUsage} from '../model/round.ts';
import {changeGoal} from '../store/append.ts';
import type {GoalStore} from '../store/goal-store.ts';
import {viewGoal} from '../store/view.ts';
import type {World} from '../world.ts';
import type {LoopContext} from './context.ts';
import type {Usage} from './executor.ts';
import {dropLive, readLive, snapshotRef} from './live.ts';
import {reap} from './reaper.ts';
import {recordEnd} from './record-end.ts';
import {isCurrent, listRunning, processLives, type Running, removeRunning, unnameRound} from './running.ts';

export type Settled = {
  readonly goal: string;
  readonly agent: string;
  readonly round: string;
  readonly todo: string | undefined;
  readonly checkpoint: string;
  /** Processes of the round that were still running, and were ended. */
  readonly ended: readonly number[];
};

/** More tokens, or millionths of a dollar, than any round uses. */
const believableMax = 1e12;

/** How long another machine may take to begin a round that it has announced. */
const unknownMs = 3_600_000;

/** Records the rounds whose loop is gone: of this machine's at once, of another's once their lease is over. */
export async function settleVanished(
  context: Omit<LoopContext, 'config' | 'signal' | 'loopx'>,
): Promise<readonly Settled[]> {
  const settled: Settled[] = [];
  for (const running of await listRunning(context.repository)) {
    if (processLives(running, context.world) ?? (await isLeased(context, running))) continue;
    const found = await settle(context, running);
    if (found) settled.push(found);
  }

  return settled;
}

async function settle(
  {repository, store, world, writerFor}: Omit<LoopContext, 'config' | 'signal' | 'loopx'>,
  running: Running,
): Promise<Settled | undefined> {
  const {goal, agent, round, attempt, gitDir} = running;
  const ended = await reap(attempt, world);
  const live = await liveRound(store, running);
  let settled: Settled | undefined;
  if (live) {
    const writer = writerFor(agent);
    const snapshot = await readLive(repository, goal, agent).catch(() => undefined);
    const checkpointEvent = writer.nextId();
    const checkpoint = recordId('c', checkpointEvent);
    if (snapshot) await moveRef(repository.git, snapshotRef(goal, checkpoint), snapshot.commit, undefined);
    const {calledModel = false, lastMessage = ''} = running;
    const known = lastMessage === '' ? '' : ` Its last word: ${lastMessage}`;
    const commits = await commitsOf(running, round, world.env);
    const end = {
      outcome: 'interrupted' as const,
      summary: live.report?.summary ?? `The round's process vanished.${known}`,
      seconds: Math.round(((running.seenAtMs ?? running.startedAtMs) - running.startedAtMs) / 1000),
      usage: roundUsage(running.usage ?? {}),
      billed: calledModel,
      changed: commits.length > 0 || (snapshot !== undefined && snapshot.tree !== running.tree),
      state: '',
      commits,
      checks: [],
      artifacts: [],
    };
    const change = recordEnd({
      ...{
        round,
        agent,
        todo: live.todo,
        end,
        artifacts: [],
        gate: undefined,
        limit: undefined,
        proof: undefined,
      },
      judgement: {todo: 'keep', verified: false, summary: end.summary},
      checkpoint: {id: checkpointEvent, trigger: 'vanished', snapshot},
    });
    try {
      await changeGoal(writer, goal, change);
      settled = {goal, agent, round, todo: live.todo, checkpoint, ended};
    } catch (error) {
      // Another command was faster; the second snapshot's ref is not needed.
      if (!isFailure(error, 'round-over')) throw error;
      if (snapshot) await moveRef(repository.git, snapshotRef(goal, checkpoint), undefined, snapshot.commit);
    }
  }

  // The loop may also have died between the end of the round and its notes.
  await attachNotes(store, repository, world, goal);
  await unnameRound(gitDir, round);
  // Another command may have recorded it as well, and the agent be at work again: then these are the new round's.
  if (await isCurrent(repository, running)) await dropLive(repository, goal, agent);
  await removeRunning(repository, running);
  return settled;
}

// Of a process on another machine nothing is known but that it renews its lease as long as it lives.
async function isLeased({store, world}: Pick<LoopContext, 'store' | 'world'>, running: Running): Promise<boolean> {
  const live = await liveRound(store, running);
  return (live ? Date.parse(live.until) : running.startedAtMs + unknownMs) > world.now();
}

async function liveRound(store: GoalStore, {goal, round}: Running): Promise<LiveRound | undefined> {
  const tip = await store.tip(goal);
  if (tip === undefined) return undefined;
  return (await viewGoal(store, goal, tip)).goal.live.find(live => live.round === round);
}

// The worktree may be gone since, and with it all that is not on a branch.
async function commitsOf({top, head}: Running, round: string, env: World['env']): Promise<readonly RoundCommit[]> {
  try {
    return await roundCommits(await openRepository(top, env), head, {round, isDriven: true});
  } catch {
    return [];
  }
}

/** Returns an agent's usage in the units of the record. */
export function roundUsage(usage: Usage): RoundUsage {
  const {inputTokens = 0, outputTokens = 0, cachedTokens, costUsd = 0, modelMs, contextTokens, contextWindow} = usage;
  // What an agent says of itself may be any number; one that nobody can believe must not keep a round from being recorded.
  const whole = (count: number) =>
    Number.isFinite(count) ? Math.min(Math.max(0, Math.round(count)), believableMax) : 0;
  return {
    tokens: whole(inputTokens + outputTokens),
    ...(usage.inputTokens !== undefined && {inputTokens: whole(inputTokens)}),
    ...(usage.outputTokens !== undefined && {outputTokens: whole(outputTokens)}),
    ...(cachedTokens !== undefined && {cachedTokens: whole(cachedTokens)}),
    microUsd: whole(costUsd * 1_000_000),
    ...(modelMs !== undefined && {modelSeconds: whole(modelMs) / 1000}),
    ...(contextTokens !== undefined && {contextTokens: whole(contextTokens)}),
    ...(contextWindow !== undefined && {contextWindow: whole(contextWindow)}),
  };
}
