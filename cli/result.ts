// The end of every command: one JSON document, or a few lines for people.
import {plain} from './print.ts';
import type {Session} from './session.ts';

export type Document = {readonly schema: string} & Readonly<Record<string, unknown>>;

/** Prints a command's result. The text is made only where it is wanted. */
export function printResult(session: Session, document: Document, text: () => readonly string[] | string): void {
  if (session.json) {
    session.print(JSON.stringify(document));
    return;
  }

  const lines = text();
  session.print(
    typeof lines === 'string' ? lines : lines.map(line => (session.stdout.color ? line : plain(line))).join('\n'),
  );
}
