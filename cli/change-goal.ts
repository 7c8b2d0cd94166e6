// Changes the goal itself, and shows what became of it.
import type {Change} from '../lib/change/change.ts';
import type {AnyEvent} from '../lib/model/event.ts';
import type {Goal} from '../lib/model/goal.ts';
import {goalPath} from '../lib/model/state.ts';
import {goalJson} from './records.ts';
import {printResult} from './result.ts';
import type {Session} from './session.ts';

/** Makes a change of the goal and prints it: the text says what it is now, or that it was so already. */
export async function changeGoalItself(
  session: Session,
  change: Change,
  text: (goal: Goal, events: readonly AnyEvent[]) => readonly string[] | string,
): Promise<void> {
  const {tip, events} = await session.change(change);
  const goal = await session.recordAt<Goal>(tip, goalPath);
  printResult(session, {schema: 'loopx/goal@1', goal: goalJson(goal)}, () => text(goal, events));
}
