// Events for tests of the fold, made by hand: each is one commit, so that clocks count them.
import type {AnyEvent} from '../../lib/model/event.ts';
import {checkedEvent, foldEvent} from '../../lib/model/fold.ts';
import type {Goal} from '../../lib/model/goal.ts';
import {draftOf, goalPath, type State, stateAfter} from '../../lib/model/state.ts';

/** An event without its head. */
export type EventBody = {readonly event: string} & Readonly<Record<string, unknown>>;

/** Returns the id of the `n`th event. */
export const idOf = (n: number) => `01JDZ5Q0M8${String(n).padStart(16, '0')}`;

const at = '2026-01-01T12:00:00.000Z';

/** Returns these events in full, as the commits 1, 2, 3 … of a goal that starts with `goal.created`. */
export function eventsOf(...bodies: readonly EventBody[]): AnyEvent[] {
  const goal = {event: 'goal.created', goal: 'test-0000', format: 1, objective: 'Test the fold'};
  const created = {...goal, acceptance: [], constraints: [], scope: [], policy: {}};
  return [created, ...bodies].map((body, index) => {
    const head = {id: idOf(index + 1), clock: index + 1, at, by: 'claude@test'};
    return checkedEvent({...head, ...body});
  });
}

/** Returns what events add up to. */
export function folded(events: readonly AnyEvent[], base: State = new Map()): State {
  const draft = draftOf(base);
  for (const event of events) foldEvent(draft, event);
  return stateAfter(base, draft);
}

export const goalOf = (state: State) => state.get(goalPath) as Goal;
