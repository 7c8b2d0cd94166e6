// The script that git's hooks source. It is a file of the package; `connect` copies it into the common git dir, so that
// a hook needs neither loopx on PATH nor its place on the disk, and a repository may be moved.
import {readFile} from 'node:fs/promises';
import {join} from 'node:path';
import {Failure} from '../failure.ts';

/** Returns the file in the common git dir that hooks source; without it they do nothing. */
export function hookBodyFile(commonDir: string): string {
  return join(commonDir, 'loopx', 'hook');
}

/** Returns the text of the script that hooks source. */
export function readHookBody(): Promise<string> {
  return readHookScript('loopx-hook');
}

/** Returns the text of a script of the package, from beside the bundle or beside the sources. */
export async function readHookScript(name: string): Promise<string> {
  for (const place of [`../hooks/${name}`, `../../hooks/${name}`]) {
    const text = await readFile(new URL(place, import.meta.url), 'utf8').catch(() => undefined);
    if (text !== undefined) return text;
  }

  throw new Failure('io-failed', `The file hooks/${name} is missing from this installation of loopx.`, {
    hint: 'Install loopx again.',
  });
}
