// The local folder of a round: its brief, and the log of what its agent printed. Only those of the last rounds are kept.
import {mkdir, readdir, rm, stat} from 'node:fs/promises';
import {join} from 'node:path';
import type {Repository} from '../git/repository.ts';
import {localPath} from './context.ts';

const foldersMax = 50;

/** Makes the folder of a round, and removes those that are too old to be looked at. */
export async function makeRoundFolder(repository: Repository, round: string): Promise<string> {
  const folder = localPath(repository, 'rounds', round);
  await mkdir(folder, {recursive: true});
  await removeOld(localPath(repository, 'rounds'));
  return folder;
}

async function removeOld(folder: string): Promise<void> {
  const names = await readdir(folder);
  if (names.length <= foldersMax) return;
  const aged = await Promise.all(
    names.map(async name => {
      const info = await stat(join(folder, name)).catch(() => undefined);
      return {name, atMs: info?.mtimeMs ?? 0};
    }),
  );
  aged.sort((a, b) => b.atMs - a.atMs);
  for (const {name} of aged.slice(foldersMax)) await rm(join(folder, name), {recursive: true, force: true});
}
