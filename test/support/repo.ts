// A fresh repository in a temporary folder. Nothing of the person who runs the tests gets in: no home, no system or
// global config, no clock. Each commit is a minute after the one before, so that histories are the same on every run.
import {mkdir, mkdtemp, readFile, realpath, rm, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {dirname, join} from 'node:path';
import type {ExecutionContext} from 'ava';
import {type Git, openGit} from '../../lib/git/command.ts';

export type TempRepo = {
  /** The worktree's root. Its parent folder is as temporary, and is the place for clones and linked worktrees. */
  readonly dir: string;
  readonly git: Git;
  /** The environment for other children, and for `openGit` elsewhere. Identity and date are fixed in it. */
  readonly env: Record<string, string>;
  readonly write: (path: string, content: string | Uint8Array) => Promise<void>;
  readonly read: (path: string) => Promise<Buffer>;
  /** Writes the files, adds everything and commits; an empty commit if nothing changed. Returns its object id. */
  readonly commit: (message?: string, files?: Record<string, string>) => Promise<string>;
};

const firstCommitMs = Date.UTC(2026, 0, 1, 12);

/**
 * Returns a new repository, removed when the test ends.
 *
 * @param options.commit - Whether to start with one commit that has a README.md; true unless said.
 * @param options.init - Extra arguments of `git init`, such as `--bare` (then with `commit: false`).
 */
export async function tempRepo(
  t: ExecutionContext,
  options: {commit?: boolean; init?: string[]} = {},
): Promise<TempRepo> {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'loopx-test-')));
  t.teardown(() => rm(root, {recursive: true, force: true, maxRetries: 3}));
  const dir = join(root, 'repo');
  const env = isolatedEnv(join(root, 'home'));
  await mkdir(dir);
  await mkdir(join(root, 'home'));

  const git = openGit(dir, env);
  await git.text(['init', '-q', '-b', 'main', ...(options.init ?? [])]);
  // openGit takes identities out of the environment, so that they are in the repository's config as well.
  await git.text(['config', 'user.name', 'Ada Test']);
  await git.text(['config', 'user.email', 'ada@example.org']);
  await git.text(['config', 'gc.auto', '0']);

  const write: TempRepo['write'] = async (path, content) => {
    await mkdir(dirname(join(dir, path)), {recursive: true});
    await writeFile(join(dir, path), content);
  };
  let commits = 0;
  const commit: TempRepo['commit'] = async (message = 'Change', files = {}) => {
    for (const [path, content] of Object.entries(files)) await write(path, content);
    const date = new Date(firstCommitMs + commits++ * 60_000).toISOString();
    await git.text(['add', '-A']);
    await git.text(['commit', '-q', '--allow-empty', '-m', message], {
      env: {GIT_AUTHOR_DATE: date, GIT_COMMITTER_DATE: date},
    });
    return git.text(['rev-parse', 'HEAD']);
  };

  if (options.commit ?? true) await commit('First commit', {'README.md': '# Example\n'});
  return {dir, git, env, write, read: path => readFile(join(dir, path)), commit};
}

function isolatedEnv(home: string): Record<string, string> {
  return {
    PATH: process.env.PATH ?? '',
    HOME: home,
    XDG_CONFIG_HOME: join(home, '.config'),
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_AUTHOR_NAME: 'Ada Test',
    GIT_AUTHOR_EMAIL: 'ada@example.org',
    GIT_AUTHOR_DATE: new Date(firstCommitMs).toISOString(),
    GIT_COMMITTER_NAME: 'Ada Test',
    GIT_COMMITTER_EMAIL: 'ada@example.org',
    GIT_COMMITTER_DATE: new Date(firstCommitMs).toISOString(),
    LC_ALL: 'C',
    TZ: 'UTC',
  };
}
