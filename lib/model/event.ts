// An event is a change of a goal. Each kind says, in one place, what data it carries, which records it touches, how it
// is folded, and how it reads in `git log`. Adding a kind is one entry in one family's file under `events/`.

import {type Check, count, matching, object, type Shaped, text} from './shape.ts';
import type {Draft} from './state.ts';

/** What every event carries. */
export type EventHead = {
  readonly event: string;
  /** A monotonic ULID: the event's identity. */
  readonly id: string;
  /** 1 + the highest clock of the parents of its commit. Order is (clock, id). */
  readonly clock: number;
  /** ISO 8601, UTC. For people and for budget windows, never for order. */
  readonly at: string;
  /** An agent as `name@machine`, or a person as `Name <mail>`. */
  readonly by: string;
};

export type AnyEvent = EventHead & Readonly<Record<string, unknown>>;

/** An event before its commit gives it a clock. */
export type NewEvent = Omit<EventHead, 'clock'> & Readonly<Record<string, unknown>>;

export type EventKind = {
  readonly kind: string;
  readonly fields: Readonly<Record<string, Check<unknown>>>;
  /** Whether it changes what a round would find: book-keeping of rounds does not. */
  readonly changes: boolean;
  /** The paths of the records that its fold reads or writes; `everyPath` where that may be any. */
  readonly touches: (event: AnyEvent) => readonly string[];
  readonly fold: (draft: Draft, event: AnyEvent) => void;
  readonly subject: (event: AnyEvent) => string;
};

/** Declares a kind of event by its name and fields; the fold sees its data with their types. */
export function defineEvent<S extends Readonly<Record<string, Check<unknown>>>>(
  kind: string,
  fields: S,
  rules: {
    changes: boolean;
    touches: (event: EventHead & Shaped<S>) => readonly string[];
    fold: (draft: Draft, event: EventHead & Shaped<S>) => void;
    subject: (event: EventHead & Shaped<S>) => string;
  },
): EventKind & {readonly data: Shaped<S>} {
  return {kind, fields, ...rules} as unknown as EventKind & {readonly data: Shaped<S>};
}

/** The data of a kind of event. */
export type EventData<K> = K extends {readonly data: infer D} ? D : never;

/** Clocks stay below this, so that they are exact in every program that reads them. */
export const clockMax = 2 ** 48;

const headFields = {
  event: text,
  id: matching(/^[0-9A-HJKMNP-TV-Z]{26}$/, 'a ULID'),
  clock: count,
  at: matching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/, 'a UTC time'),
  by: matching(/^[^\p{Cc}]{1,200}$/u, 'a name'),
};

/**
 * Checks an event of a known kind against its fields.
 *
 * @throws {BadShape} Where a field is missing, of another type, or unknown to this version.
 */
export function checkEvent(kind: EventKind, event: unknown): AnyEvent {
  return object({...headFields, ...kind.fields})(event, kind.kind) as unknown as AnyEvent;
}

/** Orders events as they are folded: by clock, then by id. */
export function compareEvents(a: EventHead, b: EventHead): number {
  return a.clock - b.clock || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0);
}
