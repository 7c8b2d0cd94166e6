// The proof that the state follows from its history: every tree is the fold of its events, clocks are right, and no
// agent's count of rounds has a gap.
import {Failure} from '../failure.ts';
import {blobId, hashOf, treeId} from '../git/hash.ts';
import type {AnyEvent} from '../model/event.ts';
import {foldEvent} from '../model/fold.ts';
import {draftOf, type State, stateAfter} from '../model/state.ts';
import {encodeRecord} from './codec.ts';
import type {GoalStore, StoredCommit} from './goal-store.ts';
import {eventsOnce} from './merge.ts';

export type Problem = {
  readonly commit: string;
  readonly code: 'unreadable' | 'clock' | 'tree' | 'gap' | 'twice';
  readonly message: string;
};

export type Proof = {readonly events: number; readonly commits: number; readonly problems: readonly Problem[]};

/** What is known after a commit: its state, and the ids of its files' blobs. */
type After = {readonly state: State; readonly blobs: ReadonlyMap<string, string>};

/**
 * Checks the whole history below a tip.
 *
 * @param signal - Ends the check early, with the failure `interrupted`.
 */
export async function fsckGoal(store: GoalStore, tip: string, signal?: AbortSignal): Promise<Proof> {
  const commits = [...(await store.commits([tip], []))].reverse();
  const byId = new Map(commits.map(commit => [commit.commit, commit]));
  const children = new Map<string, number>();
  for (const parent of commits.flatMap(commit => commit.parents)) children.set(parent, (children.get(parent) ?? 0) + 1);

  const problems: Problem[] = [];
  const seen = new Set<string>();
  const known = new Map<string, After>();
  const tell = (commit: StoredCommit, code: Problem['code'], message: string) =>
    void problems.push({commit: commit.commit, code, message});
  for (const commit of commits) {
    if (signal?.aborted) throw new Failure('interrupted', 'Interrupted.');
    checkClock(commit, byId, tell);
    for (const {id} of commit.events) {
      if (seen.has(id)) tell(commit, 'twice', `the event ${id} is in an earlier commit as well`);
      seen.add(id);
    }

    const before = commit.parents.length === 1 ? known.get(commit.parents[0]!) : undefined;
    const after = stateOf(commit, before, byId, tell);
    known.set(commit.commit, after);
    // A state that all children have built upon is no longer needed.
    for (const parent of commit.parents) {
      children.set(parent, children.get(parent)! - 1);
      if (children.get(parent) === 0) known.delete(parent);
    }

    const tree = treeId(hashOf(commit.tree), after.blobs);
    if (tree !== commit.tree) tell(commit, 'tree', 'its tree is not what its events add up to');
  }

  const events = eventsOnce(commits);
  for (const {commit, message} of gaps(events, commits)) problems.push({commit, code: 'gap', message});
  return {events: events.length, commits: commits.length, problems};
}

type Tell = (commit: StoredCommit, code: Problem['code'], message: string) => void;

function checkClock(commit: StoredCommit, byId: ReadonlyMap<string, StoredCommit>, tell: Tell): void {
  if (commit.problem !== undefined) tell(commit, 'unreadable', commit.problem);
  const isMerge = commit.parents.length > 1;
  if (isMerge && commit.events.length > 0) tell(commit, 'unreadable', 'it is a merge and has events of its own');
  const highest = Math.max(0, ...commit.parents.map(parent => byId.get(parent)?.clock ?? 0));
  const wanted = isMerge ? highest : highest + 1;
  const wrong = [commit.clock, ...commit.events.map(event => event.clock)].find(clock => clock !== wanted);
  if (wrong !== undefined) tell(commit, 'clock', `its clock is ${wrong} and should be ${wanted}`);
}

function stateOf(
  commit: StoredCommit,
  before: After | undefined,
  byId: ReadonlyMap<string, StoredCommit>,
  tell: Tell,
): After {
  // A merge is what all its events add up to from the very beginning: no shortcut of the merge is trusted here.
  const base = before ?? {state: new Map(), blobs: new Map()};
  const events = eventsOnce(before || commit.parents.length === 0 ? [commit] : historyOf(commit, byId));
  const draft = draftOf(base.state);
  try {
    for (const event of events) foldEvent(draft, event);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    tell(commit, 'unreadable', error.message);
  }

  const hash = hashOf(commit.tree);
  const blobs = new Map(base.blobs);
  for (const [path, record] of draft.changes) {
    if (record === undefined) blobs.delete(path);
    else blobs.set(path, blobId(hash, encodeRecord(record)));
  }

  return {state: stateAfter(base.state, draft), blobs};
}

function historyOf(tip: StoredCommit, byId: ReadonlyMap<string, StoredCommit>): readonly StoredCommit[] {
  const seen = new Map<string, StoredCommit>();
  for (const queue = [tip]; queue.length > 0; ) {
    const commit = queue.pop()!;
    if (seen.has(commit.commit)) continue;
    seen.set(commit.commit, commit);
    queue.push(...commit.parents.flatMap(parent => byId.get(parent) ?? []));
  }

  return [...seen.values()];
}

function gaps(
  events: readonly AnyEvent[],
  commits: readonly StoredCommit[],
): readonly {commit: string; message: string}[] {
  const counts = new Map<string, Set<number>>();
  for (const event of events) {
    if (event.event !== 'round.begun') continue;
    const agent = String(event.agent);
    const seen = counts.get(agent) ?? new Set();
    counts.set(agent, seen.add(Number(event.n)));
  }

  const tip = commits.at(-1)?.commit ?? '';
  return [...counts].flatMap(([agent, seen]) => {
    const missing = Array.from({length: Math.max(...seen)}, (_, index) => index + 1).filter(n => !seen.has(n));
    return missing.length === 0
      ? []
      : [{commit: tip, message: `rounds ${missing.slice(0, 10).join(', ')} of ${agent} are missing`}];
  });
}
