// The log for people: a line an event, and below it what it changed where that is wanted.

import type {AnyEvent} from '../lib/model/event.ts';
import {kindOf} from '../lib/model/fold.ts';
import {isAgentName} from '../lib/model/ids.ts';
import type {LogEntry} from './log-entries.ts';
import type {CommitPatch} from './log-patch.ts';
import {cutTo, type Output, oneLine, pad, styled} from './print.ts';
import type {Session} from './session.ts';
import {type Shorten, shortIds} from './short-ids.ts';
import {textWidth} from './width.ts';

/** Returns a line an event, with the time of day in UTC, as in the records; each day is told once. */
export function entryLines(
  entries: readonly LogEntry[],
  {patches, shorten, output}: {patches: ReadonlyMap<string, CommitPatch> | undefined; shorten: Shorten; output: Output},
): readonly string[] {
  const {columns} = output;
  const widest = Math.max(...entries.map(({event}) => whoWidth(event.by)));
  const who = Math.min(widest, columns < 70 ? 10 : 24);
  return entries.flatMap(({event, commit}, index) => {
    const before = entries[index - 1];
    const after = entries[index + 1];
    const day = event.at.slice(0, 10);
    const head = `${event.at.slice(11, 16)}  ${pad(cutTo(shortName(event.by), who), who)}  `;
    const what = cutTo(shorten(subjectBeside(event)), Math.max(columns - who - 9, 12));
    // Events of one commit share what they changed.
    const patch = after?.commit === commit ? undefined : patches?.get(commit.commit)?.patch;
    return [
      ...(before?.event.at.slice(0, 10) === day ? [] : [styled(output, 'bold', `${day} UTC`)]),
      styled(output, 'dim', head) + what,
      ...(patch ? patchLines(patch, output) : []),
    ];
  });
}

// A subject stands alone in `git log`; here who acted stands beside it, and need not be said twice.
function subjectBeside(event: AnyEvent): string {
  const name = event.by.replaceAll('.', '\\.');
  const again = new RegExp(` (?:by|of|for) ${name}(?![\\w.-])`);
  const subject = kindOf(event).subject(event);
  return isAgentName(event.by) ? subject.replace(again, '') : subject;
}

/** Returns what shortens all ids of the goal's records in a text. */
export async function idShortener(session: Session, tip: string): Promise<Shorten> {
  const letters = ['t', 'g', 'd', 'c', 'a'] as const;
  const each = await Promise.all(letters.map(letter => shortIds(session, tip, letter)));
  return text => text.replace(/\b([tgdca])-[0-9a-z]{8}\b/g, (id, letter) => each[letters.indexOf(letter)]!(id));
}

function patchLines(patch: string, output: Output): readonly string[] {
  return patch
    .trimEnd()
    .split('\n')
    .map(line => {
      const shown = `  ${line.slice(0, 1)}${oneLineKept(line.slice(1))}`;
      if (line.startsWith('+')) return styled(output, 'green', shown);
      if (line.startsWith('-')) return styled(output, 'red', shown);
      return line.startsWith('@@') ? styled(output, 'cyan', shown) : shown;
    });
}

// As `oneLine`, with the indentation of the record.
function oneLineKept(line: string): string {
  return (/^ */.exec(line)?.[0] ?? '') + oneLine(line);
}

function shortName(by: string): string {
  return isAgentName(by) ? by : by.replace(/\s*<[^<>]*>$/, '');
}

function whoWidth(by: string): number {
  return textWidth(oneLine(shortName(by)));
}
