// The log of a goal: its events, newest first, chosen by what somebody wants to know.
import type {AnyEvent} from '../lib/model/event.ts';
import {compareEvents} from '../lib/model/event.ts';
import type {GoalStore, StoredCommit} from '../lib/store/goal-store.ts';

export type LogEntry = {readonly event: AnyEvent; readonly commit: StoredCommit};

export type LogFilter = {
  readonly rounds: boolean;
  /** A todo's id. */
  readonly todo: string | undefined;
  /** Milliseconds since the Unix epoch. */
  readonly sinceMs: number | undefined;
};

export type Log = {
  readonly entries: readonly LogEntry[];
  /** How many commits hold what this version can't read. */
  readonly unreadable: number;
};

/** Returns the events of a goal that pass the filter, newest first, each once. */
export async function readLog(store: GoalStore, tip: string, filter: LogFilter): Promise<Log> {
  const commits = await store.commits([tip], []);
  const byId = new Map<string, LogEntry>();
  for (const commit of commits) for (const event of commit.events) byId.set(event.id, {event, commit});
  const all = [...byId.values()].sort((a, b) => compareEvents(b.event, a.event));
  const ended = new Set(all.flatMap(({event}) => (event.event === 'round.finished' ? [event.round] : [])));
  const entries = all.filter(
    ({event}) =>
      (!filter.rounds || isRound(event, ended)) &&
      (filter.todo === undefined || isAbout(event, filter.todo)) &&
      (filter.sinceMs === undefined || Date.parse(event.at) >= filter.sinceMs),
  );
  return {entries, unreadable: commits.filter(({problem}) => problem !== undefined).length};
}

// A round is told once: by its end, or by its beginning as long as it has none.
function isRound(event: AnyEvent, ended: ReadonlySet<unknown>): boolean {
  return event.event === 'round.finished' || (event.event === 'round.begun' && !ended.has(event.round));
}

function isAbout(event: AnyEvent, todo: string): boolean {
  return event.todo === todo || (Array.isArray(event.blocks) && event.blocks.includes(`todo:${todo}`));
}
