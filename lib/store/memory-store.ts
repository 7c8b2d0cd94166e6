// Goals in memory, for tests that play thousands of histories. It passes the same suite as the one on git and makes the
// same trees.
import {createHash} from 'node:crypto';
import {Failure} from '../failure.ts';
import {blobId, treeId} from '../git/hash.ts';
import type {GoalStore, NewCommit, StoredCommit} from './goal-store.ts';
import {readMessage} from './message.ts';

type Kept = StoredCommit & {readonly files: ReadonlyMap<string, string>};

/** Commits that several memory stores share, as clones share objects once they have fetched. */
export type Objects = Map<string, Kept>;

/** Returns an empty store; stores over the same `objects` see each other's commits, not each other's goals. */
export function memoryStore(objects: Objects = new Map()): GoalStore {
  const refs = new Map<string, string>();
  const byTree = new Map<string, ReadonlyMap<string, string>>();

  const ancestors = (tips: readonly string[]): ReadonlySet<string> => {
    const seen = new Set<string>();
    for (const queue = [...tips]; queue.length > 0; ) {
      const commit = queue.pop()!;
      if (seen.has(commit)) continue;
      seen.add(commit);
      queue.push(...objects.get(commit)!.parents);
    }

    return seen;
  };

  const move = (goal: string, to: string, expected: string | undefined) => {
    if (refs.get(goal) !== expected) throw new Failure('ref-moved', `${goal} was changed by somebody else meanwhile.`);
    refs.set(goal, to);
  };

  return {
    tip: async goal => refs.get(goal),
    tips: async () => new Map(refs),
    read: async (commit, paths) => {
      const {files} = objects.get(commit)!;
      return new Map(paths.flatMap(path => (files.has(path) ? [[path, files.get(path)!] as const] : [])));
    },
    paths: async (commit, folder) =>
      [...objects.get(commit)!.files.keys()].filter(path => folder === '' || path.startsWith(`${folder}/`)).sort(),
    commits: async (include, exclude, limit) => {
      const hidden = ancestors(exclude);
      const found = topological(
        [...ancestors(include)].filter(commit => !hidden.has(commit)),
        objects,
      );
      return found.slice(0, limit).map(commit => objects.get(commit)!);
    },
    mergeBases: async (x, y) => {
      const ofY = ancestors([y]);
      const common = [...ancestors([x])].filter(commit => ofY.has(commit));
      const below = ancestors(common.flatMap(commit => objects.get(commit)!.parents));
      return common.filter(commit => !below.has(commit));
    },
    write: async commit => {
      if (refs.get(commit.goal) !== commit.expected) move(commit.goal, '', commit.expected);
      const kept = await keep(commit, objects, byTree);
      move(commit.goal, kept.commit, commit.expected);
      return kept.commit;
    },
    forward: async (goal, to, expected) => move(goal, to, expected),
    inTurn: (_, work) => work(),
  };
}

async function keep(
  commit: NewCommit,
  objects: Objects,
  byTree: Map<string, ReadonlyMap<string, string>>,
): Promise<Kept> {
  const {parents, base, message, author, committer} = commit;
  const parent = parents[0] === undefined ? undefined : objects.get(parents[0]);
  const laidOn = base === 'parent' ? parent?.files : base === 'empty' ? undefined : treeOf(base.tree, objects, byTree);
  const files = new Map(laidOn);
  for (const [path, text] of commit.files) {
    if (text === undefined) files.delete(path);
    else files.set(path, text);
  }

  const tree = treeId('sha1', new Map([...files].map(([path, text]) => [path, blobId('sha1', text)])));
  const id = createHash('sha1')
    .update(JSON.stringify([tree, parents, message, author, committer]))
    .digest('hex');
  const read = await readMessage(message);
  const kept = {...read, commit: id, parents, tree, committedAt: committer.seconds, files};
  objects.set(id, kept);
  return kept;
}

function treeOf(
  tree: string,
  objects: Objects,
  byTree: Map<string, ReadonlyMap<string, string>>,
): ReadonlyMap<string, string> {
  const known = byTree.get(tree) ?? [...objects.values()].find(commit => commit.tree === tree)?.files;
  if (!known) throw new Failure('git-failed', `There is no tree ${tree}.`);
  byTree.set(tree, known);
  return known;
}

// Children before parents.
function topological(commits: readonly string[], objects: Objects): readonly string[] {
  const inside = new Set(commits);
  const children = new Map(commits.map(commit => [commit, 0]));
  for (const commit of commits) {
    for (const parent of objects.get(commit)!.parents)
      if (inside.has(parent)) children.set(parent, children.get(parent)! + 1);
  }

  const ready = commits.filter(commit => children.get(commit) === 0);
  const out: string[] = [];
  while (ready.length > 0) {
    const commit = ready.shift()!;
    out.push(commit);
    for (const parent of objects.get(commit)!.parents) {
      if (!inside.has(parent)) continue;
      children.set(parent, children.get(parent)! - 1);
      if (children.get(parent) === 0) ready.push(parent);
    }
  }

  return out;
}
