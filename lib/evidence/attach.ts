// Ties finished rounds to their commits. A note is written after the event of its round, and only ever made from it, so
// whoever finds one missing (after a crash, or a rewrite by somebody who lost it) makes it again.
import {join} from 'node:path';
import {readIdentity} from '../git/identity.ts';
import {appendNoteLines, readNotes} from '../git/notes.ts';
import type {Repository} from '../git/repository.ts';
import {type GoalStore, loopxSignature} from '../store/goal-store.ts';
import {withLock} from '../store/lock.ts';
import {markChanged} from '../store/unsent.ts';
import type {World} from '../world.ts';
import {formatNote, parseNote, withoutKey} from './note.ts';
import {type RecordedRound, recordedRounds} from './recorded.ts';

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
  const rounds = recordedRounds(
    goal,
    commits.flatMap(commit => commit.events),
  );
  const lines = linesOf(rounds);
  const present = await readNotes(repository.git, [...lines.keys()]);
  const missing = [...lines].flatMap(([commit, wanted]) => {
    const has = present.get(commit)?.map(plainLine) ?? [];
    const lacks = wanted.filter(line => !has.includes(line));
    return lacks.length === 0 ? [] : [[commit, lacks] as const];
  });
  return addLines(repository, world, new Map(missing));
}

/**
 * Adds lines to the notes of commits, in turn with other writers of this machine.
 *
 * @returns How many lines were added.
 * @throws {Failure} `ref-moved`, `git-locked` or `git-failed` where they can't be written.
 */
export async function addLines(
  {git, gitDir, commonDir}: Repository,
  world: World,
  lines: ReadonlyMap<string, readonly string[]>,
): Promise<number> {
  if (lines.size === 0) return 0;
  const person = (await readIdentity(git, world.env)) ?? loopxSignature;
  const identity = {...person, seconds: Math.floor(world.now() / 1000)};
  const added = await withLock(join(commonDir, 'loopx', 'locks', 'notes'), world, () =>
    appendNoteLines({git, gitDir, world, identity}, lines),
  );
  // Notes travel like goals do.
  if (added > 0) await markChanged(commonDir, `notes-${world.now()}-${world.pid}`);
  return added;
}

/** Returns the lines that belong on each commit, going by the events. */
function linesOf(rounds: readonly RecordedRound[]): ReadonlyMap<string, readonly string[]> {
  const lines = new Map<string, string[]>();
  for (const {note, commits} of rounds) {
    for (const {commit} of commits) lines.set(commit, [...(lines.get(commit) ?? []), formatNote(note)]);
  }

  return lines;
}

// A line that says how it got there is the round's line all the same.
function plainLine(line: string): string {
  const note = parseNote(line);
  return note?.via ? formatNote(withoutKey(note)) : line;
}
