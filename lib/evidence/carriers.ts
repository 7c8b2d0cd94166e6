// Which commits carry which rounds: because the round made them, because their note says so, or because they were just
// found to be copies.
import type {GraphCommit} from '../git/graph.ts';
import type {Lineage} from './lineage.ts';
import {parseNote} from './note.ts';
import {makersOf, type RecordedRound, roundKey} from './recorded.ts';
import {groupBy} from './squash.ts';

export type Carriers = {
  /** Returns the rounds that made a commit. */
  readonly makersOf: (commit: string) => readonly RecordedRound[];
  /** Returns the keys of the rounds that a commit carries. */
  readonly on: (commit: Pick<GraphCommit, 'commit'>) => ReadonlySet<string>;
  /** Remembers that a commit is a copy. */
  readonly add: (commit: string, round: RecordedRound, from: string) => void;
  /**
   * Says whether the commit's history has a story already: every change that it tells of; where only a tree tells, any
   * commit of one of its rounds.
   */
  readonly isIn: (
    candidate: GraphCommit,
    story: ReadonlyMap<RecordedRound, string>,
    told: {readonly isTreeOnly?: true},
  ) => boolean;
};

/** Its origin is a beginning of the commit that it is a copy of; git, which carries notes along, names none. */
type Carrier = {readonly key: string; readonly commit: string; readonly from?: string};

/** Returns the carriers among the commits of a lineage. */
export function carriersIn(
  lineage: Lineage,
  rounds: readonly RecordedRound[],
  patches: ReadonlyMap<string, string>,
): Carriers {
  const made = makersOf(rounds);
  const all = lineage.commits.flatMap(({commit, lines}): readonly Carrier[] => [
    ...(made.get(commit) ?? []).map(({key}) => ({key, commit, from: commit})),
    ...lines.flatMap(line => {
      const note = parseNote(line);
      return note ? [{key: roundKey(note), commit, ...(note.from && {from: note.from})}] : [];
    }),
  ]);
  const byKey = new Map([...groupBy(all, ({key}) => key)].map(([key, same]) => [key, [...same]]));
  const keysOn = new Map(
    [...groupBy(all, ({commit}) => commit)].map(([commit, same]) => [commit, new Set(same.map(({key}) => key))]),
  );
  return {
    makersOf: commit => made.get(commit) ?? [],
    on: ({commit}) => keysOn.get(commit) ?? new Set(),
    add(commit, {key}, from) {
      byKey.set(key, [...(byKey.get(key) ?? []), {key, commit, from}]);
      keysOn.set(commit, new Set([...(keysOn.get(commit) ?? []), key]));
    },
    isIn(candidate, story, {isTreeOnly}) {
      const patch = patches.get(candidate.commit);
      const isThere = ({key}: RecordedRound, from: string) =>
        (byKey.get(key) ?? []).some(carrier => {
          const isSame = patches.get(carrier.commit) === patch || (carrier.from && from.startsWith(carrier.from));
          const isOther = carrier.commit !== candidate.commit;
          return isOther && (isTreeOnly || isSame) && lineage.isIn(carrier.commit, candidate.commit);
        });
      const pairs = [...story];
      if (pairs.length === 0) return false;
      return isTreeOnly
        ? pairs.some(([round, from]) => isThere(round, from))
        : pairs.every(([round, from]) => isThere(round, from));
    },
  };
}
