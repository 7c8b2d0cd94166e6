// The live checkpoint of a running round: a snapshot of the working tree under one ref, replaced each time, so that
// history doesn't grow. Its parent is the snapshot that was taken when the round began: whatever an agent does to the
// working tree, what was there before can be brought back.
import {isFailure} from '../failure.ts';
import {moveRef} from '../git/refs.ts';
import type {Repository} from '../git/repository.ts';
import {readSnapshot, type Snapshot, takeSnapshot} from '../git/snapshot.ts';
import type {SnapshotShort} from '../model/checkpoint.ts';

export const liveRef = (goal: string, agent: string) => `refs/loopx/live/${goal}/${agent}`;
export const snapshotRef = (goal: string, checkpoint: string) => `refs/loopx/snapshots/${goal}/${checkpoint}`;

const listedPathsMax = 20;

export type LiveOptions = {
  readonly goal: string;
  readonly agent: string;
  readonly maxFileSizeBytes: number;
  readonly message: string;
  /** The commit of the snapshot that was taken when the round began. */
  readonly start?: string;
};

/** Replaces the live checkpoint by the working tree as it is now. */
export function refreshLive({git}: Repository, live: LiveOptions): Promise<Snapshot> {
  const {goal, agent, maxFileSizeBytes, message, start} = live;
  const ref = {name: liveRef(goal, agent)};
  return takeSnapshot(git, {maxFileSizeBytes, message, ref, ...(start && {parents: [start]})});
}

/** Returns the live checkpoint of an agent, if there is one. */
export async function readLive({git}: Repository, goal: string, agent: string): Promise<Snapshot | undefined> {
  const found = await git.run(['rev-parse', '--verify', '--quiet', liveRef(goal, agent)]);
  return found.status === 0 ? readSnapshot(git, liveRef(goal, agent)) : undefined;
}

/** Removes the live checkpoint, once what it knew is recorded. Whoever else does so at this moment does the same. */
export async function dropLive({git}: Repository, goal: string, agent: string): Promise<void> {
  const tip = (await git.run(['rev-parse', '--verify', '--quiet', liveRef(goal, agent)])).stdout.toString().trim();
  if (tip === '') return;
  try {
    await moveRef(git, liveRef(goal, agent), undefined, tip);
  } catch (error) {
    if (!isFailure(error, 'ref-moved')) throw error;
  }
}

/** Returns what a checkpoint's record tells of its snapshot. */
export function snapshotShort(snapshot: Snapshot): SnapshotShort {
  const {commit, tree, head, branch, partial, large, nested, raw} = snapshot;
  const some = (paths: readonly string[]) => paths.slice(0, listedPathsMax).map(path => path.toWellFormed());
  return {
    ...{commit, tree, state: partial.length > 0 ? 'partial' : 'complete'},
    ...(head !== null && {head}),
    ...(branch !== null && {branch}),
    ...(partial.length > 0 && {partial: some(partial)}),
    ...(large.length > 0 && {large: some(large.map(file => file.path))}),
    ...(nested.length > 0 && {nested: some(nested.map(file => file.path))}),
    ...(raw.length > 0 && {raw: raw.length}),
  };
}
