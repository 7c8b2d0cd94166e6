// Programs that projects use beside loopx. The suite runs with Node and git alone: a test that needs one of these is
// skipped where it is missing, and says so. They are looked for on PATH and in the folders that LOOPX_TEST_TOOLS names.
import {existsSync} from 'node:fs';
import {delimiter, dirname, join} from 'node:path';
import test from 'ava';

const folders = [
  ...(process.env.LOOPX_TEST_TOOLS ?? '').split(delimiter),
  ...(process.env.PATH ?? '').split(delimiter),
];

const missing = new Set<string>();

/** Returns the file of a program; undefined where it is missing. */
export function findTool(name: string): string | undefined {
  return folders
    .filter(Boolean)
    .map(folder => join(folder, name))
    .find(file => existsSync(file));
}

/** Returns `test`, or what skips a test where the program is missing. */
export function testWith(name: string): typeof test | typeof test.skip {
  if (findTool(name)) return test;
  if (!missing.has(name)) process.stderr.write(`${name} is not on this machine: tests that need it are skipped.\n`);
  missing.add(name);
  return test.skip;
}

/** Returns a PATH on which the programs are found. */
export function pathWith(...names: readonly string[]): string {
  const found = names.flatMap(name => findTool(name) ?? []);
  return [...found.map(dirname), process.env.PATH ?? ''].join(delimiter);
}
