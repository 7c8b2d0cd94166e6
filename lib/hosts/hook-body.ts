// The script that git's hooks source. It is a file of the package; `connect` copies it into the common git dir, so that
// a hook needs neither loopx on PATH nor its place on the disk, and a repository may be moved.
import {readFile} from 'node:fs/promises';
import {join} from 'node:path';
import {Failure} from '../failure.ts';

/** Returns the file in the common git dir that hooks source; without it they do nothing. */
export function hookBodyFile(commonDir: string): string {
  return join(commonDir, 'loopx', 'hook');
}

/** Returns the text of the script, from beside the bundle or beside the sources. */
export async function readHookBody(): Promise<string> {
  for (const place of ['../hooks/loopx-hook', '../../hooks/loopx-hook']) {
    const text = await readFile(new URL(place, import.meta.url), 'utf8').catch(() => undefined);
    if (text !== undefined) return text;
  }

  throw new Failure('io-failed', 'The file hooks/loopx-hook is missing from this installation of loopx.', {
    hint: 'Install loopx again.',
  });
}
