// Finds the files whose bytes git would not give back: what its filters made of a file for the repository, and then of
// that for the disk, is another file. Git has no way to tell, so the stored blobs are checked out beside the worktree
// and compared: once for a file that stays the same by stat, with one blob and the same rules of conversion.
import type {BigIntStats} from 'node:fs';
import {rm} from 'node:fs/promises';
import {join} from 'node:path';
import {onDisk, sameBytes} from './disk.ts';
import {joinNul} from './path-text.ts';
import type {PrivateIndex} from './private-index.ts';
import {openStatCache} from './stat-cache.ts';

export type Candidate = {
  readonly path: string;
  readonly oid: string;
  /** The rules of conversion that apply. */
  readonly rules: string;
  /** What the file was just before. */
  readonly stats: BigIntStats;
};

/** Returns the paths among `files`, all of them in the index with these blobs, that must be stored as they are. */
export async function findRaw(index: PrivateIndex, files: readonly Candidate[]): Promise<string[]> {
  if (files.length === 0) return [];
  const cache = await openStatCache(index, 'round-trip');
  const verdicts = new Map(files.map(file => [file, cache.get(file.path, file.stats, factsOf(file))]));
  const unknown = files.filter(file => verdicts.get(file) === undefined);
  const failed = await tryOut(
    index,
    unknown.map(file => file.path),
  );
  for (const file of unknown) {
    const verdict = failed.has(file.path) ? 'raw' : 'same';
    verdicts.set(file, verdict);
    cache.set(file.path, file.stats, verdict, factsOf(file));
  }

  await cache.save();
  return files.filter(file => verdicts.get(file) === 'raw').map(file => file.path);
}

function factsOf(file: Candidate): string {
  return `${file.oid} ${file.rules}`;
}

async function tryOut(index: PrivateIndex, paths: readonly string[]): Promise<ReadonlySet<string>> {
  if (paths.length === 0) return new Set();
  const {git, top} = index.worktree;
  const dir = join(index.dir, 'checked-out');
  // The exit status doesn't matter: a file that git could not check out is missing, and that is the answer.
  await git.run(['checkout-index', '-q', `--prefix=${dir}/`, '-z', '--stdin'], {input: joinNul(paths)});
  const failed = paths.filter(path => !sameBytes(onDisk(dir, path), onDisk(top, path)));
  await rm(dir, {recursive: true, force: true});
  return new Set(failed);
}
