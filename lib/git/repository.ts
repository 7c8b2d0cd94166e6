// Which repository this is, and where its parts lie. Only git knows: worktrees, submodules and configuration move things.
import {resolve} from 'node:path';
import {Failure} from '../failure.ts';
import {type Git, openGit} from './command.ts';

export type Repository = {
  /** Runs in the top folder of the worktree, or in the git dir of a bare repository. */
  readonly git: Git;
  /** The git dir of this worktree. */
  readonly gitDir: string;
  /** The git dir that all worktrees share. */
  readonly commonDir: string;
  /** The top folder of the worktree; undefined in a bare repository. */
  readonly top: string | undefined;
};

/**
 * Finds the repository that `dir` lies in.
 *
 * @throws {Failure} `not-a-repository`, or `git-failed` where git refuses to look (ownership, a broken config).
 */
export async function openRepository(
  dir: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<Repository> {
  const git = openGit(dir, env);
  const result = await git.run([
    'rev-parse',
    '--is-bare-repository',
    '--git-dir',
    '--git-common-dir',
    '--show-toplevel',
  ]);
  const [bare, gitDir, commonDir, top] = result.stdout.toString().split('\n');
  if (!gitDir || !commonDir) throw notARepository(dir, result.stderr);
  const folder = top || resolve(dir, gitDir);
  return {
    git: openGit(folder, env),
    gitDir: resolve(dir, gitDir),
    commonDir: resolve(dir, commonDir),
    top: bare === 'true' ? undefined : top || undefined,
  };
}

function notARepository(dir: string, stderr: string): Failure {
  const said = stderr.trim().split('\n')[0] ?? '';
  if (/not a git repository/.test(said)) {
    return new Failure('not-a-repository', `${dir} is not in a git repository.`, {
      hint: 'Run `git init` there, or name the repository with `--project DIR`.',
    });
  }

  return new Failure('git-failed', `git can't open the repository at ${dir}: ${said.replace(/^fatal: /, '')}`, {
    hint: /dubious ownership/.test(said)
      ? `Run \`git config --global --add safe.directory ${dir}\` if you trust it.`
      : undefined,
  });
}
