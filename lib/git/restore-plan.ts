// Decides what a restore does: which files to write, which to remove, and what to leave as it is. Pure.
import {basename} from 'node:path/posix';
import {Failure} from '../failure.ts';
import type {IndexEntry} from './index-entries.ts';
import type {Snapshot} from './snapshot.ts';
import type {Staged} from './stage.ts';
import type {Worktree} from './worktree.ts';

/** A path that isn't as in the snapshot, and why. */
export type Kept = {readonly path: string; readonly reason: string};

export type RestorePlan = {
  readonly write: readonly IndexEntry[];
  /** The entries to write that may be there already: the same bytes may be stored in two ways. */
  readonly mayBeThere: ReadonlySet<string>;
  readonly remove: readonly string[];
  /** Large files of the snapshot, which are there or not, but can't be written. */
  readonly large: Snapshot['large'];
  readonly kept: readonly Kept[];
};

export type RestoreInput = {
  readonly snapshot: Snapshot;
  /** The files of the snapshot, and those of the worktree. */
  readonly wanted: ReadonlyMap<string, IndexEntry>;
  readonly staged: Staged;
  readonly config: Worktree['config'];
  /** Files and folders to restore; everything unless given. */
  readonly paths: readonly string[] | undefined;
};

/** @throws {Failure} `nothing-to-restore` if neither snapshot nor worktree has one of the paths. */
export function planRestore({snapshot, wanted, staged, config, paths}: RestoreInput): RestorePlan {
  const isAsked = scopeOf(paths, [
    ...[...wanted.keys(), ...staged.entries.keys(), ...snapshot.partial, ...staged.partial],
    ...[...snapshot.large, ...snapshot.nested, ...staged.large, ...staged.nested].map(({path}) => path),
  ]);
  const kept = listKept(snapshot, wanted, staged).filter(({path}) => isAsked(path));
  const untouchable = new Set([...kept, ...snapshot.large].map(({path}) => path));
  const wasNested = snapshot.nested.map(({path}) => `${path}/`);

  const raw = {wanted: pathsOf(snapshot.raw), staged: pathsOf(staged.raw)};
  const isSame = (entry: IndexEntry) => {
    const now = staged.entries.get(entry.path);
    return (
      now?.oid === entry.oid && now.mode === entry.mode && raw.wanted.has(entry.path) === raw.staged.has(entry.path)
    );
  };
  const isDoubtful = convertsDifferently(snapshot, wanted, staged, config);
  const write = [...wanted.values()].filter(entry => {
    if (!isAsked(entry.path) || untouchable.has(entry.path) || isSubmodule(entry)) return false;
    // What a sparse checkout leaves out is in the snapshot by its entry, and is not on the disk.
    return !isSame(entry) || (isDoubtful && !staged.entries.get(entry.path)?.skipWorktree);
  });
  const remove = [...staged.entries.values()].filter(entry => {
    if (!isAsked(entry.path) || untouchable.has(entry.path) || wanted.has(entry.path)) return false;
    return !isSubmodule(entry) && !entry.skipWorktree && !wasNested.some(folder => entry.path.startsWith(folder));
  });
  const mayBeThere = write.filter(entry => staged.entries.get(entry.path)?.mode === entry.mode);

  return {
    write,
    mayBeThere: pathsOf(mayBeThere),
    remove: remove.map(entry => entry.path),
    large: snapshot.large.filter(file => isAsked(file.path)),
    kept,
  };
}

function listKept(snapshot: Snapshot, wanted: RestoreInput['wanted'], staged: Staged): Kept[] {
  const kept = new Map<string, string>();
  for (const {path} of staged.large) kept.set(path, 'it is too large to have been saved');
  for (const path of staged.partial) kept.set(path, 'it can not be read');
  for (const {path} of snapshot.large) kept.delete(path);
  for (const path of snapshot.partial) kept.set(path, 'it could not be read when the snapshot was taken');

  const heads = new Map(staged.nested.map(({path, head}) => [path, head]));
  for (const {path, oid} of [...wanted.values()].filter(isSubmodule)) {
    if (staged.entries.get(path)?.oid !== oid) kept.set(path, `a submodule, which was at ${oid}`);
  }

  for (const {path, head} of snapshot.nested) {
    if (!wanted.has(path) && (!heads.has(path) || heads.get(path) !== head)) {
      kept.set(path, `another repository, which was at ${head ?? 'no commit'}`);
    }
  }

  const known = pathsOf(snapshot.nested);
  const submodules = [...staged.entries.values()].filter(isSubmodule);
  for (const {path} of [...staged.nested, ...submodules]) {
    if (!known.has(path) && !wanted.has(path)) kept.set(path, 'another repository, which the snapshot does not know');
  }

  return Array.from(kept, ([path, reason]) => ({path, reason}));
}

// Equal blobs mean equal bytes only while the same attributes and settings for line ends hold.
function convertsDifferently(
  snapshot: Snapshot,
  wanted: RestoreInput['wanted'],
  staged: Staged,
  config: Worktree['config'],
): boolean {
  const {autocrlf, eol} = snapshot.lineEnds;
  if ((config.get('core.autocrlf') ?? null) !== autocrlf || (config.get('core.eol') ?? null) !== eol) return true;
  return [...wanted.keys(), ...staged.entries.keys()].some(path => {
    return basename(path) === '.gitattributes' && wanted.get(path)?.oid !== staged.entries.get(path)?.oid;
  });
}

function scopeOf(paths: readonly string[] | undefined, known: readonly string[]): (path: string) => boolean {
  if (paths === undefined) return () => true;
  const scopes = paths.map(path => path.replace(/^(\.\/)+/, '').replace(/\/+$/, ''));
  const covers = (scope: string, path: string) => {
    return scope === '' || scope === '.' || path === scope || path.startsWith(`${scope}/`);
  };
  for (const [at, scope] of scopes.entries()) {
    if (known.some(path => covers(scope, path))) continue;
    throw new Failure('nothing-to-restore', `Neither the snapshot nor the working tree has ${paths[at]}.`, {
      hint: 'Paths are relative to the root of the worktree.',
    });
  }

  return path => scopes.some(scope => covers(scope, path));
}

function isSubmodule(entry: IndexEntry): boolean {
  return entry.mode === '160000';
}

function pathsOf(items: readonly {readonly path: string}[]): Set<string> {
  return new Set(items.map(item => item.path));
}
