// Changes one record of the goal, and reads what became of it.
import type {Change} from '../lib/change/change.ts';
import type {AnyEvent} from '../lib/model/event.ts';
import type {RecordLetter} from '../lib/model/ids.ts';
import {type folders, type GoalView, viewGoal} from '../lib/store/view.ts';
import type {Session} from './session.ts';
import {shortIds} from './short-ids.ts';

export type Changed<T> = {
  readonly record: T;
  /** The record's id, as it is printed. */
  readonly id: string;
  readonly events: readonly AnyEvent[];
  /** The goal after the change. */
  readonly view: GoalView;
};

/**
 * Makes a change, and returns the record that it is about as it is afterwards.
 *
 * @param wanted - A unique beginning of the record's id, or how to find the id once the change was made.
 */
export async function changeRecord<T extends object>(
  session: Session,
  letter: keyof typeof folders & RecordLetter,
  wanted: string | ((events: readonly AnyEvent[], view: GoalView) => string),
  change: Change,
): Promise<Changed<T>> {
  const {goal, tip, events} = await session.change(change);
  const view = await viewGoal(await session.store(), goal, tip);
  const id = await view.resolve(letter, typeof wanted === 'string' ? wanted : wanted(events, view));
  const short = await shortIds(session, tip, letter);
  return {record: await view.find<T>(letter, id), id: short(id), events, view};
}
