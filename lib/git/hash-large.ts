// Files too large to be saved, told apart by their hash. Each is read once, and again only after it changed.
import {onDisk, openDisk, sha256} from './disk.ts';
import type {PrivateIndex} from './private-index.ts';
import {openStatCache} from './stat-cache.ts';

export type LargeFile = {readonly path: string; readonly sizeBytes: number; readonly sha256: string};

/** Hashes files; `unread` are those that could not be read. */
export async function hashLarge(
  index: PrivateIndex,
  paths: readonly string[],
  signal: AbortSignal | undefined,
): Promise<{large: LargeFile[]; unread: string[]}> {
  if (paths.length === 0) return {large: [], unread: []};
  const {top} = index.worktree;
  const disk = openDisk(top);
  const cache = await openStatCache(index, 'large');
  const large: LargeFile[] = [];
  const unread: string[] = [];
  for (const path of paths) {
    const stats = disk.look(path);
    const hash = stats && (cache.get(path, stats) ?? (await sha256(onDisk(top, path), signal)));
    if (hash === undefined) {
      unread.push(path);
      continue;
    }

    cache.set(path, stats!, hash);
    large.push({path, sizeBytes: Number(stats!.size), sha256: hash});
  }

  await cache.save();
  return {large, unread};
}
