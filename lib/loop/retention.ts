// How long recovery points stay. So many of the newest are kept, whatever was saved by hand, and the newest of each open
// todo. Older ones go in the commit that ends a round, so that keeping order adds no commit of its own; their snapshots
// lose their refs after it, and git reclaims the space when it next collects garbage.
import type {Change} from '../change/change.ts';
import {deleteCheckpoints} from '../change/round.ts';
import {type AgedRef, deleteRefs, listAged} from '../git/aged-refs.ts';
import type {Repository} from '../git/repository.ts';
import type {Checkpoint} from '../model/checkpoint.ts';
import {openTodos} from '../model/goal.ts';
import {recordPath} from '../model/state.ts';
import type {Todo} from '../model/todo.ts';
import {type GoalView, viewGoal} from '../store/view.ts';
import {beyondRetention} from './checkpoint.ts';
import type {LoopContext} from './context.ts';
import {liveRef, snapshotRef} from './live.ts';
import {listRunning} from './running.ts';

/** So many go with one event; the others with the next ones. */
const retiredMax = 500;
/** A ref that nothing names may be of a command that has not yet written its event. */
const orphanMs = 86_400_000;

/**
 * Deletes the checkpoints that are no longer kept.
 *
 * @param keep - How many are to be left when the one that the same commit saves is counted in.
 */
export function retireCheckpoints(keep: number): Change {
  return async (view, draw) => {
    const all = await view.all<Checkpoint>('checkpoints');
    const saved = all.filter(({trigger}) => trigger !== 'hand');
    if (saved.length < keep) return [];
    const old = beyondRetention(saved, keep - 1, await neededCheckpoints(view));
    return deleteCheckpoints(old.slice(-retiredMax).map(({id}) => id))(view, draw);
  };
}

/** Returns the newest checkpoint of each open todo, and of all: a clock that was set back doesn't make it an old one. */
export async function neededCheckpoints(view: GoalView): Promise<ReadonlySet<string>> {
  const todos = await view.load(openTodos(view.goal).map(({id}) => recordPath.todo(id)));
  const newest = [...todos.values()].flatMap(todo => (todo as Todo).checkpoint ?? []);
  return new Set([...newest, ...(view.goal.checkpoint ? [view.goal.checkpoint.id] : [])]);
}

/**
 * Deletes the refs of a goal's checkpoints that are gone, and those of any goal here that were left by commands which
 * were killed: older than a day, and named by no record.
 *
 * @param retired - Checkpoints whose deletion is recorded.
 */
export async function sweepSnapshots(
  context: Pick<LoopContext, 'repository' | 'store' | 'world'>,
  goal: string,
  retired: readonly string[],
): Promise<void> {
  const {git} = context.repository;
  const refs = await listAged(git, ['refs/loopx/snapshots/', 'refs/loopx/live/']);
  const gone = new Set(retired.map(id => snapshotRef(goal, id)));
  const old = refs.filter(({ref, committedAtMs}) => !gone.has(ref) && committedAtMs < context.world.now() - orphanMs);
  const orphans = old.length === 0 ? [] : await orphansAmong(context, old);
  await deleteRefs(git, [...refs.filter(({ref}) => gone.has(ref)), ...orphans]);
}

/** Deletes all snapshots of a goal, and returns how many there were. */
export async function dropSnapshots({git}: Repository, goal: string): Promise<number> {
  const refs = await listAged(git, [`refs/loopx/snapshots/${goal}/`]);
  await deleteRefs(git, refs);
  return refs.length;
}

// Of a goal that isn't here, or can't be read, nothing is known: its snapshots stay.
async function orphansAmong(
  {repository, store}: Pick<LoopContext, 'repository' | 'store'>,
  old: readonly AgedRef[],
): Promise<readonly AgedRef[]> {
  const goals = new Set(old.map(({ref}) => goalOf(ref)));
  const running = (await listRunning(repository)).map(({goal, agent}) => liveRef(goal, agent));
  const named = new Set(running);
  const known = new Set<string>();
  for (const goal of goals) {
    const tip = await store.tip(goal);
    const view = tip && (await viewGoal(store, goal, tip).catch(() => undefined));
    if (!view) continue;
    known.add(goal);
    for (const {agent} of view.goal.live) named.add(liveRef(goal, agent));
    for (const path of await store.paths(view.tip, 'checkpoints'))
      named.add(snapshotRef(goal, path.replace(/^.*\/|\.yaml$/g, '')));
  }

  return old.filter(({ref}) => known.has(goalOf(ref)) && !named.has(ref));
}

function goalOf(ref: string): string {
  return ref.split('/')[3] ?? '';
}
