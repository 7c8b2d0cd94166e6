// Lefthook makes a hook's file anew whenever its configuration changes, so a line of ours in it would be lost. What runs
// then is what `lefthook-local.yml` lists, each user's own file, which projects let git ignore. It stands in each worktree.
// Where git does not ignore it, it may be everybody's, and is left alone.
import {existsSync} from 'node:fs';
import {readFile} from 'node:fs/promises';
import {join} from 'node:path';
import type {Git} from '../git/command.ts';
import {isIgnored} from '../git/hooks.ts';
import {callsLoopx, type HookName, lineByHand} from './git-hook-block.ts';
import type {FileStep} from './hook-step.ts';
import {appendBlock, endLine, ownFile, removeBlock} from './marked-block.ts';

const listName = 'lefthook-local.yml';
// Lefthook reads the first that it finds.
const otherLists = ['yaml', 'toml', 'json', 'jsonc'].map(end => `lefthook-local.${end}`);

/** Hooks to which git pipes something that we read; lefthook passes it on when asked. */
const piped: readonly HookName[] = ['post-rewrite'];

/** Returns the file in a worktree that lists what lefthook runs for this user alone. */
export function lefthookList(top: string): string {
  return join(top, listName);
}

/** Returns what makes lefthook call loopx in a worktree: a step, none where it does already, or why that is the user's. */
export async function planLefthook(
  git: Git,
  top: string,
  hooks: readonly HookName[],
): Promise<FileStep | string | undefined> {
  const file = lefthookList(top);
  const lines = hooks.map(hook => `${lefthookLine(hook)}\n`).join('');
  const before = await readFile(file, 'latin1').catch(() => undefined);
  const own = `${ownFile}\n${lines}${endLine}\n`;
  if (before === own) return undefined;
  if (!(await isIgnored(git, listName))) return `git does not ignore ${listName}, where others would find the change`;
  if (before === undefined || before.startsWith(ownFile)) {
    const other = otherLists.find(name => existsSync(join(top, name)));
    if (other) return `there is ${other}`;
    return before === undefined
      ? {kind: 'create', file, after: own, newMode: 0o644}
      : {kind: 'change', file, before, after: own + removeBlock(before)};
  }

  const rest = removeBlock(before);
  const taken = hooks.find(hook => new RegExp(`^["']?${hook}["']?\\s*:`, 'm').test(rest));
  if (taken) return `it has hooks for ${taken} already`;
  const after = appendBlock(before, lines);
  return after === before ? undefined : {kind: 'change', file, before, after};
}

/** Returns what takes our lines out of a worktree's list; undefined where there are none. */
export async function planLefthookRemoval(top: string): Promise<FileStep | undefined> {
  const file = lefthookList(top);
  const before = await readFile(file, 'latin1').catch(() => undefined);
  if (before === undefined) return undefined;
  const after = removeBlock(before);
  if (after === before) return undefined;
  return after === '' && before.startsWith(ownFile)
    ? {kind: 'remove', file, before}
    : {kind: 'change', file, before, after};
}

/** Returns the line of a list that makes lefthook call loopx on a hook. */
export function lefthookLine(hook: HookName): string {
  const isPiped = piped.includes(hook);
  const line = isPiped ? lineByHand(hook).replace(/ <\/dev\/null$/, '') : lineByHand(hook);
  // Lefthook puts git's arguments in.
  const run = hook === 'pre-push' ? `set -- {1} {2}; ${line}` : line;
  return `${hook}: {commands: {loopx: {run: '${run.replaceAll("'", "''")}'${isPiped ? ', use_stdin: true' : ''}}}}`;
}

/** Says whether a person has put the line into one of the worktree's lists. */
export async function isListedByHand(top: string, hook: HookName): Promise<boolean> {
  for (const name of ['lefthook.yml', 'lefthook.yaml', '.lefthook.yml', '.lefthook.yaml', listName]) {
    const text = await readFile(join(top, name), 'latin1').catch(() => '');
    if (callsLoopx(removeBlock(text), hook)) return true;
  }

  return false;
}
