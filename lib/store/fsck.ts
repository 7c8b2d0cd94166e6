// The proof that the state follows from its history: every tree is the fold of its events, clocks are right, and no
// agent's count of rounds has a gap.
import {setImmediate} from 'node:timers/promises';
import {Failure} from '../failure.ts';
import {hashOf} from '../git/hash.ts';
import {type AnyEvent, compareEvents} from '../model/event.ts';
import type {GoalStore, StoredCommit} from './goal-store.ts';
import {eventsOnce, inOrder, refuseShallow} from './merge.ts';
import {openReplay} from './replay.ts';

export type Problem = {
  readonly commit: string;
  readonly code: 'unreadable' | 'clock' | 'tree' | 'gap' | 'twice';
  readonly message: string;
};

export type Proof = {readonly events: number; readonly commits: number; readonly problems: readonly Problem[]};

// How many commits are checked before whoever wants to interrupt gets a turn.
const commitsATurn = 200;

/**
 * Checks the whole history below a tip. A merge too has to be what all events below it add up to from the very
 * beginning: no shortcut of the merge is trusted here.
 *
 * @param signal - Ends the check early, with the failure `interrupted`.
 * @throws {Failure} `shallow-history` where a part of the history isn't here.
 */
export async function fsckGoal(store: GoalStore, tip: string, signal?: AbortSignal): Promise<Proof> {
  const commits = [...(await store.commits([tip], []))].reverse();
  refuseShallow(commits);
  const byId = new Map(commits.map(commit => [commit.commit, commit]));
  const problems: Problem[] = [];
  const tell: Tell = (commit, code, message) => void problems.push({commit: commit.commit, code, message});
  const replay = openReplay(hashOf(tip));
  const eventsBelow = openHistory(commits);
  const seen = new Set<string>();
  for (const [index, commit] of commits.entries()) {
    if (index % commitsATurn === 0) await setImmediate();
    if (signal?.aborted) throw new Failure('interrupted', 'Interrupted.');
    checkClock(commit, byId, tell);
    for (const event of commit.events) {
      if (seen.has(event.id)) tell(commit, 'twice', `the event ${event.id} is in an earlier commit as well`);
      seen.add(event.id);
    }

    const tree = replay.treeAfter(eventsBelow(commit));
    for (const refusal of commit.events.map(replay.refusalOf)) if (refusal) tell(commit, 'unreadable', refusal);
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

/** Returns what tells, for commits asked in their order, the events of each and of all below it, in order. */
function openHistory(commits: readonly StoredCommit[]): (commit: StoredCommit) => readonly AnyEvent[] {
  const known = new Map<string, AnyEvent[]>();
  const children = new Map<string, number>();
  for (const parent of commits.flatMap(commit => commit.parents)) children.set(parent, (children.get(parent) ?? 0) + 1);
  // The last child takes its parent's list over, and the others copy it: a long line of commits shares one.
  const take = (parent: string): AnyEvent[] => {
    const left = children.get(parent)! - 1;
    children.set(parent, left);
    const list = known.get(parent) ?? [];
    if (left > 0) return [...list];
    known.delete(parent);
    return list;
  };

  return commit => {
    const [first = [], ...others] = commit.parents.map(take);
    const last = first.at(-1);
    const own = [...commit.events].sort(compareEvents);
    const isNext = others.length === 0 && own.every(event => !last || event.clock > last.clock);
    const list = isNext ? first : inOrder([...first, ...others.flat(), ...own]);
    if (isNext) list.push(...own);
    known.set(commit.commit, list);
    return list;
  };
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
