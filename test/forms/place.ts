// A place to play a goal in: a repository of some form, a bare remote beside it, and who calls loopx there.
import {mkdir} from 'node:fs/promises';
import {dirname, join} from 'node:path';
import type {ExecutionContext} from 'ava';
import {openGit} from '../../lib/git/command.ts';
import type {ShellOptions} from '../support/loopx.ts';
import {type TempRepo, tempRepo} from '../support/repo.ts';

export type Place = {
  readonly repo: TempRepo;
  /** How loopx is called there. */
  readonly options?: ShellOptions;
};

/** Returns a repository with a bare remote that has its commits. */
export async function withRemote(t: ExecutionContext, options: Parameters<typeof tempRepo>[1] = {}): Promise<TempRepo> {
  const repo = await tempRepo(t, options);
  const format = (options.init ?? []).filter(arg => arg.startsWith('--object-format'));
  await mkdir(remoteOf(repo));
  const remote = openGit(remoteOf(repo), repo.env);
  await remote.text(['init', '-q', '--bare', '-b', 'main', ...format]);
  await remote.text(['config', 'uploadpack.allowFilter', 'true']);
  await repo.git.text(['remote', 'add', 'origin', remoteUrl(repo)]);
  if (options.commit ?? true) {
    for (const name of ['one', 'two']) await repo.commit(name, {[`${name}/file.txt`]: `${name}\n`});
    await repo.git.text(['push', '-q', 'origin', 'main']);
    await repo.git.text(['fetch', '-q', 'origin']);
  }

  return repo;
}

/** Returns a clone of the remote, at another place in the same temporary folder. */
export async function cloneOf(repo: TempRepo, args: readonly string[], name = 'clone'): Promise<TempRepo> {
  const dir = join(dirname(repo.dir), name);
  await repo.git.text(['clone', '-q', ...args, remoteUrl(repo), dir]);
  return at(repo, dir);
}

/** Returns the same temporary folder's things for another worktree. */
export function at(repo: TempRepo, dir: string): TempRepo {
  return {...repo, dir, git: openGit(dir, repo.env)};
}

export function remoteOf({env}: TempRepo): string {
  return join(dirname(env.HOME!), 'remote.git');
}

export function remoteUrl(repo: TempRepo): string {
  return `file://${remoteOf(repo)}`;
}
