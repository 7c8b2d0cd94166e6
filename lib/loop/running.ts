// Which agents run on which goals on this machine, one local file each, written before the round begins and removed after
// it ended.
// After a crash the next command learns from it what to look for. The file `loopx-round` in a worktree's git dir names
// the round that is active there, for hooks and commands whose environment doesn't say.
import {link, mkdir, readdir, readFile, rename, rm, writeFile} from 'node:fs/promises';
import {dirname, join} from 'node:path';
import {Failure} from '../failure.ts';
import type {Repository} from '../git/repository.ts';
import type {World} from '../world.ts';
import {localPath} from './context.ts';
import type {Usage} from './executor.ts';
import {isAlive} from './process-table.ts';

export type Running = {
  readonly goal: string;
  readonly agent: string;
  /** The round's id, known before it begins. */
  readonly round: string;
  /** The mark that the agent's processes carry. */
  readonly attempt: string;
  /** Where the loop runs: a repository may lie on a disk that several machines or containers share. */
  readonly machine: string;
  /** The loop's own process, as process-table.ts identifies it; another machine's numbers mean nothing here. */
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
  /** What is known so far, refreshed as it arrives. */
  readonly usage?: Usage;
  readonly calledModel?: boolean;
  readonly lastMessage?: string;
};

/**
 * Writes what is about to run. Of two loops that begin at the same moment as one agent, one is told no before it can
 * touch what the other one wrote down.
 *
 * @throws {Failure} `round-live` while another process of this machine runs this agent on this goal.
 */
export async function claimRunning(repository: Repository, running: Running, world: World): Promise<void> {
  const file = runningFile(repository, running);
  const draft = await writeDraft(file, running);
  try {
    await link(draft, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    const other = await readRunning(file);
    if (other && other.attempt !== running.attempt && processLives(other, world)) {
      throw new Failure('round-live', `${other.agent} has a round already: ${other.round}, in ${other.top}.`, {
        hint: 'Let it end, or stop that loop first.',
      });
    }

    await writeRunning(repository, running);
  } finally {
    await rm(draft, {force: true});
  }
}

/**
 * Refuses a second round in a worktree: two agents would overwrite each other's files, and be credited with each
 * other's commits.
 *
 * @throws {Failure} `round-live` naming who works there.
 */
export async function refuseOccupied(
  repository: Repository,
  wanted: Pick<Running, 'goal' | 'agent'>,
  world: World,
): Promise<void> {
  for (const other of await listRunning(repository)) {
    if (other.gitDir !== repository.gitDir || processLives(other, world) !== true) continue;
    if (other.goal === wanted.goal && other.agent === wanted.agent) continue;
    throw new Failure('round-live', `${other.agent} works in this worktree: round ${other.round} of ${other.goal}.`, {
      hint: 'Let it end, or give the other agent a worktree of its own: git worktree add ../second',
    });
  }
}

/** Writes what runs, whole or not at all. */
export async function writeRunning(repository: Repository, running: Running): Promise<void> {
  const file = runningFile(repository, running);
  await rename(await writeDraft(file, running), file);
}

/** Returns what runs, or ran until it vanished. A file that can't be read is told of by no one: the lease judges then. */
export async function listRunning(repository: Repository): Promise<readonly Running[]> {
  const names = await readdir(localPath(repository, 'running')).catch(() => []);
  const found = await Promise.all(
    names.filter(name => name.endsWith('.json')).map(name => readRunning(localPath(repository, 'running', name))),
  );
  return found.filter(running => running !== undefined);
}

/** Says whether the loop's process lives; undefined where it is, or was, on another machine. */
export function processLives(running: Running, world: Pick<World, 'machine' | 'platform'>): boolean | undefined {
  return running.machine === world.machine ? isAlive(running, world) : undefined;
}

/** Says whether what is written down is still this attempt, and not a later one. */
export async function isCurrent(repository: Repository, running: Running): Promise<boolean> {
  return (await readRunning(runningFile(repository, running)))?.attempt === running.attempt;
}

/** Removes what is written down of an attempt, also what a crash left half written. */
export async function removeRunning(repository: Repository, running: Running): Promise<void> {
  const file = runningFile(repository, running);
  await rm(draftOf(file, running), {force: true});
  if (await isCurrent(repository, running)) await rm(file, {force: true});
}

// A goal's name has no dot, so that no two pairs share a file.
function runningFile(repository: Repository, {goal, agent}: Pick<Running, 'goal' | 'agent'>): string {
  return localPath(repository, 'running', `${goal}.${agent}.json`);
}

async function writeDraft(file: string, running: Running): Promise<string> {
  const draft = draftOf(file, running);
  // Somebody may have deleted it all in the middle of a round.
  await mkdir(dirname(file), {recursive: true});
  await writeFile(draft, JSON.stringify(running));
  return draft;
}

function draftOf(file: string, {attempt}: Running): string {
  return `${file}.${attempt}`;
}

async function readRunning(file: string): Promise<Running | undefined> {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as Running;
  } catch {
    return undefined;
  }
}

const roundFile = 'loopx-round';

/** Names the round that is active in a worktree. */
export async function nameRound(gitDir: string, {goal, round}: {goal: string; round: string}): Promise<void> {
  await writeFile(join(gitDir, roundFile), `${round} ${goal}\n`);
}

/** Takes the round's name away, unless another one is active there since. */
export async function unnameRound(gitDir: string, round: string): Promise<void> {
  if ((await namedRound(gitDir))?.round === round) await rm(join(gitDir, roundFile), {force: true});
}

/** Returns the round that is active in a worktree, if one is named. */
export async function namedRound(gitDir: string): Promise<{readonly goal: string; readonly round: string} | undefined> {
  const text = await readFile(join(gitDir, roundFile), 'utf8').catch(() => '');
  const [round, goal] = text.trim().split(' ');
  return round && goal ? {round, goal} : undefined;
}
