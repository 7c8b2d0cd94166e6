// Reads into the index what changed on the disk. The worktree may change while we look; then git refuses, and a second
// look finds out what is there now.
import {type Changes, listChanges} from './changes.ts';
import type {Git} from './command.ts';
import {type Conversion, readConversions} from './conversions.ts';
import {addFiles, addFilesApart, type IndexEntry, listEntries, removeEntries} from './index-entries.ts';
import type {Worktree} from './worktree.ts';

export type Added = {
  readonly changes: Changes;
  readonly conversions: ReadonlyMap<string, Conversion>;
  /** Paths that git could not read, though they were listed just before. */
  readonly refused: readonly string[];
  /** Paths whose filter or encoding failed. */
  readonly unconverted: ReadonlySet<string>;
};

/** Adds and removes what differs between the index and the disk; `tracked` is what the index holds. */
export async function addChanges(
  worktree: Worktree,
  tracked: readonly IndexEntry[],
  options: {maxFileSizeBytes: number; idLength: number},
): Promise<Added> {
  const {git} = worktree;
  for (let entries = tracked, isLast = false; ; entries = await listEntries(git), isLast = true) {
    const changes = await listChanges(worktree, entries, options.maxFileSizeBytes);
    const paths = new Set([...entries.map(entry => entry.path), ...changes.add]);
    const conversions = await readConversions(worktree, [...paths]);
    await removeEntries(git, [...changes.remove, ...changes.large], options.idLength);
    const safe = changes.add.filter(path => conversions.get(path)?.fallible === undefined);
    const added = await addFiles(git, safe);
    if (!added && !isLast) continue;
    const refused = added ? [] : await addFilesApart(git, safe);
    return {changes, conversions, refused, unconverted: await addConverted(git, changes.add, conversions)};
  }
}

// A filter that fails, or is required and missing, fails for the whole call; so one call for each, and where it fails
// its files are stored as they are.
async function addConverted(
  git: Git,
  paths: readonly string[],
  conversions: ReadonlyMap<string, Conversion>,
): Promise<Set<string>> {
  const groups = new Map<string, string[]>();
  for (const path of paths) {
    const fallible = conversions.get(path)?.fallible;
    if (fallible === undefined) continue;
    if (!groups.has(fallible)) groups.set(fallible, []);
    groups.get(fallible)!.push(path);
  }

  const unconverted = new Set<string>();
  for (const group of groups.values()) {
    if (!(await addFiles(git, group))) for (const path of group) unconverted.add(path);
  }

  return unconverted;
}
