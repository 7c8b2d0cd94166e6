// A copy of the user's index to work in. It knows the stat info of each file, so that git rereads only what changed, and
// which ignored files are tracked; a fresh index knows neither. The copy lies in `loopx/` of the common git dir, and is
// removed whatever happens.
import {mkdir, mkdtemp, open, readdir, rm, stat, utimes} from 'node:fs/promises';
import {join} from 'node:path';
import {type Worktree, withIndex} from './worktree.ts';

export type PrivateIndex = {
  /** The worktree, whose git now works on the copy. */
  readonly worktree: Worktree;
  /** A folder for other temporary files; on the same disk as the repository, and removed at the end. */
  readonly dir: string;
  /** The time of the disk when the copy was made, in nanoseconds. */
  readonly startedNs: bigint;
};

const staleAfterNs = 86_400_000_000_000n;

/** Calls `use` with a private copy of the worktree's index, and removes the copy when it is done. */
export async function withPrivateIndex<T>(worktree: Worktree, use: (index: PrivateIndex) => Promise<T>): Promise<T> {
  const room = join(worktree.commonDir, 'loopx');
  await mkdir(room, {recursive: true});
  const dir = await mkdtemp(join(room, 'tmp-'));
  try {
    const {mtimeNs: startedNs} = await stat(dir, {bigint: true});
    await removeStale(room, startedNs);
    const copy = join(dir, 'index');
    await copyIndex(worktree.indexFile, copy);
    return await use({worktree: withIndex(worktree, copy), dir, startedNs});
  } finally {
    await rm(dir, {recursive: true, force: true});
  }
}

// Git rereads a file that is not older than the index, since it may have changed after it was looked at in the same
// tick. A copy must not look younger than the original, or such files would pass as unchanged.
async function copyIndex(from: string, to: string): Promise<void> {
  const original = await open(from).catch(error => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  // No index, as before the first `git add`: git takes a missing file for an empty index.
  if (!original) return;
  try {
    const {atimeMs, mtimeMs} = await original.stat();
    const copy = await open(to, 'wx', 0o600);
    try {
      await copy.writeFile(await original.readFile());
    } finally {
      await copy.close();
    }

    // A number can't hold nanoseconds, so a millisecond earlier, never later.
    await utimes(to, atimeMs / 1000, (mtimeMs - 1) / 1000);
  } finally {
    await original.close();
  }
}

// What a killed process left. No process works on one snapshot for a day.
async function removeStale(room: string, nowNs: bigint): Promise<void> {
  for (const name of await readdir(room)) {
    if (!name.startsWith('tmp-')) continue;
    const dir = join(room, name);
    const touched = await stat(dir, {bigint: true}).catch(() => undefined);
    if (touched && nowNs - touched.mtimeNs > staleAfterNs) await rm(dir, {recursive: true, force: true});
  }
}
