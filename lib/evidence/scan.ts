// Commits that no round knows. Hooks are hints and may be off, so the truth is a look at HEAD's history: one `git log`
// from where it was when loopx first saw the repository. What was there before, what a remote has, and what a round that
// is running has made, is not counted.
import {appendFile, mkdir, readFile, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import type {Repository} from '../git/repository.ts';
import {listTips, listUnnoted, type UnnotedCommit} from '../git/unnoted.ts';
import type {World} from '../world.ts';
import {readSpool, trimSpool} from './spool.ts';

export type CommitScan = {
  /** How many commits of HEAD belong to no round; at most a thousand are counted. */
  readonly untracked: number;
  /** The latest of them. */
  readonly latest: readonly UnnotedCommit[];
};

const latestMax = 5;
/** From so many commits without a gap on, the next look starts at their end. */
const advanceAfter = 100;

/** Counts the commits that no round knows. The first look at a repository counts none: it marks where to begin. */
export async function scanCommits(
  {git, commonDir}: Repository,
  world: Pick<World, 'now' | 'pid'>,
): Promise<CommitScan> {
  await trimSpool(commonDir, world);
  const seen = await readSeen(commonDir);
  if (!seen) {
    // Where nothing can be written, such as a read-only disk, no round will begin either.
    await markSeen({git, commonDir}).catch(passOverUnwritable);
    return {untracked: 0, latest: []};
  }

  const [{head, listed, unnoted}, observed] = await Promise.all([listUnnoted(git, seen), readSpool(commonDir)]);
  const ofRounds = new Set(observed.filter(line => line.round !== undefined).map(line => line.commit));
  const untracked = unnoted.filter(({commit}) => !ofRounds.has(commit));
  if (head && unnoted.length === 0 && listed >= advanceAfter) {
    await appendFile(seenFile(commonDir), linesOf([head])).catch(passOverUnwritable);
  }

  return {untracked: untracked.length, latest: untracked.slice(0, latestMax)};
}

/** Marks all that is there now as seen, unless there is a mark already. */
export async function markSeen({git, commonDir}: Pick<Repository, 'git' | 'commonDir'>): Promise<void> {
  const tips = await listTips(git);
  await mkdir(join(commonDir, 'loopx'), {recursive: true});
  await writeFile(seenFile(commonDir), linesOf(tips), {flag: 'wx'}).catch(error => {
    if (error.code !== 'EEXIST') throw error;
  });
}

function passOverUnwritable(error: NodeJS.ErrnoException): void {
  if (!['EACCES', 'EPERM', 'EROFS', 'ENOSPC', 'EDQUOT'].includes(error.code ?? '')) throw error;
}

async function readSeen(commonDir: string): Promise<readonly string[] | undefined> {
  const text = await readFile(seenFile(commonDir), 'utf8').catch(() => undefined);
  return text?.split('\n').filter(line => /^[0-9a-f]{40,64}$/.test(line));
}

function linesOf(commits: readonly string[]): string {
  return commits.map(commit => `${commit}\n`).join('');
}

function seenFile(commonDir: string): string {
  return join(commonDir, 'loopx', 'seen');
}
