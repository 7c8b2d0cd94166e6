// What a monitor watches: a ref, or a path of the worktree. Its fingerprint changes when the thing changes.
import {createHash} from 'node:crypto';
import {readdir, readFile, stat} from 'node:fs/promises';
import {join} from 'node:path';
import {Failure} from '../failure.ts';
import {readCommit} from '../git/refs.ts';
import type {Repository} from '../git/repository.ts';

const filesMax = 5000;

/** Refuses what can't be watched. */
export function checkWatch(watch: string): void {
  if (/^(ref|path):.+/.test(watch)) return;
  throw new Failure('usage', `"${watch}" can't be watched.`, {
    hint: 'Use ref:NAME, such as ref:origin/main, or path:PATH.',
  });
}

/** Returns a fingerprint of what is watched; `absent` where there is nothing. */
export async function readWatch({git, top}: Repository, watch: string): Promise<string> {
  const [kind, name = ''] = watch.split(/:(.*)/s);
  if (kind === 'ref') return (await readCommit(git, name)) ?? 'absent';
  if (kind !== 'path' || !top) return 'absent';
  const hash = createHash('sha256');
  const found = await feed(join(top, name), name, hash, {left: filesMax});
  return found ? hash.digest('hex').slice(0, 16) : 'absent';
}

// Files by content, folders by their files; sizes and times stand in for what is too much to read.
async function feed(
  path: string,
  name: string,
  hash: ReturnType<typeof createHash>,
  budget: {left: number},
): Promise<boolean> {
  const info = await stat(path).catch(() => undefined);
  if (!info) return false;
  budget.left -= 1;
  if (info.isDirectory()) {
    for (const entry of budget.left > 0 ? (await readdir(path)).sort() : []) {
      if (entry !== '.git') await feed(join(path, entry), `${name}/${entry}`, hash, budget);
    }
  } else {
    hash.update(`${name}\0${info.size}\0`);
    if (info.isFile() && info.size < 1_000_000) hash.update(await readFile(path));
    else hash.update(String(info.mtimeMs));
  }

  return true;
}
