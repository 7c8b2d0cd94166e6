// Files that a git which was killed leaves behind: locks, reports of crashes, packs that were never finished. They are
// found by their names, since git has no command that lists them.
import {readdir, stat} from 'node:fs/promises';
import {join} from 'node:path';
import type {Repository} from './repository.ts';

export type Leftover = {
  readonly kind: 'lock' | 'crash-report' | 'temporary-pack';
  readonly path: string;
  readonly sizeBytes: number;
  /** Milliseconds since the Unix epoch. */
  readonly changedAtMs: number;
};

/** Returns them all, also those of a git that is still running: only their age tells. */
export async function findLeftovers({gitDir, commonDir}: Repository): Promise<readonly Leftover[]> {
  // What stops loopx from writing, or an agent from committing. A worktree that isn't linked has one folder for both.
  const locks = new Set([
    ...['index.lock', 'HEAD.lock'].map(name => join(gitDir, name)),
    ...['packed-refs.lock', 'config.lock', 'refs/notes/loopx.lock'].map(name => join(commonDir, name)),
    ...(await namesIn(join(commonDir, 'refs', 'loopx'), /\.lock$/, {recursive: true})),
  ]);
  const reports = await Promise.all(
    [...new Set([gitDir, commonDir])].map(folder => namesIn(folder, /^fast_import_crash_\d+$/, {recursive: false})),
  );
  const packs = await namesIn(join(commonDir, 'objects', 'pack'), /^tmp_/, {recursive: false});
  const found = await Promise.all([
    ...[...locks].map(path => look('lock', path)),
    ...reports.flat().map(path => look('crash-report', path)),
    ...packs.map(path => look('temporary-pack', path)),
  ]);
  return found.filter(leftover => leftover !== undefined);
}

async function namesIn(folder: string, pattern: RegExp, {recursive}: {recursive: boolean}): Promise<readonly string[]> {
  const entries = await readdir(folder, {recursive}).catch((): string[] => []);
  return entries.filter(path => pattern.test(path)).map(path => join(folder, path));
}

async function look(kind: Leftover['kind'], path: string): Promise<Leftover | undefined> {
  const stats = await stat(path).catch(() => undefined);
  return stats && {kind, path, sizeBytes: stats.size, changedAtMs: stats.mtimeMs};
}
