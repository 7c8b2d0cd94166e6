// A commit's message: for people the subject, for programs the body, which holds the events. A merge has no events and
// says the clock that it carries.
import {Failure, isFailure} from '../failure.ts';
import type {AnyEvent} from '../model/event.ts';
import {checkedEvent, subjectOf} from '../model/fold.ts';
import {plainLine} from '../model/plain-text.ts';
import {decodeEvents, encodeEvents} from './codec.ts';
import type {StoredCommit} from './goal-store.ts';

const subjectLengthMax = 100;

/** Returns the message of a commit of events. */
export function eventMessage(events: readonly AnyEvent[]): string {
  return `${plainLine(subjectOf(events), subjectLengthMax)}\n\n${encodeEvents(events)}`;
}

/** Returns the message of a merge. It is fixed, so that two machines that merge the same tips make the same commit. */
export function mergeMessage(goal: string, clock: number): string {
  return `merge two histories of ${goal}\n\nclock: ${clock}\n`;
}

export type Message = {
  readonly subject: string;
  readonly events: readonly AnyEvent[];
  readonly clock: number;
  readonly problem?: string;
  readonly isNewer?: boolean;
};

/** Reads a commit's message. What can't be read is told as a problem, never as an absence of events. */
export async function readMessage(message: string): Promise<Message> {
  const cut = message.indexOf('\n\n');
  const subject = (cut < 0 ? message : message.slice(0, cut)).trimEnd();
  const body = cut < 0 ? '' : message.slice(cut + 2);
  const merge = /^clock: (\d{1,15})\s*$/.exec(body);
  if (merge) return {subject, events: [], clock: Number(merge[1])};
  const raw = decodeEvents(body) ?? (await decodeYaml(body));
  if (!raw || raw.length === 0) return {subject, events: [], clock: 0, problem: 'its message holds no events'};
  const clock = Number((raw[0] as {clock?: unknown}).clock ?? 0) || 0;
  try {
    return {subject, events: raw.map(event => checkedEvent(event as {event: string})), clock};
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return {
      subject,
      events: [],
      clock,
      problem: error.message,
      ...(isFailure(error, 'state-newer') && {isNewer: true}),
    };
  }
}

/**
 * Refuses to go on from commits that can't be read.
 *
 * @throws {Failure} `state-newer` where a later version wrote one, `state-unreadable` otherwise.
 */
export function refuseUnreadable(commits: readonly StoredCommit[]): void {
  const bad = commits.find(commit => commit.problem !== undefined);
  if (!bad) return;
  throw bad.isNewer
    ? new Failure('state-newer', bad.problem!, {
        hint: 'Update loopx. Until then the goal can be read, but not changed.',
      })
    : new Failure('state-unreadable', `Commit ${bad.commit.slice(0, 12)} can't be gone on from: ${bad.problem}.`, {
        hint: 'Run `loopx fsck` to see what is wrong with it.',
      });
}

async function decodeYaml(body: string): Promise<object[] | undefined> {
  const {parse} = await import('yaml');
  try {
    const value: unknown = parse(body, {maxAliasCount: 0});
    if (!Array.isArray(value)) return undefined;
    return value.every(event => typeof event === 'object' && event !== null && !Array.isArray(event))
      ? value
      : undefined;
  } catch {
    return undefined;
  }
}
