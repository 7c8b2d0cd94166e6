// Which goal a command is about: the named one, or the only one that is not over.
import {Failure} from '../lib/failure.ts';
import type {GoalReader} from '../lib/store/goal-store.ts';
import {type GoalView, viewGoal} from '../lib/store/view.ts';

/**
 * Returns a goal by its id or a unique beginning of it; without a name, the only one that is not over.
 *
 * @throws {Failure} `no-goal`, `not-found`, or `ambiguous` with the candidates.
 */
export async function chooseGoal(store: GoalReader, wanted: {readonly named: string | undefined}): Promise<GoalView> {
  const tips = await store.tips();
  if (tips.size === 0) {
    throw new Failure('no-goal', 'There is no goal in this repository yet.', {
      hint: 'Start one with `loopx start-goal --goal-text "What is to be reached"`.',
    });
  }

  if (wanted.named !== undefined) return named(store, tips, wanted.named);
  if (tips.size === 1) return viewGoal(store, ...[...tips][0]!);
  // One goal that can't be read is no reason to see none of the others.
  const looked = await Promise.allSettled([...tips].map(([id, tip]) => viewGoal(store, id, tip)));
  const views = looked.flatMap(look => (look.status === 'fulfilled' ? [look.value] : []));
  const unreadable = looked.find(look => look.status === 'rejected');
  if (views.length === 0 && unreadable) throw unreadable.reason;
  const running = views.filter(({goal}) => goal.status === 'active' || goal.status === 'paused');
  const active = running.filter(({goal}) => goal.status === 'active');
  if (running.length === 0) return newest(views);
  const [only] = active.length === 1 ? active : running;
  if (only && (active.length === 1 || running.length === 1)) return only;
  const names = (active.length > 0 ? active : running).map(({id}) => id);
  throw new Failure('ambiguous', `There are ${names.length} goals to choose from: ${names.join(', ')}.`, {
    hint: 'Say which one with --goal GOAL.',
  });
}

// Where all are over, people mean the last one.
function newest(views: readonly GoalView[]): GoalView {
  return views.reduce((last, view) => (view.goal.createdAt > last.goal.createdAt ? view : last));
}

function named(store: GoalReader, tips: ReadonlyMap<string, string>, name: string): Promise<GoalView> {
  const exact = tips.get(name);
  if (exact !== undefined) return viewGoal(store, name, exact);
  const found = [...tips].filter(([id]) => id.startsWith(name) || id.endsWith(`-${name}`));
  if (found.length === 1) return viewGoal(store, ...found[0]!);
  throw found.length === 0
    ? new Failure('not-found', `There is no goal "${name}".`, {hint: 'List the goals with `loopx goal list`.'})
    : new Failure('ambiguous', `"${name}" names ${found.map(([id]) => id).join(', ')}.`, {
        hint: 'Give more of its name.',
      });
}
