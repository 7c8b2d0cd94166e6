// Evidence follows the code: a commit that a rebase, a cherry-pick, `git am` or a squash merge made of what rounds had
// made gets their lines too, each saying how that was told. First a plan, then its application.
import {hadTree} from '../git/graph.ts';
import type {Repository} from '../git/repository.ts';
import type {GoalStore} from '../store/goal-store.ts';
import type {World} from '../world.ts';
import {addLines} from './attach.ts';
import {gatherClues} from './clues.ts';
import {type Copy, findCopies, type Unclear} from './match.ts';
import {copyNote, formatNote} from './note.ts';
import {type RecordedRound, readRecorded} from './recorded.ts';
import {readSpool} from './spool.ts';

export type ReattachPlan = {
  readonly copies: readonly Copy[];
  readonly unclear: readonly Unclear[];
  /** How many commits were looked at. */
  readonly commits: number;
};

/** An equal tree alone is proven by a walk through the history; beyond so many it stays unclear. */
const provenMax = 50;

/**
 * Finds the commits that are copies of what finished rounds made and don't say so yet. Changes nothing.
 *
 * @param options.only - The commits to look at: all that branches, remotes' branches and HEAD reach, unless said.
 * @param options.rounds - Where the caller has read them already.
 */
export async function planReattach(
  store: GoalStore,
  {git, commonDir}: Repository,
  options: {readonly only?: ReadonlySet<string>; readonly rounds?: readonly RecordedRound[]} = {},
): Promise<ReattachPlan> {
  const rounds = options.rounds ?? (await readRecorded(store));
  if (rounds.length === 0) return {copies: [], unclear: [], commits: 0};
  const pairs = (await readSpool(commonDir)).flatMap(({rewritten}) => rewritten ?? []);
  const clues = await gatherClues(git, rounds, {...(options.only && {only: options.only}), pairs});
  const {copies, unclear} = findCopies(clues);
  const doubtful = copies.filter(({isTreeOnly}) => isTreeOnly);
  const proven = new Set<Copy>();
  for (const copy of doubtful.slice(0, provenMax)) {
    // A history that comes back to an older tree has taken something back.
    if ((await hadTree(git, copy.commit, clues.lineage.get(copy.commit)!.tree)) === false) proven.add(copy);
  }

  return {
    copies: copies.filter(copy => !copy.isTreeOnly || proven.has(copy)),
    unclear,
    commits: clues.candidates.length,
  };
}

/**
 * Adds the lines of a plan.
 *
 * @returns How many lines were added.
 * @throws {Failure} `ref-moved`, `git-locked` or `git-failed` where they can't be written; planning again finds the rest.
 */
export async function applyReattach(repository: Repository, world: World, {copies}: ReattachPlan): Promise<number> {
  const lines = new Map<string, string[]>();
  for (const {commit, round, via, from} of copies) {
    const line = formatNote(copyNote(round.note, {via, from}));
    lines.set(commit, [...(lines.get(commit) ?? []), line]);
  }

  return addLines(repository, world, lines);
}
