// Appending: read the tip, decide, fold, write one commit, move the ref from that tip. Whoever loses the race decides
// again, since what it wanted to change may be gone meanwhile.
import {Failure, isFailure} from '../failure.ts';
import {type AnyEvent, compareEvents, type NewEvent} from '../model/event.ts';
import {checkedEvent, foldEvent, touchedPaths} from '../model/fold.ts';
import {isAgentName} from '../model/ids.ts';
import {draftOf, type State} from '../model/state.ts';
import type {World} from '../world.ts';
import {encodeRecord} from './codec.ts';
import {fitEvent} from './fit.ts';
import type {GoalStore, Signature} from './goal-store.ts';
import {eventMessage, refuseUnreadable} from './message.ts';
import {type GoalView, loadTouched, viewGoal} from './view.ts';

const attemptsMax = 12;
/** A lock of git that is still there after so many attempts was left behind: a working git holds it for a moment. */
const lockedMax = 4;

export type Writer = {
  readonly store: GoalStore;
  readonly world: World;
  /** Who acts: an agent's name, or a person as `Name <mail>`. */
  readonly by: string;
  readonly committer: {readonly name: string; readonly mail: string};
  readonly nextId: () => string;
  /** Takes secrets out of a text before it becomes part of history. */
  readonly redact: (text: string) => string;
};

/** What a decision wants written: kind and data of each event. Its id is there already, so that others can name it. */
export type Draw = {
  readonly id: () => string;
  readonly event: (kind: string, data: object, id?: string) => NewEvent;
  readonly now: number;
};

export type Appended = {readonly tip: string; readonly events: readonly AnyEvent[]};

/**
 * Changes a goal: `decide` looks at it and returns the events to append, or none. It is called again where another
 * writer was faster, and must have no effect of its own.
 *
 * @throws {Failure} What `decide` throws; `ref-moved` when others kept winning.
 */
export async function changeGoal(
  writer: Writer,
  id: string,
  decide: (view: GoalView, draw: Draw) => Promise<readonly NewEvent[]> | readonly NewEvent[],
): Promise<Appended> {
  const {store, world} = writer;
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await store.inTurn(id, async () => {
        const tip = await store.tip(id);
        if (tip === undefined) throw noGoal(id);
        const view = await viewGoal(store, id, tip);
        const events = await decide(view, drawFor(writer));
        return events.length === 0 ? {tip, events: []} : await append(writer, view, events);
      });
    } catch (error) {
      const isWorthwhile = isFailure(error, 'ref-moved') || (isFailure(error, 'git-locked') && attempt < lockedMax);
      if (!isWorthwhile || attempt === attemptsMax) throw error;
      await world.sleep(world.random() * Math.min(20 * 2 ** attempt, 1000));
    }
  }
}

/** Makes a new goal from its first events. */
export async function createGoal(writer: Writer, id: string, events: readonly NewEvent[]): Promise<Appended> {
  return writeEvents(writer, {id, expected: undefined, clock: 0}, new Map(), events);
}

/** Returns what a decision draws its events from. */
export function drawFor(writer: Writer): Draw {
  const now = writer.world.now();
  return {
    now,
    id: writer.nextId,
    event: (event, data, id = writer.nextId()) => ({
      event,
      id,
      at: new Date(now).toISOString(),
      by: writer.by,
      ...data,
    }),
  };
}

export function noGoal(id: string): Failure {
  return new Failure('no-goal', `There is no goal "${id}" in this repository.`, {
    hint: 'List the goals with `loopx goal list`.',
  });
}

async function append(writer: Writer, view: GoalView, events: readonly NewEvent[]): Promise<Appended> {
  const touched = new Set(events.flatMap(event => touchedPaths({...event, clock: 0})));
  const [base, last] = await Promise.all([
    loadTouched(writer.store, view.tip, [...touched]),
    writer.store.commits([view.tip], [], 1),
  ]);
  refuseUnreadable(last);
  return writeEvents(writer, {id: view.id, expected: view.tip, clock: view.goal.clock}, base, events);
}

async function writeEvents(
  writer: Writer,
  onto: {id: string; expected: string | undefined; clock: number},
  base: State,
  events: readonly NewEvent[],
): Promise<Appended> {
  // In the order in which a merge will fold them: an id may have been drawn before the one of an earlier event.
  const clocked = events
    .map(event => checkedEvent(inOrder(clean(event, writer.redact), onto.clock + 1)))
    .sort(compareEvents);
  const draft = draftOf(base);
  for (const event of clocked) foldEvent(draft, event);
  const files = new Map([...draft.changes].map(([path, record]) => [path, record && encodeRecord(record)]));
  const seconds = Math.floor(writer.world.now() / 1000);
  const tip = await writer.store.write({
    goal: onto.id,
    expected: onto.expected,
    parents: onto.expected === undefined ? [] : [onto.expected],
    base: 'parent',
    files,
    message: eventMessage(clocked),
    author: {...authorOf(writer.by), seconds},
    committer: {...writer.committer, seconds},
  });
  return {tip, events: clocked};
}

function inOrder({event, id, at, by, ...data}: NewEvent, clock: number): AnyEvent {
  return {event, id, clock, at, by, ...data};
}

// Secrets are taken out and texts are made well-formed before the first object is written: later is too late. A NUL,
// which an agent may well print, would end a commit's message.
function clean(event: NewEvent, redact: (text: string) => string): NewEvent {
  const visit = (value: unknown): unknown => {
    if (typeof value === 'string') return redact(value.toWellFormed().replaceAll('\0', '\ufffd'));
    if (Array.isArray(value)) return value.map(visit);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, visit(item)]));
  };
  return fitEvent({...(visit(event) as NewEvent), id: event.id, at: event.at});
}

function authorOf(by: string): Omit<Signature, 'seconds'> {
  if (isAgentName(by)) return {name: by, mail: `${by}.loopx.invalid`};
  const match = /^(.*?)\s*<([^<>]*)>$/.exec(by);
  return {name: match?.[1] || by, mail: match?.[2] ?? ''};
}
