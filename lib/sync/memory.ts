// What syncing remembers on this machine, in the common git dir: what was taken in last, and how each remote answered.
// Losing it loses no state; it spares work, and tells what the refs alone can't: that a remote has lost something.
import {mkdir, readdir, readFile, rename, rm, writeFile} from 'node:fs/promises';
import {dirname, join, relative} from 'node:path';
import type {FailureCode} from '../failure.ts';
import {syncFolder} from '../store/unsent.ts';

/** Why something fetched was not taken in. */
export type Problem = {readonly code: FailureCode; readonly message: string; readonly hint?: string};

export type TakenIn = {
  /** Where each tracking ref was when it was last looked at. */
  readonly tips: Readonly<Record<string, string>>;
  readonly problems: Readonly<Record<string, Problem>>;
};

export type RemoteMemory = {
  /** What the remote accepted last, by our name of the ref. */
  readonly accepted: Readonly<Record<string, string>>;
  /** What it said when it took none of our refs. */
  readonly refused?: string;
  /** Why the last attempt came to nothing. */
  readonly failed?: string;
};

/** Says whether all that was fetched has been looked at. */
export async function isTakenIn(commonDir: string, tracked: ReadonlyMap<string, string>): Promise<boolean> {
  if (tracked.size === 0) return true;
  const {tips} = await readTakenIn(commonDir);
  return [...tracked].every(([ref, tip]) => tips[ref] === tip);
}

/** Returns what was taken in last. */
export async function readTakenIn(commonDir: string): Promise<TakenIn> {
  return {tips: {}, problems: {}, ...(await readJson<TakenIn>(takenInFile(commonDir)))};
}

/** Keeps what was taken in; where nothing can be written, it is looked at again next time. */
export async function keepTakenIn(commonDir: string, takenIn: TakenIn): Promise<void> {
  await writeJson(takenInFile(commonDir), takenIn).catch(() => {});
}

/** Returns what is known of a remote. */
export async function readRemoteMemory(commonDir: string, remote: string): Promise<RemoteMemory> {
  return {accepted: {}, ...(await readJson<RemoteMemory>(memoryFile(commonDir, remote)))};
}

/** Keeps what is known of a remote. */
export async function keepRemoteMemory(commonDir: string, remote: string, memory: RemoteMemory): Promise<void> {
  await writeJson(memoryFile(commonDir, remote), memory).catch(() => {});
}

/** Returns the remotes that connect, or a sync, has left a file for. */
export async function rememberedRemotes(commonDir: string): Promise<readonly string[]> {
  const folder = join(syncFolder(commonDir), 'remotes');
  const entries = await readdir(folder, {withFileTypes: true, recursive: true}).catch(() => []);
  return entries
    .filter(entry => entry.isFile() && !entry.name.endsWith('~'))
    .map(entry => relative(folder, join(entry.parentPath, entry.name)).replaceAll('\\', '/'))
    .sort();
}

/** Forgets remotes that are connected no more. */
export async function forgetOthers(commonDir: string, connected: readonly string[]): Promise<void> {
  for (const remote of await rememberedRemotes(commonDir)) {
    if (connected.includes(remote)) continue;
    await rm(join(syncFolder(commonDir), 'remotes', remote), {force: true}).catch(() => {});
    await rm(memoryFile(commonDir, remote), {force: true}).catch(() => {});
  }
}

function takenInFile(commonDir: string): string {
  return join(syncFolder(commonDir), 'taken-in.json');
}

function memoryFile(commonDir: string, remote: string): string {
  return join(syncFolder(commonDir), 'answers', `${remote}.json`);
}

async function readJson<T>(file: string): Promise<Partial<T>> {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as Partial<T>;
  } catch {
    return {};
  }
}

async function writeJson(file: string, value: object): Promise<void> {
  await mkdir(dirname(file), {recursive: true});
  await writeFile(`${file}.new`, JSON.stringify(value));
  await rename(`${file}.new`, file);
}
