// Where a worktree's parts lie, and a git that can't be led elsewhere: folder, git dir and worktree are given to it,
// instead of being looked for again by each child. Work on the files starts here; the user's index, HEAD, refs and
// config are only read.
import {lstatSync} from 'node:fs';
import {join, resolve} from 'node:path';
import {Failure} from '../failure.ts';
import {type Git, type GitOptions, gitFailure} from './command.ts';
import {splitNul} from './path-text.ts';

export type Worktree = {
  /** Runs git at the worktree's root, against `indexFile` once that is set by `withIndex`. */
  readonly git: Git;
  readonly top: string;
  readonly gitDir: string;
  readonly commonDir: string;
  /** The user's index; the file may be missing. */
  readonly indexFile: string;
  /** The settings that decide which bytes git stores: each name in git's lower case, with its last value. */
  readonly config: ReadonlyMap<string, string>;
};

const settings = '^(core\\.(autocrlf|eol|filemode|ignorecase|sparsecheckout)|filter\\..*)$';

/**
 * Finds the worktree that `git` is opened in; a sub folder will do.
 *
 * @throws {Failure} `not-a-repository`, or `git-failed` where the repository has no worktree.
 */
export async function openWorktree(git: Git, signal?: AbortSignal): Promise<Worktree> {
  const args = ['rev-parse', '--is-inside-work-tree', '--git-dir', '--git-common-dir', '--git-path', 'index'];
  const [found, root, listed] = await Promise.all([
    git.run(args, {signal}),
    git.run(['rev-parse', '--show-toplevel'], {signal}),
    git.run(['config', '-z', '--get-regexp', settings], {signal}),
  ]);
  if (/not a git repository/i.test(found.stderr)) {
    throw new Failure('not-a-repository', `${git.dir} is not in a git repository.`, {
      hint: 'Change to the repository, or make one with `git init`.',
    });
  }

  if (found.status !== 0) throw gitFailure(args, found);
  const [inside, gitDir, commonDir, indexFile] = found.stdout.toString().trimEnd().split('\n') as string[];
  if (inside !== 'true' || root.status !== 0) {
    throw new Failure('git-failed', `${git.dir} has no working tree: it is bare, or the git folder itself.`, {
      hint: 'Run this in a checkout, such as one made by `git worktree add`.',
    });
  }

  const top = root.stdout.toString().replace(/\r?\n$/, '');
  const at = {
    top,
    gitDir: resolve(git.dir, gitDir!),
    commonDir: resolve(git.dir, commonDir!),
    indexFile: resolve(git.dir, indexFile!),
  };
  const config = readConfig(listed.stdout);
  const bound = adapt(
    {...withEnv(git, {GIT_DIR: at.gitDir, GIT_WORK_TREE: top}), dir: top},
    {
      args: args => args,
      options: options => ({cwd: top, signal, ...options}),
    },
  );
  return {...at, config, git: withSettings(bound, [...ourSettings, ...caseSettings(config, at.commonDir)])};
}

/** Returns the worktree with another index file, which its git then reads and writes. */
export function withIndex(worktree: Worktree, indexFile: string): Worktree {
  return {...worktree, indexFile, git: withEnv(worktree.git, {GIT_INDEX_FILE: indexFile})};
}

/** Reads a boolean of git's config, such as `core.fileMode`. */
export function isSet(config: Worktree['config'], name: string): boolean {
  return /^(true|yes|on|[1-9]\d*)$/i.test(config.get(name) ?? 'false');
}

/** Returns the same git with settings of its own, as `-c name=value` gives. */
export function withSettings(git: Git, settings: readonly string[]): Git {
  const before = settings.flatMap(setting => ['-c', setting]);
  return adapt(git, {args: args => [...before, ...args], options: options => options});
}

function withEnv(git: Git, env: Readonly<Record<string, string>>): Git {
  return adapt(git, {args: args => args, options: options => ({...options, env: {...env, ...options?.env}})});
}

function adapt(
  git: Git,
  change: {
    args: (args: readonly string[]) => readonly string[];
    options: (options: GitOptions | undefined) => GitOptions | undefined;
  },
): Git {
  return {
    ...git,
    run: (args, options) => git.run(change.args(args), change.options(options)),
    text: (args, options) => git.text(change.args(args), change.options(options)),
    bytes: (args, options) => git.bytes(change.args(args), change.options(options)),
  };
}

// A file system monitor may be a daemon that git would start for us; a split index would leave a shared part in the
// user's git dir; `core.safecrlf` would make line ends fatal that we take care of ourselves.
const ourSettings = ['core.fsmonitor=false', 'core.splitIndex=false', 'core.safecrlf=false'];

// A repository copied from a Mac says core.ignoreCase on a disk that tells README from readme, and git then never lists
// the renamed file. `git init` asks the disk by the name CoNfIg as well.
function caseSettings(config: Worktree['config'], commonDir: string): string[] {
  if (!isSet(config, 'core.ignorecase')) return [];
  return lstatSync(join(commonDir, 'CoNfIg'), {throwIfNoEntry: false}) ? [] : ['core.ignoreCase=false'];
}

function readConfig(output: Buffer): Map<string, string> {
  const entries = splitNul(output).map((entry): [string, string] => {
    const end = entry.indexOf('\n');
    // A name without a value, as in `[core] autocrlf`, means true.
    return end < 0 ? [entry, 'true'] : [entry.slice(0, end), entry.slice(end + 1)];
  });
  return new Map(entries);
}
