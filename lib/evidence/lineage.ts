// Who descends from whom, in the part of the history that was read. A parent that was not read is known by its id and
// ends the walk there.
import type {GraphCommit} from '../git/graph.ts';

export type Lineage = {
  /** Children before parents. */
  readonly commits: readonly GraphCommit[];
  readonly get: (commit: string) => GraphCommit | undefined;
  /** Returns the commits themselves and all their ancestors, also those at the edge that were not read. */
  readonly reach: (commits: Iterable<string>) => ReadonlySet<string>;
  /** Says whether one is the other, or an ancestor of it. */
  readonly isIn: (ancestor: string, commit: string) => boolean;
};

/** Returns the lineage of commits that are listed with children before parents. */
export function lineageOf(commits: readonly GraphCommit[]): Lineage {
  const byId = new Map(commits.map(commit => [commit.commit, commit]));
  const places = new Map(commits.map(({commit}, index) => [commit, index]));
  const reach: Lineage['reach'] = from => {
    const seen = new Set(from);
    for (const id of seen) for (const parent of byId.get(id)?.parents ?? []) seen.add(parent);
    return seen;
  };
  const isIn: Lineage['isIn'] = (ancestor, commit) => {
    // Children come first, so that nothing beyond the ancestor's place leads to it.
    const end = places.get(ancestor) ?? Number.POSITIVE_INFINITY;
    const seen = new Set([commit]);
    for (const id of seen) {
      if (id === ancestor) return true;
      for (const parent of byId.get(id)?.parents ?? []) if ((places.get(parent) ?? end) <= end) seen.add(parent);
    }

    return false;
  };
  return {commits, get: id => byId.get(id), reach, isIn};
}

/** What a branch has that a trunk lacks. */
export type Branch = {
  /** Where it left the trunk; undefined where that is not one place. */
  readonly base: string | undefined;
  /** Its commits, children before parents. */
  readonly commits: readonly GraphCommit[];
  /** Ancestors that were not read, and of which it is not known whether the trunk has them. */
  readonly edges: readonly string[];
};

/** A branch of more commits than these is none that anybody squashes. */
const branchMax = 300;

/** Returns what the commit has that is not in `trunk`, which is a reach; of a very long branch no place where it left. */
export function branchOf(lineage: Lineage, tip: string, trunk: ReadonlySet<string>): Branch {
  const seen = new Set([tip]);
  const bases = new Set<string>();
  const edges: string[] = [];
  for (const id of seen) {
    if (seen.size > branchMax) return {base: undefined, commits: [], edges: []};
    const commit = lineage.get(id);
    if (!commit) edges.push(id);
    for (const parent of commit?.parents ?? []) {
      if (trunk.has(parent)) bases.add(parent);
      else seen.add(parent);
    }
  }

  // Who has merged the trunk meanwhile left it at the latest of the places.
  const latest = [...bases].filter(base => ![...bases].some(other => other !== base && lineage.isIn(base, other)));
  const commits = [...seen].flatMap(id => lineage.get(id) ?? []);
  return {base: edges.length === 0 && latest.length === 1 ? latest[0] : undefined, commits, edges};
}
