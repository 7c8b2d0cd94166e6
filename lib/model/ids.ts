// Names of things. An event's id is a monotonic ULID; a record's id is a letter and eight base32 characters from a hash
// of the id of the event that created it, so that two machines never give one name to two things. Refs and files use
// nothing else, so nothing collides on a disk that is blind to case.
import {createHash} from 'node:crypto';
import {monotonicFactory} from 'ulid';
import {Failure} from '../failure.ts';

export type RecordLetter = 'a' | 'c' | 'd' | 'g' | 'k' | 'r' | 't';

/** What each letter stands for; `k` is a claim, which lives inside its todo. */
export const letterNames: Readonly<Record<RecordLetter, string>> = {
  a: 'artifact',
  c: 'checkpoint',
  d: 'decision',
  g: 'gate',
  k: 'claim',
  r: 'round',
  t: 'todo',
};

const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';
const prefixLengthMin = 4;

/** Returns a source of event ids that grow within this process, made from the given clock and randomness. */
export function eventIds(now: () => number, random: () => number): () => string {
  const next = monotonicFactory(random);
  return () => next(now());
}

/** Returns the id of the record that the event `eventId` creates. */
export function recordId(letter: RecordLetter, eventId: string): string {
  return `${letter}-${hash32(eventId, 8)}`;
}

/** Returns the id of a gate that the fold derives: of one field of one record. */
export function derivedGateId(record: string, field: string): string {
  return `g-${hash32(`${record} ${field}`, 8)}`;
}

/** Returns the name of a new goal: `<slug>-<four>`. */
export function goalId(objective: string, eventId: string): string {
  return `${slug(objective)}-${hash32(eventId, 4)}`;
}

const filler = new Set(
  'a an the to of for in on and or with by from into without is are be all our my its it that this'.split(' '),
);

/** Returns up to four telling words of a text as `[a-z0-9-]{1,40}`, or `goal` where it has none. */
export function slug(text: string): string {
  const words =
    text
      .normalize('NFKD')
      .replace(/\p{M}/gu, '')
      .toLowerCase()
      .replaceAll('ß', 'ss')
      .match(/[a-z0-9]+/g) ?? [];
  const telling = words.filter(word => !filler.has(word));
  const name = (telling.length > 0 ? telling : words).slice(0, 4).join('-').slice(0, 32).replace(/-+$/, '');
  return name || 'goal';
}

const agentPattern = /^[a-z0-9_-][a-z0-9._-]*@[a-z0-9._-]+$/;

/** Returns `name` if an agent may be called so; it becomes part of a ref and of a file's name. */
export function agentName(name: string): string {
  if (!agentPattern.test(name) || name.length > 100 || /\.\.|\.$|\.lock$|\.@/.test(name)) {
    throw new Failure('usage', `"${name}" is no name for an agent.`, {
      hint: 'Use NAME@MACHINE with lower-case letters, digits, ".", "_" and "-", such as claude@mbp.',
    });
  }

  return name;
}

/** Says whether an event's `by` is an agent; a person is written as `Name <mail>`. */
export function isAgentName(by: string): boolean {
  return agentPattern.test(by);
}

/** Returns `text` with everything but [a-z0-9._-] replaced, for the machine's part of an agent's name. */
export function machineName(text: string): string {
  const name = text
    .toLowerCase()
    .split('.')[0]!
    .replace(/[^a-z0-9_-]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 40);
  return name || 'machine';
}

/**
 * Returns the one id among `ids` that `prefix` names, with or without its letter.
 *
 * @throws {Failure} `not-found`, or `ambiguous` naming the candidates.
 */
export function resolveId(letter: RecordLetter, prefix: string, ids: Iterable<string>): string {
  const wanted = prefix.toLowerCase();
  const full = wanted.startsWith(`${letter}-`) ? wanted : `${letter}-${wanted}`;
  const found = [...ids].filter(id => id.startsWith(full));
  const what = letterNames[letter];
  if (found.includes(full)) return full;
  if (found.length === 1 && full.length > 2) return found[0]!;
  if (found.length === 0 || full.length <= 2) {
    throw new Failure('not-found', `There is no ${what} "${prefix}".`, {
      hint: `List them with \`loopx ${listOf[what] ?? what} list\`.`,
    });
  }

  throw new Failure('ambiguous', `"${prefix}" names ${found.length} ${what}s: ${found.slice(0, 5).join(', ')}.`, {
    hint: 'Give more of its characters.',
  });
}

const listOf: Readonly<Record<string, string>> = {round: 'log --rounds; loopx todo'};

/** Returns the shortest prefix of `id`, of at least four characters after its letter, that no other id shares. */
export function shortId(id: string, ids: Iterable<string>): string {
  let length = id.indexOf('-') + 1 + prefixLengthMin;
  for (const other of ids) {
    while (other !== id && length < id.length && other.startsWith(id.slice(0, length))) length += 1;
  }

  return id.slice(0, length);
}

function hash32(text: string, length: number): string {
  const bytes = createHash('sha256').update(text).digest();
  let bits = bytes.readBigUInt64BE(0);
  let out = '';
  for (let index = 0; index < length; index += 1) {
    out += alphabet[Number(bits >> 59n)];
    bits = (bits << 5n) & 0xffff_ffff_ffff_ffffn;
  }

  return out;
}
