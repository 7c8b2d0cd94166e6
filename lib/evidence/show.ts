// The rounds behind a commit: those that made it, and those of whose work it is a copy. A note only says where to look:
// what counts is that the round's event names the commit, or that the commit is found to be a copy.
import {readNotes} from '../git/notes.ts';
import type {Repository} from '../git/repository.ts';
import type {GoalStore} from '../store/goal-store.ts';
import type {World} from '../world.ts';
import {attachNotes} from './attach.ts';
import type {Unclear} from './match.ts';
import {type CopyKey, type Note, parseNote} from './note.ts';
import {applyReattach, planReattach} from './reattach.ts';
import {makersOf, readRecorded, roundKey} from './recorded.ts';

export type ShownRound = Omit<Note, 'via'> & {
  /**
   * How it is known: the round made this commit; it is a copy, by one of the keys; git carried a note along; or nothing
   * but a note says so, of a round that isn't here.
   */
  readonly via: 'commit' | CopyKey | 'carried' | 'note';
};

/**
 * Returns the rounds behind a commit, after adding what its note lacks.
 *
 * @throws {Failure} `ref-moved`, `git-locked` or `git-failed` where the note can't be written.
 */
export async function roundsBehind(
  store: GoalStore,
  repository: Repository,
  world: World,
  commit: string,
): Promise<{readonly rounds: readonly ShownRound[]; readonly unclear: readonly Unclear[]}> {
  // A note that was lost is made again from its event.
  for (const goal of (await store.tips()).keys()) await attachNotes(store, repository, world, goal, 'all');
  const recorded = await readRecorded(store);
  const plan = await planReattach(store, repository, {only: new Set([commit]), rounds: recorded});
  await applyReattach(repository, world, plan);

  const made = new Set(
    makersOf(recorded)
      .get(commit)
      ?.map(({key}) => key),
  );
  const known = new Set(recorded.map(({key}) => key));
  const lines = (await readNotes(repository.git, [commit])).get(commit) ?? [];
  const rounds = new Map<string, ShownRound>();
  for (const note of lines.flatMap(line => parseNote(line) ?? [])) {
    const key = roundKey(note);
    const via = made.has(key) ? 'commit' : known.has(key) ? (note.via ?? 'carried') : 'note';
    // Two machines may have told it by different keys.
    if (!rounds.has(key)) rounds.set(key, {...note, via});
  }

  return {rounds: [...rounds.values()], unclear: plan.unclear};
}
