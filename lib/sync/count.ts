// How many events one history of a goal has that another lacks. Where it holds all of the other, their totals tell, and
// no history is read.
import {isFailure} from '../failure.ts';
import type {GoalStore} from '../store/goal-store.ts';
import {viewGoal} from '../store/view.ts';

/** Returns how many events a goal had at a commit. */
export async function eventsAt(store: GoalStore, goal: string, tip: string): Promise<number> {
  return (await viewGoal(store, goal, tip)).goal.totals.events;
}

/** Returns how many events wait for a remote whose goal was seen at a commit that ours holds; undefined means none. */
export async function eventsSince(
  store: GoalStore,
  goal: string,
  tip: string,
  seen: string | undefined,
): Promise<number> {
  if (seen === tip) return 0;
  try {
    const before = seen === undefined ? 0 : await eventsAt(store, goal, seen);
    return Math.max(0, (await eventsAt(store, goal, tip)) - before);
  } catch (error) {
    if (!isFailure(error) || seen === undefined) return 0;
    return eventsOutside(store, tip, seen);
  }
}

/** Counts the events of one history that another lacks; a commit that can't be read counts as one. */
export async function eventsOutside(store: GoalStore, tip: string, other: string): Promise<number> {
  try {
    const commits = await store.commits([tip], [other]);
    return commits.reduce((sum, {events, problem}) => sum + (problem === undefined ? events.length : 1), 0);
  } catch (error) {
    if (!isFailure(error)) throw error;
    return 1;
  }
}
