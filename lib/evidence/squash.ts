// Squash merges: one commit that makes the change of many. Where those many are still here, the change between a branch
// and the place where it left the trunk is compared. Where they are gone, or never came here, what the rounds recorded
// about themselves has to do: the patch-ids of the whole, or the tree at the end together with the commit it began from.
import type {GraphCommit} from '../git/graph.ts';
import {branchOf, type Lineage} from './lineage.ts';
import {parseNote} from './note.ts';
import {type RecordedRound, roundKey} from './recorded.ts';

/** What a squash may be made of. */
export type Range = {
  readonly tip: string;
  /** The rounds in it, each with its last commit there. */
  readonly rounds: ReadonlyMap<string, string>;
};

export type OpenRange = Range & {
  /** Where the branch left the trunk. */
  readonly base: string;
};

/** The newest so many commits of branches are tried as ends of what was squashed. */
const tipsMax = 500;
/** So many of the latest ends of rounds are tried as beginnings: what lies before may have been squashed already. */
const basesMax = 8;

/** Returns the rounds that a commit carries: those that made it, and those that its note names. */
function roundsOn(commit: GraphCommit, made: ReadonlyMap<string, readonly RecordedRound[]>): ReadonlySet<string> {
  const noted = commit.lines.flatMap(line => parseNote(line) ?? []).map(roundKey);
  return new Set([...(made.get(commit.commit) ?? []).map(({key}) => key), ...noted]);
}

/**
 * Returns the ranges of the branches with commits of rounds which `trunk`, a reach, doesn't have. They begin where the
 * branch left the trunk, or where an earlier round ended, and end anywhere: those without a round are among them, since
 * what a person did alone is none of a round's, even where the rounds after it add up to nothing. Also returns the
 * commits that were not read and may be in the trunk.
 */
export function openRanges(
  lineage: Lineage,
  trunk: ReadonlySet<string>,
  made: ReadonlyMap<string, readonly RecordedRound[]>,
): {readonly ranges: readonly OpenRange[]; readonly edges: ReadonlySet<string>} {
  // A commit without a change of its own, such as a merge, is not what anybody squashed.
  const changes = ({parents: [parent, ...others], tree}: GraphCommit) =>
    others.length === 0 && (parent === undefined || lineage.get(parent)?.tree !== tree);
  const carried = new Map(
    lineage.commits.flatMap(commit => {
      const keys = changes(commit) ? roundsOn(commit, made) : new Set<string>();
      return keys.size > 0 ? [[commit.commit, keys] as const] : [];
    }),
  );
  const branches = lineage.reach([...carried.keys()].filter(commit => !trunk.has(commit)));
  const edges = new Set<string>();
  const tips = lineage.commits.filter(
    commit => branches.has(commit.commit) && !trunk.has(commit.commit) && changes(commit),
  );
  const ranges = tips.slice(0, tipsMax).flatMap(({commit: tip}): readonly OpenRange[] => {
    const branch = branchOf(lineage, tip, trunk);
    for (const edge of branch.edges) edges.add(edge);
    if (branch.base === undefined) return [];
    const ends = [...lastCommits(branch.commits, carried).values()].filter(end => end !== tip);
    const bases = [branch.base, ...new Set(ends)].slice(0, basesMax);
    return bases.map(base => {
      const below = base === branch.base ? new Set<string>() : lineage.reach([base]);
      const rounds = lastCommits(
        branch.commits.filter(({commit}) => !below.has(commit)),
        carried,
      );
      return {base, tip, rounds};
    });
  });
  return {ranges, edges};
}

function lastCommits(
  branch: readonly GraphCommit[],
  carried: ReadonlyMap<string, ReadonlySet<string>>,
): ReadonlyMap<string, string> {
  const last = new Map<string, string>();
  for (const {commit} of branch) {
    for (const key of carried.get(commit) ?? []) if (!last.has(key)) last.set(key, commit);
  }

  return last;
}

/** Returns what a commit squashes, going by what rounds recorded: its patch-id, or its tree and its parent. */
export function recordedRanges(
  rounds: readonly RecordedRound[],
): (candidate: GraphCommit, patch: string) => readonly Range[] {
  const ends = rounds.map(round => ({round, last: round.commits.at(-1)!}));
  const byPatch = groupBy(
    ends.flatMap(end => (end.last.ranges ?? []).map(range => ({...end, range}))),
    ({range}) => range.patch,
  );
  const byTree = groupBy(ends, ({last}) => last.tree);
  const byLast = groupBy(rounds, lastOf);
  return ({tree, parents: [parent]}, patch) => {
    const patches = (byPatch.get(patch) ?? []).map(({round, range}) => backTo(round, range.base, byLast));
    const trees = (byTree.get(tree) ?? []).map(({round}) => backTo(round, parent, byLast));
    return [...patches, ...trees.filter(({isWhole}) => isWhole)].map(({range}) => range);
  };
}

/** Goes back from round to round, each begun where the one before ended, as far as `base` or as they lead. */
function backTo(
  round: RecordedRound,
  base: string | undefined,
  byLast: ReadonlyMap<string, readonly RecordedRound[]>,
): {readonly range: Range; readonly isWhole: boolean} {
  const rounds = new Map<string, string>();
  const chain = new Set([round]);
  let isWhole = false;
  for (const each of chain) {
    rounds.set(each.key, lastOf(each));
    if (base !== undefined && each.head === base) isWhole = true;
    else for (const earlier of byLast.get(each.head ?? '') ?? []) chain.add(earlier);
  }

  return {range: {tip: lastOf(round), rounds}, isWhole};
}

function lastOf({commits}: RecordedRound): string {
  return commits.at(-1)!.commit;
}

/** Returns the items by a key of theirs. */
export function groupBy<T>(items: readonly T[], keyOf: (item: T) => string): ReadonlyMap<string, readonly T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group) group.push(item);
    else groups.set(key, [item]);
  }

  return groups;
}
