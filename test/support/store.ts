// Goals for tests: a writer with a standing clock, a goal to write to, and the full fold to compare states with.

import {type GoalInput, startGoal} from '../../lib/change/goal.ts';
import {blobId, hashOf, treeId} from '../../lib/git/hash.ts';
import {openRepository} from '../../lib/git/repository.ts';
import type {AnyEvent} from '../../lib/model/event.ts';
import {foldEvent} from '../../lib/model/fold.ts';
import {eventIds} from '../../lib/model/ids.ts';
import {draftOf, type State, stateAfter} from '../../lib/model/state.ts';
import {createGoal, drawFor, type Writer} from '../../lib/store/append.ts';
import {encodeRecord} from '../../lib/store/codec.ts';
import {openGitStore} from '../../lib/store/git-store.ts';
import type {GoalStore} from '../../lib/store/goal-store.ts';
import {eventsOnce} from '../../lib/store/merge.ts';
import type {World} from '../../lib/world.ts';
import {testWorld} from './world.ts';

export const person = 'Ada Test <ada@example.org>';

/** Returns a writer on a store; who writes is a person unless `by` says otherwise. */
export function testWriter(store: GoalStore, world: World = testWorld(), by: string = person): Writer {
  return {
    store,
    world,
    by,
    committer: {name: 'Ada Test', mail: 'ada@example.org'},
    nextId: eventIds(world.now, world.random),
    redact: text => text,
  };
}

/** Starts a goal; returns its id and its first commit. */
export async function testGoal(writer: Writer, input: Partial<GoalInput> = {}): Promise<{goal: string; tip: string}> {
  const {goal, events} = startGoal({objective: 'Port storage to Python 3', ...input}, drawFor(writer));
  const {tip} = await createGoal(writer, goal, events);
  return {goal, tip};
}

/** Opens the git store of the repository at `dir`, closed when the test ends. */
export async function testGitStore(
  t: {teardown: (end: () => void) => void},
  repo: {dir: string; env: Record<string, string>},
  world: World = testWorld(),
) {
  const store = openGitStore(await openRepository(repo.dir, repo.env), world);
  t.teardown(store.close);
  return store;
}

/** Returns what these events add up to from the very beginning. */
export function fullFold(events: readonly AnyEvent[]): State {
  const draft = draftOf(new Map());
  for (const event of events) foldEvent(draft, event);
  return stateAfter(new Map(), draft);
}

/** Returns the id of the tree that holds a state. */
export function stateTree(state: State, likeId: string): string {
  const hash = hashOf(likeId);
  return treeId(hash, new Map([...state].map(([path, record]) => [path, blobId(hash, encodeRecord(record))])));
}

/** Returns the tree of a commit, and the tree that the full fold of all events below it makes. */
export async function treesOf(store: GoalStore, tip: string): Promise<{tree: string; folded: string}> {
  const commits = await store.commits([tip], []);
  const {tree} = commits.find(({commit}) => commit === tip)!;
  return {tree, folded: stateTree(fullFold(eventsOnce(commits)), tree)};
}
