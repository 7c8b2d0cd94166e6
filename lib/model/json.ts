// The values that events and records are made of, and their one canonical spelling.

export type Json = null | boolean | number | string | readonly Json[] | {readonly [key: string]: Json | undefined};

/**
 * Returns `value` as JSON with sorted keys and without undefined fields: equal values have equal spellings.
 */
export function canonicalJson(value: Json): string {
  return JSON.stringify(sorted(value));
}

/** Says whether two values have the same canonical spelling. */
export function sameJson(left: Json, right: Json): boolean {
  return canonicalJson(left) === canonicalJson(right);
}

function sorted(value: Json): Json {
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) return value.map(sorted);
  const entries = Object.entries(value).filter(([, field]) => field !== undefined);
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, field]) => [key, sorted(field!)]));
}
