// Whether a remote may lack something, as a hook of git can tell with the builtins of a shell: whoever changes a goal or
// a note leaves a new word in one file, and whoever has sent everything copies the word that was there before it looked.
// It only spares a process: what waits is told by the refs.
import {mkdir, readFile, rename, writeFile} from 'node:fs/promises';
import {dirname, join} from 'node:path';

/** The folder in the common git dir where sync keeps its local files. */
export function syncFolder(commonDir: string): string {
  return join(commonDir, 'loopx', 'sync');
}

/**
 * Leaves a new word. In a repository that isn't connected nobody would read it, and nothing is written.
 *
 * @param word - One that was not left before, such as the commit that a ref was moved to.
 */
export async function markChanged(commonDir: string, word: string): Promise<void> {
  await writeFile(join(syncFolder(commonDir), 'changed'), `${word}\n`).catch(() => {});
}

/** Returns the last word; empty where nothing has changed yet. */
export async function readChanged(commonDir: string): Promise<string> {
  return (await readFile(join(syncFolder(commonDir), 'changed'), 'utf8').catch(() => '')).trim();
}

/** Keeps the word up to which a remote has everything; `refused` where it takes nothing. */
export async function markSent(commonDir: string, remote: string, word: string): Promise<void> {
  const file = join(syncFolder(commonDir), 'remotes', remote);
  await mkdir(dirname(file), {recursive: true});
  await writeFile(`${file}.new~`, `${word}\n`);
  await rename(`${file}.new~`, file);
}
