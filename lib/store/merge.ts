// Merging is replay. Two histories of one goal are merged by folding the events that a common ancestor lacks, in their
// order, onto that ancestor's tree: no conflict, no lost record, and the same commit on every machine.
import {Failure} from '../failure.ts';
import {type AnyEvent, compareEvents} from '../model/event.ts';
import {foldEvent, touchedPaths} from '../model/fold.ts';
import {draftOf} from '../model/state.ts';
import {encodeRecord} from './codec.ts';
import {type GoalStore, loopxSignature, type StoredCommit} from './goal-store.ts';
import {mergeMessage, refuseUnreadable} from './message.ts';
import {loadTouched} from './view.ts';

export type Merged = {
  readonly kind: 'same' | 'forward' | 'behind' | 'merged';
  readonly tip: string;
  /** Whether the best common ancestor was not old enough, so that an older one had to serve. */
  readonly widened: boolean;
};

/**
 * Merges `theirs` into a goal whose tip is `ours`, and moves the goal's ref.
 *
 * @throws {Failure} `no-common-history`; `shallow-history`; `state-newer` or `state-unreadable` where an event can't be folded.
 */
export async function mergeGoal(store: GoalStore, goal: string, ours: string, theirs: string): Promise<Merged> {
  if (ours === theirs) return {kind: 'same', tip: ours, widened: false};
  const bases = await store.mergeBases(ours, theirs);
  if (bases.includes(theirs)) return {kind: 'behind', tip: ours, widened: false};
  if (bases.includes(ours)) {
    await store.forward(goal, theirs, ours);
    return {kind: 'forward', tip: theirs, widened: false};
  }

  if (bases.length === 0) {
    refuseShallow(await store.commits([ours, theirs], []));
    throw new Failure(
      'no-common-history',
      `Two histories of ${goal} have no common beginning: ${ours.slice(0, 12)} and ${theirs.slice(0, 12)}.`,
      {
        hint: 'They are two goals. Keep the one here, and fetch the other under another name.',
      },
    );
  }

  const {base, outside, widened} = await findBase(store, bases, [ours, theirs]);
  const events = eventsOnce(outside);
  const touched = [...new Set(events.flatMap(touchedPaths))];
  const draft = draftOf(base ? await loadTouched(store, base.commit, touched) : new Map());
  for (const event of events) foldEvent(draft, event);

  const tips = outside.filter(commit => commit.commit === ours || commit.commit === theirs);
  const clock = Math.max(...tips.map(commit => commit.clock));
  const signature = {...loopxSignature, seconds: Math.max(...tips.map(commit => commit.committedAt))};
  const tip = await store.write({
    goal,
    expected: ours,
    parents: [ours, theirs].sort(),
    base: base ? {tree: base.tree} : 'empty',
    files: new Map([...draft.changes].map(([path, record]) => [path, record && encodeRecord(record)])),
    message: mergeMessage(goal, clock),
    author: signature,
    committer: signature,
  });
  return {kind: 'merged', tip, widened};
}

type Base = {
  readonly base: StoredCommit | undefined;
  readonly outside: readonly StoredCommit[];
  readonly widened: boolean;
};

/**
 * Finds the common ancestor of highest clock below which no event of the rest lies. The best common ancestor alone is
 * wrong when one side has taken in an old branch: its events are older than the ancestor's.
 */
export async function findBase(store: GoalStore, bases: readonly string[], tips: readonly string[]): Promise<Base> {
  const nearest = await Promise.all(bases.map(async base => (await store.commits([base], [], 1))[0]!));
  let base = highestFirst(nearest)[0];
  let ancestors: readonly StoredCommit[] | undefined;
  for (let widened = false; ; widened = true) {
    const outside = await store.commits(tips, base ? [base.commit] : []);
    refuseUnreadable(outside);
    refuseShallow(outside);
    const lowest = Math.min(...outside.flatMap(commit => commit.events.map(event => event.clock)));
    if (!base || lowest > base.clock) return {base, outside, widened};
    ancestors ??= highestFirst(await store.commits(bases, []));
    base = ancestors.find(commit => commit.clock < lowest);
  }
}

// Of equal clocks the one that contains the other stays first, as the sort is stable.
function highestFirst(commits: readonly StoredCommit[]): readonly StoredCommit[] {
  return [...commits].sort((a, b) => b.clock - a.clock);
}

/**
 * Refuses a history that was cut off: only a goal's first commit has no parents, and its clock is 1.
 *
 * @throws {Failure} `shallow-history`
 */
export function refuseShallow(commits: readonly StoredCommit[]): void {
  const cut = commits.find(commit => commit.parents.length === 0 && commit.clock > 1);
  if (!cut) return;
  throw new Failure('shallow-history', `The history of the goal is cut off at ${cut.commit.slice(0, 12)}.`, {
    hint: 'Fetch all of it: `git fetch --unshallow`.',
  });
}

/** Returns the events of commits in their order, each id once. */
export function eventsOnce(commits: readonly StoredCommit[]): readonly AnyEvent[] {
  return inOrder(commits.flatMap(commit => commit.events));
}

/** Returns events in the order in which they are folded, each id once. */
export function inOrder(events: readonly AnyEvent[]): AnyEvent[] {
  const once = new Map<string, AnyEvent>();
  for (const event of events) if (!once.has(event.id)) once.set(event.id, event);
  return [...once.values()].sort(compareEvents);
}
