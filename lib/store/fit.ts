// An event fits into 64 KB, so that one verbose agent can't make a goal slow or impossible to push for everybody. A text
// that is too long is cut before it is written, with the hash and the length of the whole by which one can tell it.
import {createHash} from 'node:crypto';
import {Failure} from '../failure.ts';

const eventBytesMax = 64 * 1024;
/** A text is never cut to less than this. */
const keptBytesMin = 2048;
/** Room for the words that say what was cut. */
const noticeBytes = 120;
// A command that was cut would be another command.
const uncut = new Set(['run', 'watch']);

const graphemes = new Intl.Segmenter('en', {granularity: 'grapheme'});

type Place = {readonly holder: Record<string, unknown>; readonly key: string; readonly text: string};

/**
 * Returns the event with its longest texts cut until it fits; the same event where it does.
 *
 * @throws {Failure} `usage` where no cut of texts makes it fit.
 */
export function fitEvent<T extends object>(event: T): T {
  if (bytesOf(event) <= eventBytesMax) return event;
  const fitted = structuredClone(event);
  for (let over = bytesOf(fitted) - eventBytesMax; over > 0; over = bytesOf(fitted) - eventBytesMax) {
    const longest = textsIn(fitted as Record<string, unknown>).reduce<Place | undefined>(
      (found, place) => (found && found.text.length >= place.text.length ? found : place),
      undefined,
    );
    // Escapes make a text longer in JSON than it is, so that it may take several cuts.
    const sizeBytes = longest ? Buffer.byteLength(longest.text) : 0;
    if (!longest || sizeBytes <= keptBytesMin + noticeBytes) throw tooLarge(bytesOf(event));
    longest.holder[longest.key] = cut(longest.text, Math.max(keptBytesMin, sizeBytes - over - noticeBytes));
  }

  return fitted;
}

function textsIn(holder: Record<string, unknown>): readonly Place[] {
  return Object.entries(holder).flatMap(([key, value]): readonly Place[] => {
    if (typeof value === 'string') return uncut.has(key) ? [] : [{holder, key, text: value}];
    return typeof value === 'object' && value !== null ? textsIn(value as Record<string, unknown>) : [];
  });
}

function cut(text: string, bytesMax: number): string {
  const bytes = Buffer.from(text);
  // A character that the limit splits decodes to one stand-in, so that this is never past the character's beginning.
  const end = bytes.subarray(0, bytesMax).toString().length;
  const kept = text.slice(0, graphemes.segment(text).containing(end - 1)?.index ?? 0);
  return `${kept}… [cut; ${bytes.length} bytes, sha256 ${createHash('sha256').update(bytes).digest('hex')}]`;
}

function bytesOf(event: object): number {
  return Buffer.byteLength(JSON.stringify(event));
}

function tooLarge(sizeBytes: number): Failure {
  return new Failure('usage', `An event of ${Math.ceil(sizeBytes / 1024)} KB is too large; at most 64 KB fit.`, {
    hint: 'Put the long text into a file of the repository and name the file.',
  });
}
