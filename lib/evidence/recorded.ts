// The finished rounds as the events tell them: what evidence is made from.
import {type AnyEvent, compareEvents} from '../model/event.ts';
import type {Round, RoundCommit} from '../model/round.ts';
import type {GoalStore} from '../store/goal-store.ts';
import {type Note, noteOf} from './note.ts';

export type RecordedRound = {
  /** Names the round among those of all goals. */
  readonly key: string;
  readonly goal: string;
  readonly round: string;
  /** What it says on its commits. */
  readonly note: Note;
  /** When it began, in seconds since the Unix epoch. */
  readonly startedAt: number;
  /** HEAD when it began. */
  readonly head?: string;
  readonly commits: readonly RoundCommit[];
};

/** Returns the finished rounds among a goal's events, in the order in which they ended. */
export function recordedRounds(goal: string, events: readonly AnyEvent[]): readonly RecordedRound[] {
  const heads = new Map<unknown, unknown>(
    events.flatMap(event => (event.event === 'round.begun' && event.head ? [[event.round, event.head]] : [])),
  );
  const rounds = new Map<string, RecordedRound>();
  for (const event of events.filter(({event}) => event === 'round.finished').sort(compareEvents)) {
    // The store has checked its events against their fields.
    const finished = event as unknown as Round;
    const {round, commits, startedAt} = finished;
    const head = heads.get(round);
    // The first end of a round counts, as in the fold.
    if (rounds.has(round)) continue;
    rounds.set(round, {
      ...{key: roundKey({goal, round}), goal, round, note: noteOf(goal, finished)},
      startedAt: Math.floor(Date.parse(startedAt) / 1000),
      ...(typeof head === 'string' && {head}),
      commits,
    });
  }

  return [...rounds.values()];
}

/** Returns the finished rounds of all goals that made commits. */
export async function readRecorded(store: GoalStore): Promise<readonly RecordedRound[]> {
  const rounds: RecordedRound[] = [];
  for (const [goal, tip] of await store.tips()) {
    const commits = await store.commits([tip], []);
    rounds.push(
      ...recordedRounds(
        goal,
        commits.flatMap(({events}) => events),
      ),
    );
  }

  return rounds.filter(({commits}) => commits.length > 0);
}

/** Returns, for each commit that rounds made, those rounds. */
export function makersOf(rounds: readonly RecordedRound[]): ReadonlyMap<string, readonly RecordedRound[]> {
  const makers = new Map<string, RecordedRound[]>();
  for (const round of rounds) {
    for (const {commit} of round.commits) makers.set(commit, [...(makers.get(commit) ?? []), round]);
  }

  return makers;
}

/** Returns the name of a round among those of all goals. */
export function roundKey({goal, round}: {readonly goal: string; readonly round: string}): string {
  return `${goal} ${round}`;
}
