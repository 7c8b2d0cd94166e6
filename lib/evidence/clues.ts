// Gathers what tells copies of rounds' commits: the graph since the first round, patch-ids of what may be a copy, and of
// the branches that may have been squashed. It only reads.
import type {Git} from '../git/command.ts';
import {cloneForm, forkPoint, type GraphCommit, readGraph} from '../git/graph.ts';
import {onlySpace, patchIds, rangePatchIds} from '../git/patch-ids.ts';
import {listTips} from '../git/unnoted.ts';
import {type Lineage, lineageOf} from './lineage.ts';
import type {Clues} from './match.ts';
import {makersOf, type RecordedRound} from './recorded.ts';
import {rewrittenFrom} from './rewritten.ts';
import {groupBy, type OpenRange, openRanges, recordedRanges} from './squash.ts';

/** So many branches, the newest, are tried as those that a squash went to. */
const trunksMax = 20;
/** So many times git is asked whether a branch left another one before the first round. */
const edgesMax = 40;
/** So many earlier copies, the newest, may be copied again. */
const copiesMax = 300;

export type ClueOptions = {
  /** The commits that may be copies; all that branches, remotes' branches and HEAD reach, unless said. */
  readonly only?: ReadonlySet<string>;
  /** Rewrites that git's hook has told. */
  readonly pairs: readonly {readonly from: string; readonly to: string}[];
};

/** Gathers what tells of which rounds commits are copies. */
export async function gatherClues(
  git: Git,
  rounds: readonly RecordedRound[],
  {only, pairs}: ClueOptions,
): Promise<Clues> {
  const originals = new Set(rounds.flatMap(({commits}) => commits.map(({commit}) => commit)));
  const [heads, {isShallow}] = await Promise.all([listTips(git), cloneForm(git)]);
  const tips = [...(only ?? []), ...heads];
  const since = Math.min(...rounds.map(({startedAt}) => startedAt));
  const lineage = lineageOf(await readGraph(git, [...tips, ...originals], {since}));
  const reached = lineage.reach(tips);
  const candidates = lineage.commits.filter(({commit}) => (only ? only.has(commit) : reached.has(commit))).reverse();
  // Where a shallow clone was cut off, a commit looks as if it had made everything.
  const isOneChange = ({parents}: GraphCommit) => parents.length === 1 || (parents.length === 0 && !isShallow);
  const looked = candidates.filter(candidate => isOneChange(candidate) && !originals.has(candidate.commit));
  const copies = lineage.commits.filter(
    commit => commit.lines.length > 0 && isOneChange(commit) && !originals.has(commit.commit),
  );
  const computed = await patchIds(
    git,
    [...looked, ...copies.slice(0, copiesMax)].map(({commit}) => commit),
  );
  const recordedPatches = rounds.flatMap(({commits}) =>
    commits.flatMap(({commit, patch}) => (patch === undefined ? [] : [[commit, patch] as const])),
  );
  const patches = new Map([...recordedPatches, ...computed]);

  const trunks = only ? [...only] : heads.slice(0, trunksMax);
  const open = looked.length === 0 ? new Map() : await openPatches(git, {lineage, rounds, trunks, looked});
  const recorded = recordedRanges(rounds);
  const known = new Set([
    ...recordedPatches.map(([, patch]) => patch),
    ...copies.map(({commit}) => patches.get(commit)),
    ...rounds.flatMap(rangePatches),
    ...open.keys(),
  ]);
  const alike = looked.map(({commit}) => commit).filter(commit => known.has(patches.get(commit) ?? ''));
  return {
    ...{rounds, lineage, candidates, patches},
    onlySpace: await onlySpace(git, alike),
    rewritten: rewrittenFrom([...originals, ...copies.map(({commit}) => commit)], pairs),
    // What is still here tells all; what rounds recorded, as much as they knew.
    squashed: (candidate, patch) => open.get(patch) ?? recorded(candidate, patch),
  };
}

function rangePatches({commits}: RecordedRound): readonly string[] {
  return commits.flatMap(({ranges}) => (ranges ?? []).map(({patch}) => patch));
}

type Branches = {
  readonly lineage: Lineage;
  readonly rounds: readonly RecordedRound[];
  readonly trunks: readonly string[];
  readonly looked: readonly GraphCommit[];
};

/** Returns the patch-ids of what branches have that the trunks lack. */
async function openPatches(git: Git, branches: Branches): Promise<ReadonlyMap<string, readonly OpenRange[]>> {
  const found: {patch: string; range: OpenRange}[] = [];
  const ranges = await openIn(git, branches);
  for (const [base, same] of groupBy(ranges, ({base}) => base)) {
    const patches = await rangePatchIds(
      git,
      base,
      same.map(({tip}) => tip),
    );
    for (const range of same) {
      const patch = patches.get(range.tip);
      if (patch !== undefined) found.push({patch, range});
    }
  }

  return new Map([...groupBy(found, ({patch}) => patch)].map(([patch, same]) => [patch, same.map(({range}) => range)]));
}

async function openIn(git: Git, {lineage, rounds, trunks, looked}: Branches): Promise<readonly OpenRange[]> {
  const made = makersOf(rounds);
  const ranges: OpenRange[] = [];
  const covered = new Set<string>();
  let asked = 0;
  for (const tip of trunks) {
    const trunk = lineage.reach([tip]);
    if (covered.has(tip) || !looked.some(({commit}) => trunk.has(commit))) continue;
    for (const commit of trunk) covered.add(commit);
    const first = openRanges(lineage, trunk, made);
    const older = new Set<string>();
    for (const edge of first.edges) {
      asked += 1;
      if (asked <= edgesMax && (await forkPoint(git, edge, [tip])) === edge) older.add(edge);
    }

    const {ranges: open} = older.size === 0 ? first : openRanges(lineage, new Set([...trunk, ...older]), made);
    ranges.push(...open);
  }

  return ranges;
}
