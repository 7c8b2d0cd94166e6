// What has to happen to an index so that it shows the worktree: which files to read in, which to take out, and which
// to leave aside. Only looks; stage.ts acts.
import {readdirSync} from 'node:fs';
import {withoutFilters} from './conversions.ts';
import {type Disk, onDisk, openDisk, parentOf} from './disk.ts';
import type {IndexEntry} from './index-entries.ts';
import {hasRepository} from './nested.ts';
import {splitNul} from './path-text.ts';
import {isSet, type Worktree, withSettings} from './worktree.ts';

export type Changes = {
  readonly add: readonly string[];
  readonly remove: readonly string[];
  /** Changed files over the limit. */
  readonly large: readonly string[];
  /** Repositories in the worktree that the index doesn't know as submodules, without the slash at the end. */
  readonly nested: readonly string[];
};

/** Compares the index with the disk: tracked files that changed or went, and new ones that aren't ignored. */
export async function listChanges(
  worktree: Worktree,
  entries: readonly IndexEntry[],
  maxFileSizeBytes: number,
): Promise<Changes> {
  const git = withSettings(worktree.git, withoutFilters(worktree.config));
  const listed = splitNul(await git.bytes(['ls-files', '-z', '-m', '-o', '--exclude-standard']));
  const disk = openDisk(worktree.top);
  const paths = new Set([...listed, ...unseenByGit(entries, disk)]);
  const submodules = new Set(entries.filter(entry => entry.mode === '160000').map(entry => entry.path));

  const changes = {add: [] as string[], remove: [] as string[], large: [] as string[]};
  const nested: string[] = [];
  for (const path of paths) {
    if (path.endsWith('/')) {
      nested.push(path.slice(0, -1));
      continue;
    }

    const stats = disk.look(path);
    if (stats?.isFile() && stats.size > maxFileSizeBytes) changes.large.push(path);
    else if (stats?.isFile() || stats?.isSymbolicLink()) changes.add.push(path);
    else if (stats?.isDirectory() && submodules.has(path)) changes.add.push(path);
    else changes.remove.push(path);
  }

  return {...changes, nested};
}

/**
 * Returns the entries that git was told not to look at, and that do say something about the disk: all that pass for
 * unchanged, and those out of a sparse checkout that are there nevertheless.
 */
export function listHidden(worktree: Worktree, entries: readonly IndexEntry[]): {assumed: string[]; skipped: string[]} {
  const disk = openDisk(worktree.top);
  const sparse = isSet(worktree.config, 'core.sparsecheckout');
  const skipped = entries.filter(entry => entry.skipWorktree && !(sparse && disk.look(entry.path) === undefined));
  return {
    assumed: entries.filter(entry => entry.assumeUnchanged).map(entry => entry.path),
    skipped: skipped.map(entry => entry.path),
  };
}

/**
 * Returns the submodules of the index that have become ordinary folders. Git lists nothing below a submodule, so they
 * have to go from the index before it is asked for new files.
 */
export function listFormerSubmodules(worktree: Worktree, entries: readonly IndexEntry[]): string[] {
  const disk = openDisk(worktree.top);
  const folders = entries.filter(entry => entry.mode === '160000' && disk.look(entry.path)?.isDirectory());
  return folders
    .map(entry => entry.path)
    .filter(path => !hasRepository(worktree, path) && readdirSync(onDisk(worktree.top, path)).length > 0);
}

// Git follows a folder that has become a symlink and finds the tracked files "unchanged" behind it; and a file with
// conflicts is of interest even if it equals one side.
function unseenByGit(entries: readonly IndexEntry[], disk: Disk): string[] {
  const unseen = entries.filter(({path, stage, skipWorktree}) => {
    return stage > 0 || (!skipWorktree && !disk.isFolder(parentOf(path)));
  });
  return unseen.map(entry => entry.path);
}
