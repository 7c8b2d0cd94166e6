// A field is a multi-value register. Setting it names all settings it saw; what nobody has superseded are the field's
// heads. The last head is the value. Heads that differ are a contradiction, which for some fields becomes a gate.
//
// A record keeps the heads of its fields under `heads`, so that going on needs no history: nothing for a field that
// still has its first setting, an event id for a field with one head, and `{id: value}` for several.
import {type Json, sameJson} from './json.ts';

export type Head = {readonly id: string; readonly value: Json};

export type Heads = Readonly<Record<string, string | Readonly<Record<string, Json>>>>;

/** A record whose fields are registers; `created` is the id of the event that made it. */
export type Registers = {readonly created: string; readonly heads?: Heads};

/** Returns the heads of a field, oldest first in the order of replay. */
export function headsOf(record: Registers, field: string): readonly Head[] {
  const heads = record.heads?.[field];
  const value = (record as unknown as Record<string, Json | undefined>)[field] ?? null;
  if (heads === undefined) return [{id: record.created, value}];
  if (typeof heads === 'string') return [{id: heads, value}];
  return Object.entries(heads).map(([id, headValue]) => ({id, value: headValue}));
}

/** Returns, for each of the fields, the ids of the settings that one sees in `record`: the `saw` of an event. */
export function sawOf(record: Registers, fields: readonly string[]): Record<string, readonly string[]> {
  return Object.fromEntries(fields.map(field => [field, headsOf(record, field).map(head => head.id)]));
}

/** Returns `record` with the fields of `set` set by the event `id`, which saw the settings `saw`. */
export function setFields<T extends Registers>(
  record: T,
  id: string,
  set: Readonly<Record<string, Json | undefined>>,
  saw: Readonly<Record<string, readonly string[]>>,
): T {
  const heads: Record<string, string | Readonly<Record<string, Json>>> = {...record.heads};
  const next: Record<string, Json | undefined> = {...(record as unknown as Record<string, Json | undefined>)};
  for (const [field, value = null] of Object.entries(set)) {
    const seen = new Set(saw[field] ?? []);
    const kept = headsOf(record, field).filter(head => !seen.has(head.id));
    heads[field] =
      kept.length === 0 ? id : Object.fromEntries([...kept, {id, value}].map(head => [head.id, head.value]));
    if (value === null) delete next[field];
    else next[field] = value;
  }

  return {...next, heads} as unknown as T;
}

/** Says whether a field has heads that differ. */
export function isContested(record: Registers, field: string): boolean {
  const [first, ...rest] = headsOf(record, field);
  return rest.some(head => !sameJson(head.value, first!.value));
}
