// A goal in a file: it goes through any pipe, and what was answered or done elsewhere comes back the same way. A file is
// treated like a remote: checked first, then merged. It holds no notes, since they are made from the goal's events.
import {attachNotes} from '../evidence/attach.ts';
import {Failure, isFailure} from '../failure.ts';
import {readBundle, unpackBundle, writeBundle} from '../git/bundle.ts';
import type {Repository} from '../git/repository.ts';
import {refuseBroken} from '../store/fetched.ts';
import {goalRefs} from '../store/git-store.ts';
import type {GoalStore} from '../store/goal-store.ts';
import {type Merged, mergeGoal, refuseShallow} from '../store/merge.ts';
import {viewGoal} from '../store/view.ts';
import type {World} from '../world.ts';

export type Place = {readonly repository: Repository; readonly store: GoalStore; readonly world: World};

export type Imported = {
  readonly goal: string;
  readonly kind: 'new' | Merged['kind'];
  readonly tip: string;
  /** How many lines were added to the notes of commits that are here. */
  readonly notes: number;
};

/** Where the file's tips are kept while they are looked at: no remote's, whatever a remote is called. */
const seenRefs = 'refs/loopx/bundle/';
const attemptsMax = 5;

/**
 * Writes a goal with all of its history to a file.
 *
 * @throws {Failure} `shallow-history` where a part of it isn't here.
 */
export async function exportGoal({repository, store}: Place, goal: string, file: string): Promise<void> {
  refuseShallow(await store.commits([goalRefs + goal], []));
  await writeBundle(repository.git, file, [goalRefs + goal]);
}

/**
 * Takes in the goals that a file holds: new ones as they are, known ones by merging.
 *
 * @throws {Failure} `state-unreadable`, `state-newer`, `no-common-history`; nothing has changed then, unless a goal
 *   before it in the file was taken in.
 */
export async function importBundle(place: Place, file: string): Promise<readonly Imported[]> {
  const {git} = place.repository;
  const goals = [...(await readBundle(git, file))].flatMap(([ref, tip]) => {
    const id = ref.startsWith(goalRefs) ? ref.slice(goalRefs.length) : '';
    return /^[a-z0-9-]{1,40}-[0-9a-z]{4}$/.test(id) ? [{id, tip}] : [];
  });
  if (goals.length === 0) {
    throw new Failure('state-unreadable', `${file} holds no goal.`, {
      hint: 'Write one where the goal is: loopx export --bundle FILE',
    });
  }

  const seen = new Map(goals.map(({id, tip}) => [seenRefs + id, tip]));
  try {
    await unpackBundle(git, file, seen);
    for (const {id, tip} of goals) await refuseForeign(place.store, id, tip);
    const imported: Imported[] = [];
    for (const {id, tip} of goals) {
      const {kind, tip: now} = await takeIn(place.store, id, tip);
      const {store, repository, world} = place;
      // The events are the record: a note that can't be written now is made by whoever finds it missing.
      const notes = await attachNotes(store, repository, world, id, 'all').catch(() => 0);
      imported.push({goal: id, kind, tip: now, notes});
    }

    return imported;
  } finally {
    for (const ref of seen.keys()) await git.run(['update-ref', '-d', ref]);
  }
}

async function refuseForeign(store: GoalStore, id: string, theirs: string): Promise<void> {
  await refuseBroken(store, theirs, await store.tip(id));
  const {goal} = await viewGoal(store, id, theirs);
  if (goal.id !== id) throw new Failure('state-unreadable', `What is called ${id} there is the goal ${goal.id}.`);
}

async function takeIn(store: GoalStore, id: string, theirs: string): Promise<Pick<Imported, 'kind' | 'tip'>> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      const ours = await store.tip(id);
      if (ours !== undefined) return await mergeGoal(store, id, ours, theirs);
      await store.forward(id, theirs, undefined);
      return {kind: 'new', tip: theirs};
    } catch (error) {
      if (!isFailure(error, 'ref-moved') || attempt === attemptsMax) throw error;
    }
  }
}
