// Several clones of one bare repository, all connected, as several machines would have them.
import {mkdir} from 'node:fs/promises';
import {dirname, join} from 'node:path';
import type {ExecutionContext} from 'ava';
import {openGit} from '../../lib/git/command.ts';
import {openRepository} from '../../lib/git/repository.ts';
import {applyConnect, planConnect} from '../../lib/hosts/connect.ts';
import {type TempRepo, tempRepo} from '../support/repo.ts';

export type Clone = {
  readonly repo: TempRepo;
  /** The bare repository that all clones have as `origin`. */
  readonly remote: string;
  readonly tip: (goal: string) => Promise<string>;
  readonly remoteTip: (goal: string) => Promise<string>;
};

/** Returns so many connected clones. */
export async function clones(t: ExecutionContext, count: number): Promise<readonly Clone[]> {
  const first = await tempRepo(t);
  const root = dirname(first.dir);
  const remote = join(root, 'remote.git');
  await first.git.text(['clone', '-q', '--bare', first.dir, remote]);
  await first.git.text(['remote', 'add', 'origin', remote]);
  const bare = openGit(remote, first.env);
  const all: Clone[] = [];
  for (let index = 0; index < count; index += 1) {
    const repo = index === 0 ? first : await cloneOf(first, remote, join(root, `clone-${index}`));
    const repository = await openRepository(repo.dir, repo.env);
    await repo.git.text(['fetch', '-q', 'origin']);
    await applyConnect(repository, await planConnect(repository));
    all.push({
      repo,
      remote,
      tip: goal => repo.git.text(['rev-parse', `refs/loopx/goals/${goal}`]),
      remoteTip: goal => bare.text(['rev-parse', `refs/loopx/goals/${goal}`]),
    });
  }

  return all;
}

async function cloneOf(first: TempRepo, remote: string, dir: string): Promise<TempRepo> {
  await mkdir(dir);
  await first.git.text(['clone', '-q', remote, dir]);
  const git = openGit(dir, first.env);
  await git.text(['config', 'user.name', 'Bob Test']);
  await git.text(['config', 'user.email', 'bob@example.org']);
  await git.text(['config', 'gc.auto', '0']);
  return {...first, dir, git};
}
