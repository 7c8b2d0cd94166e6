// What `status` tells of syncing, without asking any remote: how far a goal is ahead of where the remote's was last
// seen, what of the remote's was not taken in, and why the last attempt came to nothing.
import {isFailure} from '../failure.ts';
import type {Repository} from '../git/repository.ts';
import {goalRefs, type OpenGitStore} from '../store/git-store.ts';
import type {GoalView} from '../store/view.ts';
import {eventsAt} from './integrate.ts';
import {readRemoteMemory, readTakenIn, rememberedRemotes} from './memory.ts';
import {trackingRef} from './remotes.ts';

export type SyncState = {
  readonly remote: string;
  /** How many events of the goal wait to be sent. */
  readonly ahead: number;
  /** How many events that were fetched are not taken in. */
  readonly behind: number;
  readonly problem: string | null;
};

/** Returns how a goal stands with each remote that is connected. */
export async function readSyncStates(
  {commonDir}: Pick<Repository, 'commonDir'>,
  store: OpenGitStore,
  {id, tip, goal}: Pick<GoalView, 'id' | 'tip' | 'goal'>,
): Promise<readonly SyncState[]> {
  const remotes = await rememberedRemotes(commonDir);
  if (remotes.length === 0) return [];
  const [tracked, {problems}] = await Promise.all([store.tracked(), readTakenIn(commonDir)]);
  return Promise.all(
    remotes.map(async remote => {
      const ref = trackingRef(remote, goalRefs + id);
      const seen = tracked.get(ref);
      const problem = problems[ref];
      const {failed} = await readRemoteMemory(commonDir, remote);
      const said = problem?.message ?? failed ?? null;
      if (seen === tip) return {remote, ahead: 0, behind: 0, problem: said};
      if (seen === undefined) return {remote, ahead: goal.totals.events, behind: 0, problem: said};
      // Where the remote's has been taken in, ours holds all of it.
      const before = problem ? undefined : await eventsAt(store, id, seen).catch(() => undefined);
      const [ahead, behind] =
        before === undefined
          ? await Promise.all([eventsOutside(store, tip, seen), eventsOutside(store, seen, tip)])
          : [goal.totals.events - before, 0];
      return {remote, ahead: Math.max(0, ahead), behind, problem: said};
    }),
  );
}

/** Counts the events of one history that another lacks; a commit that can't be read counts as one. */
async function eventsOutside(store: OpenGitStore, tip: string, other: string): Promise<number> {
  try {
    const commits = await store.commits([tip], [other]);
    return commits.reduce((sum, {events, problem}) => sum + (problem === undefined ? events.length : 1), 0);
  } catch (error) {
    if (!isFailure(error)) throw error;
    return 1;
  }
}
