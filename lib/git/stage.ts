// Brings a private index to what the worktree is: the base of taking, comparing and restoring snapshots.
import {addChanges} from './add-changes.ts';
import {listFormerSubmodules, listHidden} from './changes.ts';
import {type Disk, openDisk} from './disk.ts';
import {hashLarge, type LargeFile} from './hash-large.ts';
import {clearFlags, type IndexEntry, listEntries, removeEntries, setEntries, writeTree} from './index-entries.ts';
import {inspectAll, type NestedRepository} from './nested.ts';
import type {PrivateIndex} from './private-index.ts';
import {findRaw} from './round-trip.ts';
import {storeRaw} from './store-raw.ts';
import {isSet, type Worktree} from './worktree.ts';

export type RawFile = {readonly path: string; readonly blob: string};

export type Staged = {
  /** The tree of the user's index before anything was staged; null while it has conflicts. */
  readonly indexTree: string | null;
  /** What the index holds now, by path. */
  readonly entries: ReadonlyMap<string, IndexEntry>;
  /** Paths that could not be read after two tries; the index has no entry for them. */
  readonly partial: readonly string[];
  /** Files stored without filters, since git would not give their bytes back. */
  readonly raw: readonly RawFile[];
  /** Nested repositories, and submodules that moved or hold changes. */
  readonly nested: readonly NestedRepository[];
  /** Files that are over the limit and not in the index as they are. */
  readonly large: readonly LargeFile[];
};

type StageOptions = {
  /** Changed files over this are left out and listed with their hash. */
  readonly maxFileSizeBytes: number;
  readonly signal?: AbortSignal;
};

/** Stages the whole worktree in a private index: tracked and new files, not the ignored ones. */
export async function stageWorktree(copy: PrivateIndex, options: StageOptions): Promise<Staged> {
  const {worktree} = copy;
  const {git} = worktree;
  const listed = await listEntries(git);
  const indexTree = listed.some(entry => entry.stage > 0) ? null : await writeTree(git);
  const idLength = indexTree?.length ?? listed[0]!.oid.length;
  const tracked = await uncover(worktree, listed, idLength);
  const {changes, conversions, refused, unconverted} = await addChanges(worktree, tracked, {...options, idLength});

  const disk = openDisk(worktree.top);
  const changed = changes.add.length > 0 || changes.remove.length > 0 || changes.large.length > 0;
  const entries = new Map((changed ? await listEntries(git) : tracked).map(entry => [entry.path, entry]));
  const candidates = [...entries.values()].flatMap(({path, oid, mode}) => {
    const conversion = conversions.get(path);
    const stats = conversion && mode.startsWith('100') && !unconverted.has(path) ? disk.look(path) : undefined;
    if (!conversion || !stats?.isFile() || stats.size > options.maxFileSizeBytes) return [];
    return [{path, oid, rules: conversion.rules, stats}];
  });
  const stored = await storeRaw(git, [...(await findRaw(copy, candidates)), ...unconverted]);
  const rawEntries = Array.from(stored.blobs, ([path, oid]) => ({
    path,
    oid,
    mode: modeOf(worktree, disk, entries, path),
  }));
  await setEntries(git, rawEntries);
  for (const {path, oid, mode} of rawEntries) {
    entries.set(path, {path, oid, mode, stage: 0, skipWorktree: false, assumeUnchanged: false});
  }

  const {large, unread} = await hashLarge(copy, changes.large, options.signal);
  // Git leaves out a path that it finds unsafe and calls that success.
  const missing = changes.add.filter(path => !entries.has(path));
  const failed = [...new Set([...refused, ...stored.refused, ...unread, ...missing])];
  await removeEntries(git, failed, idLength);
  for (const path of failed) entries.delete(path);

  return {
    indexTree,
    entries,
    partial: failed.filter(path => disk.look(path) !== undefined).sort(),
    raw: rawEntries.map(({path, oid}) => ({path, blob: oid})),
    nested: await inspectAll(worktree, tracked, changes.nested),
    large,
  };
}

// Makes git look at everything that it was told or believes not to be worth a look.
async function uncover(worktree: Worktree, entries: IndexEntry[], idLength: number): Promise<IndexEntry[]> {
  const hidden = listHidden(worktree, entries);
  const former = listFormerSubmodules(worktree, entries);
  if (hidden.assumed.length + hidden.skipped.length + former.length === 0) return entries;
  await clearFlags(worktree.git, hidden);
  await removeEntries(worktree.git, former, idLength);
  return listEntries(worktree.git);
}

function modeOf(worktree: Worktree, disk: Disk, entries: ReadonlyMap<string, IndexEntry>, path: string): string {
  const {config} = worktree;
  if (!config.has('core.filemode') || isSet(config, 'core.filemode')) {
    return (disk.look(path)?.mode ?? 0n) & 0o100n ? '100755' : '100644';
  }

  const known = entries.get(path)?.mode;
  return known?.startsWith('100') ? known : '100644';
}
