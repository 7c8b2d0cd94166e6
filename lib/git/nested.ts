// Repositories inside the worktree: submodules and plain nested ones. Their files are theirs: a snapshot names them with
// their HEAD and says whether they hold changes, and nobody writes in them.
import {lstatSync} from 'node:fs';
import {join} from 'node:path';
import {onDisk, openDisk} from './disk.ts';
import type {IndexEntry} from './index-entries.ts';
import type {Worktree} from './worktree.ts';

export type NestedRepository = {
  readonly path: string;
  /** Null before the first commit, or where git can't say. */
  readonly head: string | null;
  /** True if it holds changes that are in none of its commits. */
  readonly dirty?: true;
};

/** Says whether a folder has a `.git` of its own. */
export function hasRepository(worktree: Worktree, path: string): boolean {
  return lstatSync(onDisk(worktree.top, `${path}/.git`), {throwIfNoEntry: false}) !== undefined;
}

/** Looks at the nested repositories in `paths`, and at those submodules among `entries` that are checked out. */
export async function inspectAll(
  worktree: Worktree,
  entries: readonly IndexEntry[],
  paths: readonly string[],
): Promise<NestedRepository[]> {
  const disk = openDisk(worktree.top);
  const submodules = entries.filter(({path, mode}) => {
    return mode === '160000' && disk.look(path)?.isDirectory() && hasRepository(worktree, path);
  });
  const found: NestedRepository[] = [];
  for (const path of paths) found.push(await inspect(worktree, path));
  for (const {path, oid} of submodules) {
    const submodule = await inspect(worktree, path);
    if (submodule.head !== oid || submodule.dirty) found.push(submodule);
  }

  return found.sort((one, other) => (one.path < other.path ? -1 : 1));
}

async function inspect(worktree: Worktree, path: string): Promise<NestedRepository> {
  // A child's folder can't be named in other bytes than UTF-8.
  if (/[\udc80-\udcff]/.test(path) && Buffer.from(path).toString() !== path) return {path, head: null};
  const result = await worktree.git.run(
    ['status', '--porcelain=v2', '--branch', '-z', '--ignore-submodules=none', '--untracked-files=normal'],
    {
      cwd: join(worktree.top, path),
      // It is found from its folder; a broken one must not be mistaken for the repository around it.
      env: {
        GIT_DIR: undefined,
        GIT_WORK_TREE: undefined,
        GIT_INDEX_FILE: undefined,
        GIT_CEILING_DIRECTORIES: worktree.top,
      },
    },
  );
  if (result.status !== 0) return {path, head: null};
  const records = result.stdout.toString().split('\0').filter(Boolean);
  const oid = records.find(record => record.startsWith('# branch.oid '))?.slice('# branch.oid '.length);
  const dirty = records.some(record => !record.startsWith('# '));
  return {path, head: oid && /^[0-9a-f]+$/.test(oid) ? oid : null, ...(dirty ? {dirty} : {})};
}
