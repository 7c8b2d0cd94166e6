// Whether this version of loopx can write to a goal at all. What can only be read must not be worked on: a round whose
// beginning could not be recorded would be tried for ever.
import {isFailure} from '../failure.ts';
import {newerFormat} from '../model/fold.ts';
import {goalFormat} from '../model/goal.ts';
import type {Preflight} from '../policy/verdict.ts';
import type {GoalStore} from '../store/goal-store.ts';
import {refuseUnreadable} from '../store/message.ts';
import type {GoalView} from '../store/view.ts';

/** Returns what stands in the way of any work, or undefined where nothing does. */
export async function preflightOf(store: GoalStore, view: GoalView): Promise<Preflight | undefined> {
  try {
    if (view.goal.format > goalFormat) throw newerFormat(view.goal.format);
    refuseUnreadable(await store.commits([view.tip], [], 1));
    return undefined;
  } catch (error) {
    if (!isFailure(error)) throw error;
    return {message: error.message, hint: error.hint ?? 'Run `loopx doctor`.'};
  }
}
