// What the hook pre-push needs in the common git dir: the script that it goes on in, how loopx is started, and a file
// for each remote that it may send to. All of it goes with `loopx disconnect`.
import {mkdir, readFile, rename, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {readConfig} from '../git/config.ts';
import type {Repository} from '../git/repository.ts';
import {readHookScript} from '../hosts/hook-body.ts';
import {markSent, syncFolder} from '../store/unsent.ts';
import {forgetOthers} from './memory.ts';
import {connectedRemotes} from './remotes.ts';

/**
 * Lets the hook send to the remotes that are connected. Done again, it lets it try those again that took nothing.
 *
 * @param loopx - The command that starts this loopx.
 */
export async function preparePush({git, commonDir}: Repository, loopx: readonly string[]): Promise<void> {
  const remotes = connectedRemotes(await readConfig(git)).map(({name}) => name);
  await mkdir(syncFolder(commonDir), {recursive: true});
  await replace(join(commonDir, 'loopx', 'push'), await readHookScript('loopx-push'));
  await replace(join(commonDir, 'loopx', 'launch'), loopx.map(word => `${word}\n`).join(''));
  await forgetOthers(commonDir, remotes);
  for (const remote of remotes) await markSent(commonDir, remote, 'nothing');
}

// A hook may be reading it just now.
async function replace(file: string, text: string): Promise<void> {
  if ((await readFile(file, 'utf8').catch(() => undefined)) === text) return;
  await writeFile(`${file}.new`, text);
  await rename(`${file}.new`, file);
}
