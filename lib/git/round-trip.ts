// Finds the files whose bytes git would not give back: what its filters made of a file for the repository, and then of
// that for the disk, is another file. Git has no way to tell, so the stored blobs are checked out beside the worktree
// and compared. A verdict holds for a file that is the same by stat, a blob and the rules of conversion; verdicts are
// kept in `loopx/` of the common git dir, one file for each worktree. Deleting it costs time, nothing else.
import {createHash} from 'node:crypto';
import type {BigIntStats} from 'node:fs';
import {readFile, rename, rm, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {onDisk, sameBytes} from './disk.ts';
import {joinNul} from './path-text.ts';
import type {PrivateIndex} from './private-index.ts';
import type {Worktree} from './worktree.ts';

export type Candidate = {
  readonly path: string;
  readonly oid: string;
  /** The rules of conversion that apply. */
  readonly rules: string;
  /** What the file was just before. */
  readonly stats: BigIntStats;
};

type Verdict = 'same' | 'raw';

// A file that changed just before the snapshot may change again within the same tick of the disk's clock.
const settledAfterNs = 2_000_000_000n;

/** Returns the paths among `files`, all of them in the index with these blobs, that must be stored as they are. */
export async function findRaw(index: PrivateIndex, files: readonly Candidate[]): Promise<string[]> {
  if (files.length === 0) return [];
  const known = await readVerdicts(index.worktree);
  const keys = new Map<string, string>();
  for (const file of files) {
    const {ino, size, mode, mtimeNs, ctimeNs} = file.stats;
    const settledNs = index.startedNs - settledAfterNs;
    if (mtimeNs > settledNs || ctimeNs > settledNs) continue;
    const facts = [file.path, file.oid, file.rules, ino, size, mode, mtimeNs, ctimeNs];
    keys.set(file.path, createHash('sha1').update(facts.join('\0')).digest('hex'));
  }

  const verdictOf = (path: string) => known.get(keys.get(path) ?? '');
  const unknown = files.filter(file => verdictOf(file.path) === undefined);
  const fresh = await tryOut(
    index,
    unknown.map(file => file.path),
  );
  const verdicts = new Map(files.map(({path}) => [path, verdictOf(path) ?? fresh.get(path)!]));
  const keep = [...keys].map(([path, key]): [string, Verdict] => [key, verdicts.get(path)!]);
  if (keep.some(([key]) => !known.has(key)) || keep.length !== known.size) await writeVerdicts(index, keep);
  return files.map(file => file.path).filter(path => verdicts.get(path) === 'raw');
}

async function tryOut(index: PrivateIndex, paths: readonly string[]): Promise<Map<string, Verdict>> {
  if (paths.length === 0) return new Map();
  const {git, top} = index.worktree;
  const dir = join(index.dir, 'checked-out');
  // The exit status doesn't matter: a file that git could not check out is missing, and that is the answer.
  await git.run(['checkout-index', '-q', `--prefix=${dir}/`, '-z', '--stdin'], {input: joinNul(paths)});
  const verdicts = paths.map((path): [string, Verdict] => {
    return [path, sameBytes(onDisk(dir, path), onDisk(top, path)) ? 'same' : 'raw'];
  });
  await rm(dir, {recursive: true, force: true});
  return new Map(verdicts);
}

async function readVerdicts(worktree: Worktree): Promise<Map<string, Verdict>> {
  const text = await readFile(verdictFile(worktree), 'utf8').catch(() => '');
  const lines = text.matchAll(/^([0-9a-f]{40}) (same|raw)$/gm);
  return new Map(Array.from(lines, ([, key, verdict]): [string, Verdict] => [key!, verdict as Verdict]));
}

async function writeVerdicts(index: PrivateIndex, verdicts: readonly [string, Verdict][]): Promise<void> {
  const text = verdicts.map(([key, verdict]) => `${key} ${verdict}\n`).join('');
  const written = join(index.dir, 'round-trip');
  await writeFile(written, text);
  await rename(written, verdictFile(index.worktree));
}

function verdictFile(worktree: Worktree): string {
  const id = createHash('sha1').update(worktree.gitDir).digest('hex').slice(0, 12);
  return join(worktree.commonDir, 'loopx', `round-trip-${id}`);
}
