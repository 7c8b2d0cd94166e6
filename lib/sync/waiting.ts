// What `status` tells of syncing, without asking any remote: how far a goal is ahead of where the remote's was last
// seen, what of the remote's was not taken in, and why the last attempt came to nothing.
import type {Repository} from '../git/repository.ts';
import {goalRefs, type OpenGitStore} from '../store/git-store.ts';
import type {GoalView} from '../store/view.ts';
import {eventsOutside, eventsSince} from './count.ts';
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
  {id, tip}: Pick<GoalView, 'id' | 'tip'>,
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
      // Where the remote's has been taken in, ours holds all of it.
      if (!problem || seen === undefined) {
        return {remote, ahead: await eventsSince(store, id, tip, seen), behind: 0, problem: said};
      }

      const [ahead, behind] = await Promise.all([eventsOutside(store, tip, seen), eventsOutside(store, seen, tip)]);
      return {remote, ahead, behind, problem: said};
    }),
  );
}
