// Programs that projects use beside loopx, on PATH or in the folders that LOOPX_TEST_TOOLS names.
import {existsSync} from 'node:fs';
import {delimiter, dirname, join} from 'node:path';

const folders = [
  ...(process.env.LOOPX_TEST_TOOLS ?? '').split(delimiter),
  ...(process.env.PATH ?? '').split(delimiter),
];

/** Returns the file of a program; undefined where it is missing. */
export function findTool(name: string): string | undefined {
  return folders
    .filter(Boolean)
    .map(folder => join(folder, name))
    .find(file => existsSync(file));
}

/** Returns a PATH on which the programs are found. */
export function pathWith(...names: readonly string[]): string {
  const found = names.flatMap(name => findTool(name) ?? []);
  return [...found.map(dirname), process.env.PATH ?? ''].join(delimiter);
}
