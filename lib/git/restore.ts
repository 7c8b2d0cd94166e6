// Brings a working tree back to a snapshot, byte for byte. First everything is written beside the worktree, which is
// what may fail; then files are removed and moved into place. Interrupted, it can simply be run again. It doesn't save
// what is there now: the caller takes a snapshot first, and what such a snapshot could not have held (large, unreadable
// and ignored files, nested repositories) is neither removed nor replaced, but reported.
import {basename} from 'node:path/posix';
import {type Git, gitFailure} from './command.ts';
import {onDisk, openDisk, sameBytes, sha256} from './disk.ts';
import {listEntries} from './index-entries.ts';
import {openCopies} from './materialize.ts';
import {joinNul, splitNul} from './path-text.ts';
import {placeFile, removeFile} from './place.ts';
import {withPrivateIndex} from './private-index.ts';
import {type Kept, planRestore, type RestorePlan} from './restore-plan.ts';
import type {Snapshot} from './snapshot.ts';
import {stageWorktree} from './stage.ts';
import {openWorktree, type Worktree} from './worktree.ts';

export type Restored = {
  readonly written: readonly string[];
  readonly removed: readonly string[];
  /** What is not as in the snapshot, and why. */
  readonly kept: readonly Kept[];
};

/**
 * Restores the working tree that `git` is opened in, or some paths of it.
 *
 * @param options.paths - Files and folders, relative to the worktree's root; everything unless given.
 * @throws {Failure} `nothing-to-restore` if neither snapshot nor worktree has one of the paths.
 * @throws {Failure} `io-failed` if the disk fails midway; running again goes on.
 */
export async function restoreSnapshot(
  git: Git,
  snapshot: Snapshot,
  options: {paths?: readonly string[]; signal?: AbortSignal} = {},
): Promise<Restored> {
  const worktree = await openWorktree(git, options.signal);
  return withPrivateIndex(worktree, async copy => {
    const staged = await stageWorktree(copy, {...options, maxFileSizeBytes: snapshot.maxFileSizeBytes});
    const copies = await openCopies(copy, snapshot);
    const wanted = new Map((await listEntries(copies.git)).map(entry => [entry.path, entry]));
    const plan = planRestore({snapshot, wanted, staged, config: worktree.config, paths: options.paths});
    await copies.write(plan.write);
    const {written, removed, kept} = await applyPlan(worktree, copies.dir, plan);
    const large = await checkLarge(worktree, plan.large, options.signal);
    return {written, removed, kept: [...plan.kept, ...kept, ...large]};
  });
}

async function applyPlan(worktree: Worktree, copies: string, plan: RestorePlan): Promise<Restored> {
  const {top} = worktree;
  const done = {written: [] as string[], removed: [] as string[], kept: [] as Kept[]};
  const remove = (path: string) => {
    const reason = removeFile(top, path);
    if (reason === undefined) done.removed.push(path);
    else done.kept.push({path, reason});
  };
  const made = openDisk(copies);
  const write = (path: string) => {
    if (plan.mayBeThere.has(path) && sameBytes(onDisk(copies, path), onDisk(top, path))) return;
    const reason = made.look(path) ? placeFile(top, path, onDisk(copies, path)) : 'git could not make the file';
    if (reason === undefined) done.written.push(path);
    else done.kept.push({path, reason});
  };

  // What to ignore comes first, so that nothing is removed which was ignored when the snapshot was taken.
  const [removeRules, removeFiles] = partition(plan.remove, isIgnoreFile);
  const [writeRules, writeFiles] = partition(
    plan.write.map(entry => entry.path),
    isIgnoreFile,
  );
  removeRules.forEach(remove);
  writeRules.forEach(write);
  const ignored = await listIgnored(worktree, removeFiles);
  for (const path of removeFiles) if (!ignored.has(path)) remove(path);
  writeFiles.forEach(write);
  return done;
}

async function listIgnored({git}: Worktree, paths: readonly string[]): Promise<ReadonlySet<string>> {
  if (paths.length === 0) return new Set();
  const args = ['check-ignore', '-z', '--stdin'];
  const result = await git.run(args, {input: joinNul(paths)});
  // 1 says that none is ignored.
  if (result.status > 1) throw gitFailure(args, result);
  return new Set(splitNul(result.stdout));
}

async function checkLarge(
  worktree: Worktree,
  files: Snapshot['large'],
  signal: AbortSignal | undefined,
): Promise<Kept[]> {
  const disk = openDisk(worktree.top);
  const kept: Kept[] = [];
  for (const {path, sizeBytes, sha256: hash} of files) {
    const stats = disk.look(path);
    if (stats === undefined) kept.push({path, reason: 'it is gone, and was too large to have been saved'});
    else if (Number(stats.size) !== sizeBytes || (await sha256(onDisk(worktree.top, path), signal)) !== hash) {
      kept.push({path, reason: 'it has changed, and was too large to have been saved'});
    }
  }

  return kept;
}

function isIgnoreFile(path: string): boolean {
  return basename(path) === '.gitignore';
}

function partition<T>(items: readonly T[], belongs: (item: T) => boolean): [T[], T[]] {
  return [items.filter(belongs), items.filter(item => !belongs(item))];
}
