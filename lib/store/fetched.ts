// What came from elsewhere is checked before it is taken in: its clocks decide the order of everything, and its tree is
// what the next writer goes on from.
import {Failure} from '../failure.ts';
import {blobId, hashOf, treeId} from '../git/hash.ts';
import {clockMax} from '../model/event.ts';
import {foldEvent} from '../model/fold.ts';
import {draftOf} from '../model/state.ts';
import {encodeRecord} from './codec.ts';
import type {GoalStore, StoredCommit} from './goal-store.ts';
import {eventsOnce, findBase} from './merge.ts';
import {refuseUnreadable} from './message.ts';
import {loadFolder} from './view.ts';

/**
 * Refuses a fetched tip that is not to be merged. What `ours` contains is taken as right, so the cost depends on what is
 * new; without `ours` all of it is.
 *
 * @throws {Failure} `state-unreadable` where a clock is wrong, events can't be read, or the tip's tree is not what its
 *   events add up to; `state-newer`; `shallow-history`.
 */
export async function refuseBroken(store: GoalStore, theirs: string, ours?: string): Promise<void> {
  const fresh = await store.commits([theirs], ours === undefined ? [] : [ours]);
  if (fresh.length === 0) return;
  refuseUnreadable(fresh);
  await refuseWrongClocks(store, fresh);

  const bases = ours === undefined ? [] : await store.mergeBases(ours, theirs);
  const {base, outside} = await findBase(store, bases, [theirs]);
  const draft = draftOf(base ? await loadFolder(store, base.commit, '') : new Map());
  for (const event of eventsOnce(outside)) foldEvent(draft, event);

  const {tree} = fresh.find(({commit}) => commit === theirs)!;
  const hash = hashOf(tree);
  const texts = base ? await store.read(base.commit, await store.paths(base.commit, '')) : new Map<string, string>();
  const files = new Map([...texts].map(([path, text]) => [path, blobId(hash, text)]));
  for (const [path, record] of draft.changes) {
    if (record === undefined) files.delete(path);
    else files.set(path, blobId(hash, encodeRecord(record)));
  }

  if (treeId(hash, files) !== tree) throw broken(theirs, 'its state is not what its events add up to');
}

async function refuseWrongClocks(store: GoalStore, fresh: readonly StoredCommit[]): Promise<void> {
  const known = new Map(fresh.map(commit => [commit.commit, commit]));
  const before = [...new Set(fresh.flatMap(commit => commit.parents))].filter(parent => !known.has(parent));
  for (const [parent] of await Promise.all(before.map(commit => store.commits([commit], [], 1)))) {
    if (parent) known.set(parent.commit, parent);
  }

  for (const {commit, parents, clock, events} of fresh) {
    const highest = Math.max(0, ...parents.map(parent => known.get(parent)?.clock ?? 0));
    const wanted = parents.length > 1 ? highest : highest + 1;
    const isRight = clock === wanted && clock < clockMax && events.every(event => event.clock === wanted);
    // A history that was cut off is told as such, where it matters.
    const isCut = parents.length === 0 && clock > 1;
    if (!isRight && !isCut) throw broken(commit, `its clock is ${clock} and should be ${wanted}`);
    if (parents.length > 1 && events.length > 0) throw broken(commit, 'it is a merge and has events of its own');
  }
}

function broken(commit: string, why: string): Failure {
  return new Failure('state-unreadable', `The fetched commit ${commit.slice(0, 12)} is not taken in: ${why}.`, {
    hint: 'The goal here goes on without it. Whoever pushed it should run `loopx fsck`, and push again from a sound clone.',
  });
}
