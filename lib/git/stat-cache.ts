// What was found out about files at some cost, remembered for as long as they are the same by stat. Lies in `loopx/` of
// the common git dir, a file for each worktree and subject; deleting it costs time, nothing else.
import {createHash} from 'node:crypto';
import type {BigIntStats} from 'node:fs';
import {readFile, rename, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import type {PrivateIndex} from './private-index.ts';

export type StatCache = {
  /** Returns what is known of a file, given all else that the finding hangs on. */
  readonly get: (path: string, stats: BigIntStats, facts?: string) => string | undefined;
  /** Remembers a finding: one word. */
  readonly set: (path: string, stats: BigIntStats, finding: string, facts?: string) => void;
  /** Writes down what was got or set since the cache was opened, and forgets the rest. */
  readonly save: () => Promise<void>;
};

// A file that changed just before may change again within the same tick of the disk's clock.
const settledAfterNs = 2_000_000_000n;

/** Opens the findings on one subject, which names the file. A damaged file counts for what can be read of it. */
export async function openStatCache(index: PrivateIndex, subject: string): Promise<StatCache> {
  const {commonDir, gitDir} = index.worktree;
  const file = join(commonDir, 'loopx', `${subject}-${digest(gitDir).slice(0, 12)}`);
  const text = await readFile(file, 'utf8').catch(() => '');
  const lines = text.matchAll(/^([0-9a-f]{40}) (\w+)$/gm);
  const known = new Map(Array.from(lines, ([, key, finding]): [string, string] => [key!, finding!]));

  const used = new Map<string, string>();
  const keyOf = (path: string, {ino, size, mode, mtimeNs, ctimeNs}: BigIntStats, facts = '') => {
    return digest([path, ino, size, mode, mtimeNs, ctimeNs, facts].join('\0'));
  };
  return {
    get: (path, stats, facts) => {
      const key = keyOf(path, stats, facts);
      const finding = known.get(key);
      if (finding !== undefined) used.set(key, finding);
      return finding;
    },
    set: (path, stats, finding, facts) => {
      const settledNs = index.startedNs - settledAfterNs;
      if (stats.mtimeNs <= settledNs && stats.ctimeNs <= settledNs) used.set(keyOf(path, stats, facts), finding);
    },
    save: async () => {
      if (used.size === known.size && [...used.keys()].every(key => known.has(key))) return;
      const written = join(index.dir, subject);
      await writeFile(written, Array.from(used, ([key, finding]) => `${key} ${finding}\n`).join(''));
      await rename(written, file);
    },
  };
}

function digest(text: string): string {
  return createHash('sha1').update(text).digest('hex');
}
