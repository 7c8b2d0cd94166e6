// Taking in what a fetch brought, be it ours or the user's own `git pull`: each tracking ref is checked, then merged into
// the goal or the notes here. What is broken stays in its tracking ref and is told of; work here goes on.
import {Failure, isFailure} from '../failure.ts';
import {mergeNotes} from '../git/notes-merge.ts';
import type {Repository} from '../git/repository.ts';
import {goalId} from '../model/ids.ts';
import {refuseBroken} from '../store/fetched.ts';
import type {OpenGitStore} from '../store/git-store.ts';
import type {GoalStore} from '../store/goal-store.ts';
import {mergeGoal} from '../store/merge.ts';
import {markChanged} from '../store/unsent.ts';
import type {World} from '../world.ts';
import {eventsAt} from './count.ts';
import {keepTakenIn, type Problem, readTakenIn} from './memory.ts';
import {type Tracked, trackedBy} from './remotes.ts';

export type SyncContext = {
  readonly repository: Repository;
  readonly store: OpenGitStore;
  readonly world: World;
  readonly signal?: AbortSignal | undefined;
};

/** What was taken in from a remote. */
export type Taken = {
  readonly remote: string;
  /** Undefined means the notes. */
  readonly goal?: string | undefined;
  readonly kind: 'new' | 'forward' | 'merged' | 'parted';
  /** How many events are new here. */
  readonly events: number;
  /** Of two goals of one name that have nothing in common, the name that ours goes by now. */
  readonly keptAs?: string;
};

export type Integrated = {
  readonly taken: readonly Taken[];
  /** Why a tracking ref was not taken in, by its name. */
  readonly problems: ReadonlyMap<string, Problem>;
};

const attemptsMax = 12;
/** Somebody else is writing, or may stop to: worth another look next time. */
const passing = ['ref-moved', 'git-locked', 'git-failed', 'io-failed'] as const;

/** Takes in tracking refs, given by full name with the commit each is at. */
export async function integrate(context: SyncContext, tracked: ReadonlyMap<string, string>): Promise<Integrated> {
  const {commonDir} = context.repository;
  const taken: Taken[] = [];
  const problems = new Map<string, Problem>();
  const before = await readTakenIn(commonDir);
  const tips = {...before.tips};
  const known = {...before.problems};
  for (const [ref, tip] of tracked) {
    const what = trackedBy(ref);
    if (!what) continue;
    if (context.signal?.aborted) throw new Failure('interrupted', 'Interrupted.');
    delete known[ref];
    try {
      const found = await takeIn(context, what, tip);
      if (found) taken.push(found);
      tips[ref] = tip;
    } catch (error) {
      if (!isFailure(error) || error.code === 'interrupted') throw error;
      const {code, message, hint} = error;
      const problem = {code, message, ...(hint !== undefined && {hint})};
      problems.set(ref, problem);
      if (isFailure(error, ...passing)) delete tips[ref];
      else {
        tips[ref] = tip;
        known[ref] = problem;
      }
    }
  }

  await keepTakenIn(commonDir, {tips, problems: known});
  return {taken, problems};
}

async function takeIn(context: SyncContext, {remote, goal}: Tracked, theirs: string): Promise<Taken | undefined> {
  if (goal !== undefined) return takeInGoal(context, remote, goal, theirs);
  const {git, gitDir, commonDir} = context.repository;
  const {tip, isNew} = await mergeNotes(git, gitDir, theirs, context.world);
  if (!isNew) return undefined;
  await markChanged(commonDir, tip);
  return {remote, kind: tip === theirs ? 'forward' : 'merged', events: 0};
}

async function takeInGoal(
  {store, world}: SyncContext,
  remote: string,
  goal: string,
  theirs: string,
): Promise<Taken | undefined> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await store.inTurn(goal, () => takeInOnce(store, remote, goal, theirs));
    } catch (error) {
      if (!isFailure(error, 'ref-moved', 'git-locked') || attempt === attemptsMax) throw error;
      await world.sleep(world.random() * Math.min(20 * 2 ** attempt, 1000));
    }
  }
}

async function takeInOnce(store: GoalStore, remote: string, goal: string, theirs: string): Promise<Taken | undefined> {
  const ours = await store.tip(goal);
  if (ours === theirs) return undefined;
  if (ours === undefined) {
    await refuseBroken(store, theirs);
    await store.forward(goal, theirs, undefined);
    return {remote, goal, kind: 'new', events: await eventsAt(store, goal, theirs)};
  }

  await refuseBroken(store, theirs, ours);
  try {
    const {kind, tip} = await mergeGoal(store, goal, ours, theirs);
    if (kind === 'same' || kind === 'behind') return undefined;
    const events = (await eventsAt(store, goal, tip)) - (await eventsAt(store, goal, ours));
    return {remote, goal, kind, events: Math.max(0, events)};
  } catch (error) {
    if (!isFailure(error, 'no-common-history')) throw error;
    const keptAs = await part(store, goal, ours, theirs);
    return {remote, goal, kind: 'parted', events: await eventsAt(store, goal, theirs), keptAs};
  }
}

// Whoever pushed first has the name. The new one follows from where our history begins, so that it is the same after a
// crash between the two moves.
async function part(store: GoalStore, goal: string, ours: string, theirs: string): Promise<string> {
  const root = (await store.commits([ours], [])).findLast(({parents}) => parents.length === 0);
  const keptAs = goalId(goal.replace(/-[^-]*$/, ''), root?.commit ?? ours);
  const there = await store.tip(keptAs);
  if (there !== ours) await store.forward(keptAs, ours, there);
  await store.forward(goal, theirs, ours);
  return keptAs;
}
