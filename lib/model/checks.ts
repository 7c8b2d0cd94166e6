// A check is a command whose exit status proves something. Only checks that loopx itself ran make a todo verified.
import {count, flag, list, matching, number, object, oneOf, optional, type Shaped, text} from './shape.ts';

const checkShape = {name: text, run: text};

/** A command, run by sh in the top folder of the worktree. */
export type CheckCommand = Shaped<typeof checkShape>;

export const checkCommand = object(checkShape);
export const checkCommands = list(checkCommand);

const resultShape = {
  name: text,
  run: text,
  outcome: oneOf('pass', 'fail', 'timeout', 'not-trusted'),
  status: optional(count),
  seconds: number,
  /** What the check printed last, cut. */
  tail: optional(text),
};

export type CheckResult = Shaped<typeof resultShape>;

export const checkResults = list(object(resultShape));

/** The git tree on which checks ran, and whether it is exactly what HEAD holds. */
export const treeId = matching(/^[0-9a-f]{40,64}$/, 'an object id');
export const atHead = flag;

/** Says whether all checks passed; an empty list proves nothing. */
export function allPassed(results: readonly CheckResult[]): boolean {
  return results.length > 0 && results.every(result => result.outcome === 'pass');
}

/** Returns a name for a check that was given as a command only: its first words, without options and folders. */
export function checkName(run: string): string {
  const words = run
    .trim()
    .split(/\s+/)
    .filter(word => !word.startsWith('-'));
  return (
    words
      .slice(0, 2)
      .map(word => word.replace(/^.*[/\\](?=.)/, ''))
      .join(' ')
      .slice(0, 40) || 'check'
  );
}
