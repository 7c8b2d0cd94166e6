// The end of every command: one JSON document, or a few lines for people.
import {plainText} from '../lib/model/plain-text.ts';
import type {Session} from './session.ts';

export type Document = {readonly schema: string} & Readonly<Record<string, unknown>>;

/** Prints a command's result. The text is made only where it is wanted. */
export function printResult(session: Session, document: Document, text: () => readonly string[] | string): void {
  if (session.json) {
    session.print(jsonLine(document));
    return;
  }

  const lines = text();
  session.print(
    typeof lines === 'string' ? lines : lines.map(line => (session.stdout.color ? line : plainText(line))).join('\n'),
  );
}

/** Returns JSON that a terminal can show: what could move its cursor or turn its writing direction is escaped. */
export function jsonLine(document: object): string {
  return JSON.stringify(document).replace(
    /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g,
    char => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
