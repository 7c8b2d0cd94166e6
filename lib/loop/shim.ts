// A small program named `loopx` for agents: `$LOOPX_BIN`, and the last place on their PATH, so that they can call loopx
// even where it is not installed.
import {chmod, mkdir, rename, writeFile} from 'node:fs/promises';
import type {Repository} from '../git/repository.ts';
import {localPath} from './context.ts';

/** Writes the program, and returns its file and folder. */
export async function writeShim(
  repository: Repository,
  loopx: readonly string[],
): Promise<{file: string; folder: string}> {
  const folder = localPath(repository, 'bin');
  const file = `${folder}/loopx`;
  const words = loopx.map(word => `'${word.replaceAll("'", `'\\''`)}'`).join(' ');
  await mkdir(folder, {recursive: true});
  // Another round may be starting at this moment: what it finds is whole.
  await writeFile(`${file}.new`, `#!/bin/sh\nexec ${words} "$@"\n`);
  await chmod(`${file}.new`, 0o755);
  await rename(`${file}.new`, file);
  return {file, folder};
}
