// The suite runs with Node and git alone: a test that needs another program is skipped where it is missing, and says so.
import test from 'ava';
import {findTool} from './find-tool.ts';

const missing = new Set<string>();

/** Returns `test.serial`, or what skips a test where the program is missing. */
export function testWith(name: string): typeof test.serial | typeof test.skip {
  if (findTool(name)) return test.serial;
  if (!missing.has(name)) process.stderr.write(`${name} is not on this machine: tests that need it are skipped.\n`);
  missing.add(name);
  return test.skip;
}
