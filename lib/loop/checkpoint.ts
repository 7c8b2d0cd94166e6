// Recovery points by hand: saved, gone back to, pruned. Going back first saves what is there, so that it can be undone.
import {given} from '../change/change.ts';
import {deleteCheckpoints, saveCheckpoint} from '../change/round.ts';
import {Failure} from '../failure.ts';
import {listRefs, moveRef} from '../git/refs.ts';
import type {Repository} from '../git/repository.ts';
import {type Restored, restoreSnapshot} from '../git/restore.ts';
import {readSnapshot, type Snapshot, takeSnapshot} from '../git/snapshot.ts';
import type {Checkpoint, CheckpointTrigger} from '../model/checkpoint.ts';
import {recordId} from '../model/ids.ts';
import {recordPath} from '../model/state.ts';
import {changeGoal, type Writer} from '../store/append.ts';
import {loadRecords} from '../store/view.ts';
import {snapshotRef, snapshotShort} from './live.ts';

export type SaveOptions = {
  readonly goal: string;
  readonly trigger: CheckpointTrigger;
  readonly digest: string;
  readonly todo?: string;
  readonly round?: string;
  readonly maxFileSizeBytes: number;
  readonly signal?: AbortSignal;
};

/** Saves the working tree and a record of it. The snapshot's ref comes first: a record never names what isn't kept. */
export async function saveNow(repository: Repository, writer: Writer, save: SaveOptions): Promise<Checkpoint> {
  const {goal, trigger, digest, todo, round, maxFileSizeBytes, signal} = save;
  const event = writer.nextId();
  const id = recordId('c', event);
  const snapshot = await takeSnapshot(repository.git, {
    ...{maxFileSizeBytes, message: `Checkpoint ${id} of ${goal}: ${digest.split('\n')[0]}`},
    ref: {name: snapshotRef(goal, id), expect: null},
    ...(signal && {signal}),
  });
  try {
    const change = saveCheckpoint({trigger, digest, snapshot: snapshotShort(snapshot), event, ...given({todo, round})});
    const {tip} = await changeGoal(writer, goal, change);
    return (await loadRecords(writer.store, tip, [recordPath.checkpoint(id)])).get(
      recordPath.checkpoint(id),
    ) as Checkpoint;
  } catch (error) {
    await moveRef(repository.git, snapshotRef(goal, id), undefined, snapshot.commit);
    throw error;
  }
}

/**
 * Returns the snapshot of a checkpoint.
 *
 * @param moment - `start` is the working tree as the checkpoint's round found it.
 * @throws {Failure} `nothing-to-restore` where it is on another machine, or was pruned.
 */
export async function snapshotOf(
  {git}: Repository,
  goal: string,
  checkpoint: Checkpoint,
  moment: 'end' | 'start' = 'end',
): Promise<Snapshot> {
  const ref = snapshotRef(goal, checkpoint.id);
  const tip = (await listRefs(git, ref)).get(ref);
  if (tip === undefined) {
    throw new Failure('nothing-to-restore', `The snapshot of checkpoint ${checkpoint.id} is not on this machine.`, {
      hint: 'Snapshots stay where they were taken: restore it there. See all: loopx checkpoint list',
    });
  }

  if (moment === 'end') return readSnapshot(git, tip);
  // The caller's own parents come last: HEAD, the index, and then the start.
  const parents = (await git.text(['rev-list', '--parents', '-n', '1', tip])).split(' ').slice(1);
  const last = parents.at(-1);
  const start = checkpoint.round && last ? await readSnapshot(git, last).catch(() => undefined) : undefined;
  if (start) return start;
  throw new Failure('nothing-to-restore', `Checkpoint ${checkpoint.id} is not of a round, so it has no start.`, {
    hint: `Restore it as it is: loopx checkpoint restore ${checkpoint.id}`,
  });
}

/** Goes back to a snapshot, after saving what is there now as a checkpoint of its own. */
export async function restoreNow(
  repository: Repository,
  writer: Writer,
  restore: {
    readonly goal: string;
    readonly checkpoint: Checkpoint;
    readonly snapshot: Snapshot;
    readonly paths?: readonly string[];
    readonly maxFileSizeBytes: number;
    readonly signal?: AbortSignal;
  },
): Promise<Restored & {readonly undo: Checkpoint}> {
  const {goal, checkpoint, snapshot, paths, maxFileSizeBytes, signal} = restore;
  const digest = `Before going back to checkpoint ${checkpoint.id}`;
  const undo = await saveNow(repository, writer, {
    goal,
    trigger: 'before-restore',
    digest,
    maxFileSizeBytes,
    ...(signal && {signal}),
  });
  const restored = await restoreSnapshot(repository.git, snapshot, given({paths, signal}));
  return {...restored, undo};
}

/** Deletes checkpoints: first the record, then the snapshot, whose space git then reclaims by itself. */
export async function pruneNow(
  repository: Repository,
  writer: Writer,
  goal: string,
  ids: readonly string[],
): Promise<readonly string[]> {
  const {events} = await changeGoal(writer, goal, deleteCheckpoints(ids));
  const refs = await listRefs(repository.git, `refs/loopx/snapshots/${goal}/`);
  for (const id of ids) {
    const tip = refs.get(snapshotRef(goal, id));
    if (tip !== undefined) await moveRef(repository.git, snapshotRef(goal, id), undefined, tip);
  }

  return (events[0]?.checkpoints as readonly string[] | undefined) ?? [];
}

/** Returns which checkpoints a retention of `keep` would prune: all but the newest, and never the newest of an open todo. */
export function beyondRetention(
  checkpoints: readonly Checkpoint[],
  keep: number,
  needed: ReadonlySet<string>,
): readonly Checkpoint[] {
  const newestFirst = [...checkpoints].sort((a, b) => (a.created < b.created ? 1 : -1));
  return newestFirst.slice(keep).filter(({id}) => !needed.has(id));
}
