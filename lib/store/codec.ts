// The canonical text of records and events: a subset of YAML with one value a line, each a plain word or JSON. What is
// in that form parses by line split and JSON.parse, hundreds of times faster than by a YAML parser; whatever else
// somebody wrote goes through `yaml`.
import type {Json} from '../model/json.ts';

type Fields = {readonly [key: string]: Json | undefined};

// Words that YAML would read as something else than text, and shapes that look like numbers or directives.
const reserved = new Set(['true', 'false', 'null', 'yes', 'no', 'on', 'off', 'y', 'n']);
const plainWord = /^[A-Za-z0-9][A-Za-z0-9_@./:+-]*$/;
const plainKey = /^[A-Za-z0-9][A-Za-z0-9_@. -]*$/;

// Fields whose maps are told one value a line; other maps stay on their own line.
const opened = new Set([
  'heads',
  'totals',
  'policy',
  'progress',
  'snapshot',
  'verified',
  'finished',
  'about',
  'idle',
  'limited',
]);

/** The order of fields in every record; others follow by name. */
const order = [
  ...[
    'format',
    'id',
    'kind',
    'title',
    'question',
    'text',
    'objective',
    'path',
    'trigger',
    'digest',
    'status',
    'answer',
  ],
  ...['phase', 'priority', 'rank', 'detail', 'why', 'reason', 'result', 'options', 'recommend', 'evidence', 'blocks'],
  ...['acceptance', 'constraints', 'scope', 'amendments', 'parent', 'dependsOn', 'replaces', 'replacedBy', 'agent'],
  ...['executor', 'checks', 'required', 'watch', 'watched', 'attempts', 'verified', 'claims', 'about', 'answers'],
  ...['policy', 'schedule', 'grants', 'finished', 'progress', 'artifacts', 'snapshot', 'sha256', 'sizeBytes', 'rounds'],
  ...['last', 'idle', 'limited', 'todo', 'round', 'at', 'by', 'askedAt', 'askedBy', 'createdAt', 'createdBy'],
  ...['clock', 'changed', 'checkpoint', 'context', 'totals', 'live', 'open', 'created', 'heads'],
];
const rank = new Map(order.map((field, index) => [field, index]));

/** Returns a record's canonical text. */
export function encodeRecord(record: object): string {
  const fields = Object.entries(record as Fields).filter(([, value]) => value !== undefined) as [string, Json][];
  fields.sort(([a], [b]) => (rank.get(a) ?? 999) - (rank.get(b) ?? 999) || (a < b ? -1 : 1));
  return fields.map(([key, value]) => encodeField(key, value)).join('');
}

/**
 * Returns the fields of a record's text, or undefined where it is not in canonical form.
 */
export function decodeRecord(text: string): Record<string, Json> | undefined {
  const record: Record<string, Json> = {};
  let container: Json[] | Record<string, Json> | undefined;
  let pending: string | undefined;
  for (const line of text.split('\n')) {
    if (line === '') continue;
    if (line.startsWith('  ')) {
      if (pending === undefined) return undefined;
      const isItem = line.startsWith('  - ');
      if (!container) {
        container = isItem ? [] : {};
        add(record, pending, container);
      }

      if (isItem) {
        const value = decodeValue(line.slice(4));
        if (value === undefined || !Array.isArray(container)) return undefined;
        container.push(value);
      } else {
        const field = decodeLine(line.slice(2));
        if (field?.[1] === undefined || Array.isArray(container)) return undefined;
        if (!add(container, field[0], field[1])) return undefined;
      }

      continue;
    }

    if (pending !== undefined && !container) return undefined;
    const field = decodeLine(line);
    if (!field || Object.hasOwn(record, field[0])) return undefined;
    const [key, value] = field;
    pending = value === undefined ? key : undefined;
    container = undefined;
    if (value !== undefined) add(record, key, value);
  }

  return pending !== undefined && !container ? undefined : record;
}

/** Returns the canonical body of a commit that holds these events. */
export function encodeEvents(events: readonly object[]): string {
  return events
    .map(event => {
      const fields = Object.entries(event as Fields).filter(([, value]) => value !== undefined) as [string, Json][];
      return fields
        .map(([key, value], index) => `${index === 0 ? '- ' : '  '}${encodeKey(key)}: ${encodeValue(value)}\n`)
        .join('');
    })
    .join('');
}

/** Returns the events of a commit's body, or undefined where it is not in canonical form. */
export function decodeEvents(body: string): Record<string, Json>[] | undefined {
  const events: Record<string, Json>[] = [];
  for (const line of body.split('\n')) {
    if (line === '') continue;
    if (line.startsWith('- ')) events.push({});
    else if (!line.startsWith('  ')) return undefined;
    const field = decodeLine(line.slice(2));
    const event = events.at(-1);
    if (!event || field?.[1] === undefined || !add(event, field[0], field[1])) return undefined;
  }

  return events;
}

/** Adds a field; false where it is there already, which is no canonical form. */
function add(fields: Record<string, Json>, key: string, value: Json): boolean {
  if (Object.hasOwn(fields, key)) return false;
  // A plain assignment of this one name would change what the object inherits.
  if (key === '__proto__')
    Object.defineProperty(fields, key, {value, enumerable: true, configurable: true, writable: true});
  else fields[key] = value;
  return true;
}

function encodeField(key: string, value: Json): string {
  const name = encodeKey(key);
  if (Array.isArray(value) && value.length > 0) {
    return `${name}:\n${value.map(item => `  - ${encodeValue(item)}\n`).join('')}`;
  }

  if (opened.has(key) && value !== null && typeof value === 'object' && !Array.isArray(value)) {
    const inner = Object.entries(value as Fields).filter(([, field]) => field !== undefined) as [string, Json][];
    if (inner.length > 0) {
      return `${name}:\n${inner.map(([field, item]) => `  ${encodeKey(field)}: ${encodeValue(item)}\n`).join('')}`;
    }
  }

  return `${name}: ${encodeValue(value)}\n`;
}

function encodeKey(key: string): string {
  return isPlainKey(key) ? key : escaped(JSON.stringify(key));
}

function isPlainKey(key: string): boolean {
  return plainKey.test(key) && !key.endsWith(' ') && isText(key);
}

function encodeValue(value: Json): string {
  if (typeof value === 'string' && isPlain(value)) return value;
  return escaped(JSON.stringify(value));
}

function isPlain(text: string): boolean {
  return plainWord.test(text) && text.length <= 200 && !text.endsWith(':') && isText(text);
}

/** Says whether YAML takes an unquoted word for text; it has words and shapes of its own, in keys as in values. */
function isText(word: string): boolean {
  // Number() knows all that YAML takes for a number, and 01E5…, which an id may be.
  return !reserved.has(word.toLowerCase()) && Number.isNaN(Number(word)) && !/^[0-9:.+-]+$/.test(word);
}

// Characters that JSON lets stand but YAML or a terminal does not.
function escaped(json: string): string {
  return json.replace(
    /[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g,
    char => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** Returns the key and value of a line; the value is undefined where a container follows. */
function decodeLine(line: string): readonly [string, Json | undefined] | undefined {
  let key: string;
  let rest: string;
  if (line.startsWith('"')) {
    const quoted = /^"(?:[^"\\]|\\.)*"(?=:)/.exec(line)?.[0] ?? '';
    const parsed = parseJson(quoted);
    if (typeof parsed !== 'string') return undefined;
    key = parsed;
    rest = line.slice(quoted.length + 1);
  } else {
    const colon = line.indexOf(':');
    key = line.slice(0, colon);
    if (colon < 1 || !isPlainKey(key)) return undefined;
    rest = line.slice(colon + 1);
  }

  if (rest === '') return [key, undefined];
  if (!rest.startsWith(' ')) return undefined;
  const value = decodeValue(rest.slice(1));
  return value === undefined ? undefined : [key, value];
}

function decodeValue(text: string): Json | undefined {
  return isPlain(text) ? text : parseJson(text);
}

function parseJson(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}
