// How loopx looks in a terminal: results on stdout, talk on stderr, colour only where somebody sees it, and no text of
// anybody else's with the power to move the cursor.

import {graphemesOf, plainText} from '../lib/model/plain-text.ts';
import {textWidth} from './width.ts';

export type Output = {
  readonly write: (text: string) => void;
  readonly isTerminal: boolean;
  readonly columns: number;
  /** Whether escape codes for colour may be written. */
  readonly color: boolean;
};

export type Style = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan';

const codes: Readonly<Record<Style, readonly [number, number]>> = {
  bold: [1, 22],
  dim: [2, 22],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  cyan: [36, 39],
};

/** Returns `text` in a style, where the output shows colours. */
export function styled(output: Output, style: Style, text: string): string {
  if (!output.color || text === '') return text;
  const [on, off] = codes[style];
  return `\u001b[${on}m${text}\u001b[${off}m`;
}

/** Returns somebody else's text as one harmless line: no control characters, no turning of the writing direction. */
export function oneLine(text: string): string {
  return plainText(text).replace(/\s+/gu, ' ').trim();
}

/** Returns `text` cut to so many columns, with an ellipsis where something is missing; wide characters count twice. */
export function cutTo(text: string, columns: number): string {
  const line = oneLine(text);
  if (textWidth(line) <= columns) return line;
  let out = '';
  let width = 0;
  for (const segment of graphemesOf(line)) {
    const next = textWidth(segment);
    if (width + next > columns - 1) break;
    out += segment;
    width += next;
  }

  return `${out.trimEnd()}…`;
}

/** Returns `text` padded with spaces to so many columns. */
export function pad(text: string, columns: number): string {
  return text + ' '.repeat(Math.max(0, columns - textWidth(text)));
}

/** Returns rows as aligned columns; the last one takes what is left of the line. */
export function table(rows: readonly (readonly string[])[], columns: number): string {
  const widths = rows[0]?.map((_, index) => Math.max(...rows.map(row => textWidth(row[index] ?? '')))) ?? [];
  return rows
    .map(row => {
      const head = row
        .slice(0, -1)
        .map((cell, index) => pad(cell, widths[index]!))
        .join('  ');
      const left = columns - textWidth(head) - 2;
      return row.length === 1 ? cutTo(row[0]!, columns) : `${head}  ${cutTo(row.at(-1)!, Math.max(left, 12))}`;
    })
    .map(line => line.trimEnd())
    .join('\n');
}

/** Returns a length of time for people: `41 s`, `3 min 12 s`, `2 h 5 min`, `3 d 4 h`. */
export function duration(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds));
  const parts: readonly (readonly [number, string])[] = [
    [Math.floor(whole / 86_400), 'd'],
    [Math.floor(whole / 3600) % 24, 'h'],
    [Math.floor(whole / 60) % 60, 'min'],
    [whole % 60, 's'],
  ];
  const first = parts.findIndex(([count]) => count > 0);
  if (first < 0) return '0 s';
  return parts
    .slice(first, first + 2)
    .filter(([count]) => count > 0)
    .map(([count, unit]) => `${count} ${unit}`)
    .join(' ');
}

/** Returns how long ago, or in how long, a time is. */
export function when(at: string, nowMs: number): string {
  const seconds = (nowMs - Date.parse(at)) / 1000;
  if (Math.abs(seconds) < 2) return 'now';
  return seconds > 0 ? `${duration(seconds)} ago` : `in ${duration(-seconds)}`;
}

/** Returns a count with thousands told apart: `41 k`, `1.2 M`. */
export function amount(count: number): string {
  if (count < 10_000) return String(count);
  if (count < 1_000_000) return `${Math.round(count / 1000)} k`;
  return `${(count / 1_000_000).toFixed(1)} M`;
}

/** Returns millionths of a US dollar as money. */
export function money(microUsd: number): string {
  return `$${(microUsd / 1_000_000).toFixed(microUsd > 0 && microUsd < 10_000 ? 4 : 2)}`;
}

export function bytes(count: number): string {
  if (count < 1000) return `${count} B`;
  if (count < 1_000_000) return `${Math.round(count / 1000)} KB`;
  return `${(count / 1_000_000).toFixed(1)} MB`;
}

export function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
