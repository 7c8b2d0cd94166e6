// Checks of data that comes from elsewhere: an event in a fetched commit, a line of JSON. A check returns the value with
// its type or throws BadShape, which says where and what.
import type {Json} from './json.ts';

export class BadShape extends Error {}

export type Check<T> = (value: unknown, where: string) => T;

type OptionalKeys<S> = {
  [K in keyof S]: S[K] extends Check<infer T> ? (undefined extends T ? K : never) : never;
}[keyof S];

/** The type of an object whose fields pass the checks of `S`. */
export type Shaped<S> = {readonly [K in Exclude<keyof S, OptionalKeys<S>>]: S[K] extends Check<infer T> ? T : never} & {
  readonly [K in OptionalKeys<S>]?: S[K] extends Check<infer T> ? T : never;
};

const fail = (where: string, wanted: string): never => {
  throw new BadShape(`${where} should be ${wanted}`);
};

export const text: Check<string> = (value, where) =>
  typeof value === 'string' && value.isWellFormed() && !value.includes('\0') ? value : fail(where, 'text');

export const matching =
  (pattern: RegExp, what: string): Check<string> =>
  (value, where) =>
    typeof value === 'string' && pattern.test(value) ? value : fail(where, what);

export const count: Check<number> = (value, where) =>
  Number.isSafeInteger(value) && (value as number) >= 0
    ? (value as number)
    : fail(where, 'a whole number of 0 or more');

export const number: Check<number> = (value, where) =>
  Number.isFinite(value) ? (value as number) : fail(where, 'a number');

export const flag: Check<boolean> = (value, where) =>
  typeof value === 'boolean' ? value : fail(where, 'true or false');

export const oneOf =
  <const T extends readonly string[]>(...words: T): Check<T[number]> =>
  (value, where) =>
    words.includes(value as string) ? (value as T[number]) : fail(where, `one of ${words.join(', ')}`);

export const list =
  <T>(check: Check<T>): Check<readonly T[]> =>
  (value, where) =>
    Array.isArray(value) ? value.map((item, index) => check(item, `${where}[${index}]`)) : fail(where, 'a list');

export const optional =
  <T>(check: Check<T>): Check<T | undefined> =>
  (value, where) =>
    value === undefined ? undefined : check(value, where);

/** Lets a field also be null: in an edit, null takes the field away. */
export const nullable =
  <T>(check: Check<T>): Check<T | null> =>
  (value, where) =>
    value === null ? null : check(value, where);

export const json: Check<Json> = (value, where) => (value === undefined ? fail(where, 'given') : (value as Json));

/** Checks the named fields of an object, in the order of the shape, and refuses others. */
export const object =
  <S extends object>(shape: S): Check<Shaped<S>> =>
  (value, where) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return fail(where, 'an object');
    const given = value as Record<string, unknown>;
    const unknown = Object.keys(given).find(key => !Object.hasOwn(shape, key));
    if (unknown !== undefined) fail(`${where}.${unknown}`, 'left out: this version does not know it');
    const out: Record<string, unknown> = {};
    for (const [key, check] of Object.entries(shape) as [string, Check<unknown>][]) {
      const checked = check(given[key], `${where}.${key}`);
      if (checked !== undefined) out[key] = checked;
    }

    return out as Shaped<S>;
  };

export const record =
  <T>(check: Check<T>): Check<Readonly<Record<string, T>>> =>
  (value, where) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return fail(where, 'an object');
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, check(item, `${where}.${key}`)]));
  };
