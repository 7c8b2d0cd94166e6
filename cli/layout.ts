// Lays texts of any script out for a terminal of any width.

import {graphemesOf, plainText} from '../lib/model/plain-text.ts';
import {pad} from './print.ts';
import {textWidth} from './width.ts';

/**
 * Returns `text` in lines of so many columns. Words stay whole where they fit; texts without spaces, such as Chinese,
 * break between characters, but no line begins with closing punctuation.
 *
 * @param indent - What stands before each line, inside the columns.
 */
export function wrap(text: string, columns: number, indent = ''): readonly string[] {
  const width = Math.max(columns - textWidth(indent), 8);
  return plainText(text)
    .split('\n')
    .flatMap(line => wrapLine(line, width))
    .map(line => (line === '' ? '' : indent + line));
}

function wrapLine(line: string, width: number): readonly string[] {
  const lines: string[] = [];
  let current = '';
  for (const piece of pieces(line, width)) {
    if (current !== '' && textWidth(current + piece.trimEnd()) > width) {
      lines.push(current.trimEnd());
      current = '';
    }

    current += current === '' ? piece.trimStart() : piece;
  }

  return [...lines, current.trimEnd()];
}

// What may not be broken: words with the space after them, and wide characters with the punctuation that closes them.
const unbroken =
  /(?:[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}][、。，．：；！？）」』】》”’…]*|[^\s\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]+)\s*|\s+/gu;

function pieces(line: string, width: number): readonly string[] {
  return (line.match(unbroken) ?? []).flatMap(piece =>
    textWidth(piece.trimEnd()) <= width ? [piece] : [...graphemesOf(piece)],
  );
}

/** What is told of a record: a label and a text; one without a text is left out. */
export type Field = readonly [label: string, text: string | undefined];

/** Returns labelled texts, each wrapped beside its label. */
export function fieldLines(fields: readonly Field[], columns: number): readonly string[] {
  const told = fields.filter((field): field is [string, string] => field[1] !== undefined && field[1].trim() !== '');
  const width = Math.max(0, ...told.map(([label]) => textWidth(label)));
  return told.flatMap(([label, text]) =>
    wrap(text.trim(), columns, ' '.repeat(width + 4)).map((line, index) =>
      index === 0 ? `  ${pad(label, width)}  ${line.trimStart()}` : line,
    ),
  );
}
