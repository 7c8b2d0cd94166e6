// Which commits are copies of what rounds made. Pure, and never a guess: what git told about a rewrite comes first, then
// one commit's patch-id, where an equal tree tells between equal patches, then the patch-id of several in one, last an
// equal tree alone. Where several rounds are equally likely, all are named and none is taken. What only looks like a
// copy is kept out by three rules:
//
// - What a round made itself is no copy of another round's, unless git said so.
// - What was committed before a round began is not of that round.
// - A history that has a change already gets no second one: it was taken back and made again, by whomever.
import type {GraphCommit} from '../git/graph.ts';
import {type Carriers, carriersIn} from './carriers.ts';
import type {Lineage} from './lineage.ts';
import type {CopyKey} from './note.ts';
import type {RecordedRound} from './recorded.ts';
import {groupBy, type Range} from './squash.ts';

export type Copy = {
  readonly commit: string;
  readonly round: RecordedRound;
  readonly via: CopyKey;
  /** The commit that it is a copy of. */
  readonly from: string;
  /** Nothing but the tree is equal: it counts where the commit's history hadn't that tree before. */
  readonly isTreeOnly?: true;
};

/** A commit that may be a copy of several rounds' work, where nothing tells of which. */
export type Unclear = {
  readonly commit: string;
  readonly subject: string;
  readonly via: CopyKey;
  readonly rounds: readonly RecordedRound[];
};

export type Clues = {
  readonly rounds: readonly RecordedRound[];
  readonly lineage: Lineage;
  /** The commits that may be copies, parents before children. */
  readonly candidates: readonly GraphCommit[];
  /** The patch-ids of rounds' commits, of earlier copies, and of the candidates. */
  readonly patches: ReadonlyMap<string, string>;
  /** Commits whose patch-id says nothing, since only white space changes. */
  readonly onlySpace: ReadonlySet<string>;
  /** What git told: commits, and what they were rewritten from. */
  readonly rewritten: ReadonlyMap<string, ReadonlySet<string>>;
  /** Returns what a commit with this patch-id may be a squash of. */
  readonly squashed: (candidate: GraphCommit, patch: string) => readonly Range[];
};

/** One explanation: all its rounds, each with the commit that was copied; none where no round has to do with it. */
type Story = ReadonlyMap<RecordedRound, string>;

type Told = {readonly via: CopyKey; readonly stories: readonly Story[]; readonly isTreeOnly?: true};

/** Returns the copies that are certain, and the commits of which it is not clear whose copies they are. */
export function findCopies(clues: Clues): {readonly copies: readonly Copy[]; readonly unclear: readonly Unclear[]} {
  const carriers = carriersIn(clues.lineage, clues.rounds, clues.patches);
  const tell = tellerOf(clues, carriers);
  const copies: Copy[] = [];
  const unclear: Unclear[] = [];
  for (const candidate of clues.candidates) {
    const {commit, subject} = candidate;
    const told = tell(candidate);
    if (!told) continue;
    const {via, isTreeOnly} = told;
    const on = carriers.on(candidate);
    const stories = distinct(told.stories);
    if (stories.some(story => story.size > 0 && [...story.keys()].every(({key}) => on.has(key)))) continue;
    if (stories.length > 1) {
      unclear.push({commit, subject, via, rounds: [...new Set(stories.flatMap(story => [...story.keys()]))]});
      continue;
    }

    for (const [round, from] of stories[0] ?? []) {
      if (on.has(round.key)) continue;
      copies.push({commit, round, via, from, ...(isTreeOnly && {isTreeOnly})});
      carriers.add(commit, round, from);
    }
  }

  return {copies, unclear};
}

/** Returns what tells of which rounds a commit may be a copy, and by which key. */
function tellerOf(clues: Clues, carriers: Carriers): (candidate: GraphCommit) => Told | undefined {
  const {rounds, lineage, patches, onlySpace, rewritten, squashed} = clues;
  const byKey = new Map(rounds.map(round => [round.key, round]));
  const originals = rounds.flatMap(round => round.commits.map(commit => ({round, ...commit})));
  // A copy may be copied again; it may be of several rounds, as a squash is, and unlike what they made.
  const earlier = lineage.commits.flatMap(copy => {
    const patch = patches.get(copy.commit);
    if (patch === undefined || carriers.makersOf(copy.commit).length > 0) return [];
    return [...carriers.on(copy)]
      .flatMap(key => pair(byKey.get(key), copy))
      .map(([round]) => ({round, ...copy, patch}));
  });
  const byPatch = groupBy([...originals, ...earlier], ({patch}) => patch ?? '');
  // A last commit that changes nothing has the tree of somebody else's.
  const byTree = groupBy(
    originals.filter(({round, commit, patch}) => patch && commit === round.commits.at(-1)!.commit),
    ({tree}) => tree,
  );
  const storyOf = (commit: string): Story => {
    const makers = carriers.makersOf(commit);
    const on = makers.length > 0 ? makers : [...carriers.on({commit})].flatMap(key => byKey.get(key) ?? []);
    return new Map(on.map(round => [round, commit]));
  };
  const isLater =
    ({commit, committedAt}: GraphCommit) =>
    ({round}: {readonly round: RecordedRound}) =>
      committedAt >= round.startedAt && (round.head === undefined || !lineage.isIn(commit, round.head));

  const byRewrite = ({commit}: GraphCommit): Told | undefined => {
    const stories = [...(rewritten.get(commit) ?? [])].map(storyOf).filter(story => story.size > 0);
    // What git squashed into one commit is of all their rounds.
    return stories.length === 0
      ? undefined
      : {via: 'rewrite', stories: [new Map(stories.flatMap(story => [...story]))]};
  };
  const byOnePatch = (candidate: GraphCommit, patch: string): Told | undefined => {
    const equal = (byPatch.get(patch) ?? [])
      .filter(other => other.commit !== candidate.commit)
      .filter(isLater(candidate));
    const same = equal.filter(({tree}) => tree === candidate.tree);
    if (equal.length === 0) return undefined;
    const isSure = same.length > 0 || !onlySpace.has(candidate.commit);
    const stories = (same.length > 0 ? same : equal).map(({commit}) => storyOf(commit));
    return {via: same.length > 0 ? 'tree' : 'patch', stories: isSure ? stories : [...stories, new Map()]};
  };
  const byRange = (candidate: GraphCommit, patch: string): Told | undefined => {
    if (onlySpace.has(candidate.commit)) return undefined;
    const stories = squashed(candidate, patch)
      .filter(({tip}) => !lineage.isIn(tip, candidate.commit) && !lineage.isIn(candidate.commit, tip))
      .map(range => new Map([...range.rounds].flatMap(([key, from]) => pair(byKey.get(key), from))))
      .filter(story => [...story.keys()].every(round => isLater(candidate)({round})));
    return stories.some(({size}) => size > 0) ? {via: 'squash', stories} : undefined;
  };
  const byTreeOnly = (candidate: GraphCommit): Told | undefined => {
    const [parent] = candidate.parents;
    if (parent !== undefined && lineage.get(parent)?.tree === candidate.tree) return undefined;
    const equal = (byTree.get(candidate.tree) ?? []).filter(isLater(candidate));
    const stories = equal.map(({commit}) => storyOf(commit));
    return stories.length === 0 ? undefined : {via: 'tree', stories, isTreeOnly: true};
  };

  return candidate => {
    const rewrite = byRewrite(candidate);
    if (rewrite || carriers.makersOf(candidate.commit).length > 0 || candidate.parents.length > 1) return rewrite;
    const patch = patches.get(candidate.commit);
    const told = (patch && (byOnePatch(candidate, patch) ?? byRange(candidate, patch))) || byTreeOnly(candidate);
    return told?.stories.some(story => carriers.isIn(candidate, story, told)) ? undefined : told;
  };
}

/** Leaves out what says the same as another: the same rounds, whichever commits of theirs were copied. */
function distinct(stories: readonly Story[]): readonly Story[] {
  const nameOf = (story: Story) =>
    [...story.keys()]
      .map(({key}) => key)
      .sort()
      .join('\n');
  return [...groupBy(stories, nameOf).values()].map(same => same[0]!);
}

function pair<A, B>(a: A | undefined, b: B): readonly (readonly [A, B])[] {
  return a === undefined ? [] : [[a, b]];
}
