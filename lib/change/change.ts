// A change looks at a goal and draws the events that a command writes, or refuses. It has no effect of its own: it is
// called again when another writer was faster. Whatever loopx writes, the command line and the loop alike, is drawn here.
import {Failure} from '../failure.ts';
import type {NewEvent} from '../model/event.ts';
import {recordId} from '../model/ids.ts';
import type {Draw} from '../store/append.ts';
import type {GoalView} from '../store/view.ts';

export type Change = (view: GoalView, draw: Draw) => Promise<readonly NewEvent[]> | readonly NewEvent[];

/** Draws an event that creates a record; the record's id comes from the event's, which may have been drawn before. */
export function creation(
  draw: Draw,
  kind: string,
  letter: Parameters<typeof recordId>[0],
  data: (record: string) => object,
  id: string = draw.id(),
): NewEvent {
  return draw.event(kind, data(recordId(letter, id)), id);
}

/** Refuses work on a goal that is over. */
export function refuseClosed(view: GoalView): void {
  const {status} = view.goal;
  if (status !== 'finished' && status !== 'archived') return;
  throw new Failure('goal-closed', `The goal ${view.id} is ${status}.`, {
    hint: 'Start another with `loopx start-goal`, or take it up again with `loopx goal resume`.',
  });
}

/** Returns `fields` without those that are undefined. */
export function given<T extends object>(fields: T): T {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as T;
}

/** Makes one change of several: one commit, all or nothing. Each sees the goal as it was before all of them. */
export function together(...changes: readonly Change[]): Change {
  return async (view, draw) => {
    const events: NewEvent[] = [];
    for (const change of changes) events.push(...(await change(view, draw)));
    return events;
  };
}
