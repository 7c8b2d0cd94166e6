// Which agents run on this machine, one local file each, written before the round begins and removed after it ended.
// After a crash the next command learns from it what to look for. The file `loopx-round` in a worktree's git dir names
// the round that is active there, for hooks and commands whose environment doesn't say.
import {mkdir, readdir, readFile, rename, rm, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import type {Repository} from '../git/repository.ts';
import {localPath} from './context.ts';
import type {Usage} from './executor.ts';

export type Running = {
  readonly goal: string;
  readonly agent: string;
  /** The mark that the agent's processes carry. */
  readonly attempt: string;
  /** The loop's own process, as process-table.ts identifies it. */
  readonly pid: number;
  readonly startTime: string | undefined;
  readonly gitDir: string;
  readonly top: string;
  readonly startedAtMs: number;
  /** When the loop last wrote this down. */
  readonly seenAtMs: number;
  /** The code as the round found it. */
  readonly head?: string;
  readonly tree?: string;
  readonly round?: string;
  /** What is known so far, refreshed as it arrives. */
  readonly usage?: Usage;
  readonly calledModel?: boolean;
  readonly lastMessage?: string;
};

/** Writes what runs, whole or not at all. */
export async function writeRunning(repository: Repository, running: Running): Promise<void> {
  const file = runningFile(repository, running.agent);
  await mkdir(localPath(repository, 'running'), {recursive: true});
  await writeFile(`${file}.tmp`, JSON.stringify(running));
  await rename(`${file}.tmp`, file);
}

/** Returns what runs, or ran until it vanished. A file that can't be read is told of by no one: the lease judges then. */
export async function listRunning(repository: Repository): Promise<readonly Running[]> {
  const names = await readdir(localPath(repository, 'running')).catch(() => []);
  const found = await Promise.all(
    names
      .filter(name => name.endsWith('.json'))
      .map(async name => {
        try {
          return JSON.parse(await readFile(localPath(repository, 'running', name), 'utf8')) as Running;
        } catch {
          return undefined;
        }
      }),
  );
  return found.filter(running => running !== undefined);
}

export async function removeRunning(repository: Repository, agent: string): Promise<void> {
  await rm(runningFile(repository, agent), {force: true});
}

function runningFile(repository: Repository, agent: string): string {
  return localPath(repository, 'running', `${agent}.json`);
}

const roundFile = 'loopx-round';

/** Names the round that is active in a worktree, or with undefined none. */
export async function nameRound(gitDir: string, active: {goal: string; round: string} | undefined): Promise<void> {
  if (active) await writeFile(join(gitDir, roundFile), `${active.round} ${active.goal}\n`);
  else await rm(join(gitDir, roundFile), {force: true});
}

/** Returns the round that is active in a worktree, if one is named. */
export async function namedRound(gitDir: string): Promise<{readonly goal: string; readonly round: string} | undefined> {
  const text = await readFile(join(gitDir, roundFile), 'utf8').catch(() => '');
  const [round, goal] = text.trim().split(' ');
  return round && goal ? {round, goal} : undefined;
}
