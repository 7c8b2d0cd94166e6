// One line of an agent's stream as JSON, and careful ways into a value of unknown shape: agents change their streams
// from one release to the next, and a field that moved must become "not there", never an exception.

/** A longer line is never parsed: no agent's own event needs it, and a runaway tool can print gigabytes. */
export const lineBytesMax = 1024 * 1024;

const rawCharsMax = 4096;

export type JsonObject = {readonly [key: string]: unknown};

/** Returns the object that the line is, or undefined where it is anything else. */
export function parseObject(line: string): JsonObject | undefined {
  const text = line.trim();
  if (text.length > lineBytesMax || !text.startsWith('{')) return undefined;
  try {
    return asObject(JSON.parse(text));
  } catch {
    return undefined;
  }
}

/** Returns the line for a `raw` event, cut with a note of its size where it is long. */
export function rawLine(line: string, sizeBytes = line.length): string {
  const text = wellFormed(line.slice(0, rawCharsMax));
  return line.length > rawCharsMax ? `${text}… (${sizeBytes} bytes)` : text;
}

/** Replaces lone surrogates, which JSON can smuggle in and no file or commit can hold. */
export function wellFormed(text: string): string {
  return text.replace(/\p{Surrogate}/gu, '\ufffd');
}

export function asObject(value: unknown): JsonObject | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : undefined;
}

export function objectAt(value: JsonObject | undefined, key: string): JsonObject | undefined {
  return asObject(value?.[key]);
}

export function textAt(value: JsonObject | undefined, key: string): string | undefined {
  const text = value?.[key];
  return typeof text === 'string' ? wellFormed(text) : undefined;
}

/** Returns a finite number of zero or more; agents report no others. */
export function numberAt(value: JsonObject | undefined, key: string): number | undefined {
  const number = value?.[key];
  return typeof number === 'number' && Number.isFinite(number) && number >= 0 ? number : undefined;
}

export function objectsAt(value: JsonObject | undefined, key: string): readonly JsonObject[] {
  const list = value?.[key];
  return Array.isArray(list) ? list.map(asObject).filter(item => item !== undefined) : [];
}

/** Returns the object without its undefined fields, so that a merge never erases what was known. */
export function defined<T extends object>(value: T): {[K in keyof T]?: Exclude<T[K], undefined>} {
  return Object.fromEntries(Object.entries(value).filter(([, field]) => field !== undefined)) as never;
}
