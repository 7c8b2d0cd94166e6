// Texts in the state were written by other people and by agents. Before one of them reaches a prompt or a sentence of
// ours, whatever could act on a reader's screen, or hide from the reader's eye, is taken out; its words stay.
import {stripVTControlCharacters} from 'node:util';

const graphemes = new Intl.Segmenter('en', {granularity: 'grapheme'});

/**
 * Returns a text as well-formed Unicode whose lines end in `\n`, without control characters, without characters that
 * turn the direction of others around, and without the invisible tag characters in which one can hide a message.
 */
export function plainText(text: string): string {
  return stripVTControlCharacters(text.toWellFormed())
    .replace(/\r\n|[\r\v\f\x85\u2028\u2029]/g, '\n')
    .replace(/[\0-\x08\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ufeff]|[\u{e0000}-\u{e007f}]/gu, '');
}

/** Returns a plain text on one line, of at most `graphemesMax` graphemes; where it was cut it ends in "…". */
export function plainLine(text: string, graphemesMax: number): string {
  const line = plainText(text).replace(/\s+/gu, ' ').trim();
  return line.length <= graphemesMax ? line : cut(line, graphemesMax);
}

/** Walks the graphemes of a text from its start, lazily. */
export function* graphemesOf(text: string): Generator<string> {
  for (const {segment} of graphemes.segment(text)) yield segment;
}

// One grapheme may carry thousands of marks; a line has room for graphemes of sixteen UTF-16 units on average.
function cut(line: string, graphemesMax: number): string {
  const unitsMax = graphemesMax * 16;
  let length = 0;
  let count = 0;
  let lengthBeforeLast = 0;
  for (const grapheme of graphemesOf(line)) {
    if (count === graphemesMax || length + grapheme.length > unitsMax) {
      return `${line.slice(0, count === graphemesMax ? lengthBeforeLast : length).trimEnd()}…`;
    }

    lengthBeforeLast = length;
    length += grapheme.length;
    count += 1;
  }

  return line;
}
