// Ties finished rounds to their commits. A note is written after the event of its round, and only ever made from it, so
// whoever finds one missing (after a crash, or a rewrite by somebody who lost it) makes it again.
import {join} from 'node:path';
import {readIdentity} from '../git/identity.ts';
import {appendNoteLines, readNotes} from '../git/notes.ts';
import type {Repository} from '../git/repository.ts';
import {type AnyEvent, compareEvents} from '../model/event.ts';
import type {Round} from '../model/round.ts';
import {type GoalStore, loopxSignature} from '../store/goal-store.ts';
import {withLock} from '../store/lock.ts';
import type {World} from '../world.ts';
import {formatNote, noteOf} from './note.ts';

/** How far back a look goes that happens after each round. */
const recentCommits = 300;

/**
 * Adds the lines that are missing on the commits of a goal's finished rounds. Commits that aren't here are passed over.
 *
 * @param depth - Whether to look at the goal's last few hundred commits, or at its whole history.
 * @returns How many lines were added.
 * @throws {Failure} `ref-moved`, `git-locked` or `git-failed` where they can't be written; the events are safe.
 */
export async function attachNotes(
  store: GoalStore,
  repository: Repository,
  world: World,
  goal: string,
  depth: 'recent' | 'all' = 'recent',
): Promise<number> {
  const tip = await store.tip(goal);
  if (tip === undefined) return 0;
  const commits = await store.commits([tip], [], depth === 'recent' ? recentCommits : undefined);
  const lines = linesOf(
    goal,
    commits.flatMap(commit => commit.events),
  );
  const present = await readNotes(repository.git, [...lines.keys()]);
  const missing = [...lines].filter(([commit, wanted]) => !wanted.every(line => present.get(commit)?.includes(line)));
  if (missing.length === 0) return 0;
  const {git, gitDir, commonDir} = repository;
  const person = (await readIdentity(git, world.env)) ?? loopxSignature;
  const identity = {...person, seconds: Math.floor(world.now() / 1000)};
  return withLock(join(commonDir, 'loopx', 'locks', 'notes'), world, () =>
    appendNoteLines({git, gitDir, world, identity}, new Map(missing)),
  );
}

/** Returns the lines that belong on each commit, going by the events. */
function linesOf(goal: string, events: readonly AnyEvent[]): ReadonlyMap<string, readonly string[]> {
  const ends = events.filter(event => event.event === 'round.finished').sort(compareEvents);
  const lines = new Map<string, string[]>();
  const seen = new Set<string>();
  for (const end of ends) {
    // The store has checked its events against their fields.
    const round = end as unknown as Round;
    // The first end of a round counts, as in the fold.
    if (seen.has(round.round)) continue;
    seen.add(round.round);
    const line = formatNote(noteOf(goal, round));
    for (const {commit} of round.commits) lines.set(commit, [...(lines.get(commit) ?? []), line]);
  }

  return lines;
}
