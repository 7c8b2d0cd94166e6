// Where git takes its hooks from: a folder, and from 2.54 on its configuration as well.
import {existsSync} from 'node:fs';
import {join} from 'node:path';
import type {Git} from './command.ts';
import type {Repository} from './repository.ts';

/** Returns the folder in which git looks for hooks, which need not exist. */
export async function hooksFolder(git: Git): Promise<string> {
  return git.text(['rev-parse', '--git-path', 'hooks']);
}

/** Says whether this git runs hooks that its configuration names. */
export async function knowsConfiguredHooks(git: Git): Promise<boolean> {
  const name = 'loopx-probe';
  const hook = ['-c', `hook.${name}.command=true`, '-c', `hook.${name}.event=post-commit`];
  return (await git.run([...hook, 'hook', 'list', 'post-commit'])).stdout.toString().split('\n').includes(name);
}

/** Returns the names of the configured hooks that git runs on an event. */
export async function configuredHooks(git: Git, event: string): Promise<readonly string[]> {
  return (await git.run(['hook', 'list', event])).stdout.toString().split('\n').filter(Boolean);
}

/** Returns the top folders of the repository's worktrees, this one first; none of a bare repository, or of a lost one. */
export async function worktreeTops({git, top}: Repository): Promise<readonly string[]> {
  const listed = (await git.run(['worktree', 'list', '--porcelain'])).stdout.toString().split('\n');
  const tops = listed.flatMap(line => (line.startsWith('worktree ') ? [line.slice('worktree '.length)] : []));
  // Git names the git dir where the main worktree is bare, a submodule's, or elsewhere by core.worktree.
  return [...new Set([...(top ? [top] : []), ...tops.filter(dir => existsSync(join(dir, '.git')))])];
}

/** Says whether git ignores a file of the worktree, and doesn't track it. */
export async function isIgnored(git: Git, path: string): Promise<boolean> {
  return (await git.run(['check-ignore', '-q', '--', path])).status === 0;
}
