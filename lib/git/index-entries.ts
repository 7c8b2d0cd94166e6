// The entries of an index, and the changes that git's `update-index` makes in bulk. Git refuses a whole call for one bad
// path and then writes nothing at all, and it skips a path that it finds unsafe with exit status 0: so whoever adds
// paths looks afterwards which ones are there.
import type {Git} from './command.ts';
import {joinNul, splitNul} from './path-text.ts';

export type IndexEntry = {
  readonly path: string;
  /** As git writes it: 100644, 100755, 120000 for a symlink, 160000 for a submodule. */
  readonly mode: string;
  readonly oid: string;
  /** 0, or 1 to 3 in a merge that has conflicts. */
  readonly stage: number;
  readonly skipWorktree: boolean;
  readonly assumeUnchanged: boolean;
};

/** Lists all entries of the index that `git` works on. */
export async function listEntries(git: Git): Promise<IndexEntry[]> {
  const listed = splitNul(await git.bytes(['ls-files', '-z', '-v', '--stage']));
  return listed.map(record => {
    const tab = record.indexOf('\t');
    const [tag, mode, oid, stage] = record.slice(0, tab).split(' ') as [string, string, string, string];
    return {
      path: record.slice(tab + 1),
      mode,
      oid,
      stage: Number(stage),
      skipWorktree: tag.toUpperCase() === 'S',
      assumeUnchanged: tag !== tag.toUpperCase(),
    };
  });
}

/** Makes git look at files that it was told to take for unchanged. */
export async function clearFlags(
  git: Git,
  paths: {readonly assumed: readonly string[]; readonly skipped: readonly string[]},
): Promise<void> {
  // Two calls: in one, git heeds only the flag named last.
  for (const [flag, listed] of [
    ['--no-assume-unchanged', paths.assumed],
    ['--no-skip-worktree', paths.skipped],
  ] as const) {
    if (listed.length > 0) await git.bytes(['update-index', flag, '-z', '--stdin'], {input: joinNul(listed)});
  }
}

/** Sets entries to given blobs, and takes out those of mode '0', whatever lies on the disk. */
export async function setEntries(
  git: Git,
  entries: readonly {readonly path: string; readonly mode: string; readonly oid: string}[],
): Promise<void> {
  if (entries.length === 0) return;
  const input = joinNul(entries.map(({path, mode, oid}) => `${mode} ${oid}\t${path}`));
  await git.bytes(['update-index', '-z', '--index-info'], {input});
}

/** Takes paths out of the index; `idLength` is the length of an object id in this repository. */
export function removeEntries(git: Git, paths: readonly string[], idLength: number): Promise<void> {
  const oid = '0'.repeat(idLength);
  return setEntries(
    git,
    paths.map(path => ({path, mode: '0', oid})),
  );
}

/** Reads files into the index, filters and all; false if git refused, and then none was added. */
export async function addFiles(git: Git, paths: readonly string[]): Promise<boolean> {
  if (paths.length === 0) return true;
  const args = ['update-index', '-z', '--add', '--remove', '--replace', '--stdin'];
  return (await git.run(args, {input: joinNul(paths)})).status === 0;
}

const callsMax = 200;

/** Adds what can be added by halving what git refuses, and returns the rest. Takes a bounded number of calls. */
export async function addFilesApart(git: Git, paths: readonly string[]): Promise<string[]> {
  const refused: string[] = [];
  const queue = [paths];
  for (let calls = 0; queue.length > 0; calls++) {
    const part = queue.pop()!;
    if (part.length === 0 || (calls < callsMax && (await addFiles(git, part)))) continue;
    if (part.length === 1 || calls >= callsMax) refused.push(...part);
    else queue.push(part.slice(part.length >> 1), part.slice(0, part.length >> 1));
  }

  return refused;
}

/** Writes the index as a tree and returns its id. */
export async function writeTree(git: Git): Promise<string> {
  return git.text(['write-tree']);
}
