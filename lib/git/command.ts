// The only place that starts the git binary. Every child gets a clean, fixed environment: git's own variables
// (GIT_DIR, GIT_INDEX_FILE …) leak from hooks and would point a child at the wrong repository; locale decides prose;
// optional locks would get in the way of the user's own git.
import {spawn} from 'node:child_process';
import {Failure} from '../failure.ts';

export type GitResult = {readonly status: number; readonly stdout: Buffer; readonly stderr: string};

export type GitOptions = {
  /** Bytes or text for standard input, which is always closed after. */
  readonly input?: string | Uint8Array;
  /** Added to, or with `undefined` taken out of, the clean environment. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly signal?: AbortSignal;
  /** Another folder than the runner's. */
  readonly cwd?: string;
};

/** Runs git in one folder. */
export type Git = {
  readonly dir: string;
  /** The environment that children get, for long-running ones that others start. */
  readonly env: Readonly<Record<string, string>>;
  /** Runs git to its end, whatever its exit status. Throws only where git could not be started. */
  readonly run: (args: readonly string[], options?: GitOptions) => Promise<GitResult>;
  /** Runs git and returns its output without the last line end; any other exit status than 0 is a Failure. */
  readonly text: (args: readonly string[], options?: GitOptions) => Promise<string>;
  /** As `text`, for output whose bytes count. */
  readonly bytes: (args: readonly string[], options?: GitOptions) => Promise<Buffer>;
};

// What `git rev-parse --local-env-vars` prints, fixed here to save a process, and what else changes git's output.
const scrubbed = [
  'GIT_ALTERNATE_OBJECT_DIRECTORIES', 'GIT_CONFIG', 'GIT_CONFIG_PARAMETERS', 'GIT_CONFIG_COUNT', 'GIT_OBJECT_DIRECTORY',
  'GIT_DIR', 'GIT_WORK_TREE', 'GIT_IMPLICIT_WORK_TREE', 'GIT_GRAFT_FILE', 'GIT_INDEX_FILE', 'GIT_NO_REPLACE_OBJECTS',
  'GIT_REPLACE_REF_BASE', 'GIT_PREFIX', 'GIT_SHALLOW_FILE', 'GIT_COMMON_DIR', 'GIT_INTERNAL_SUPER_PREFIX',
  'GIT_QUARANTINE_PATH', 'GIT_NAMESPACE', 'GIT_EXTERNAL_DIFF', 'GIT_DIFF_OPTS', 'GIT_NOTES_REF', 'GIT_NOTES_DISPLAY_REF',
  'GIT_NOTES_REWRITE_REF', 'GIT_LITERAL_PATHSPECS', 'GIT_GLOB_PATHSPECS', 'GIT_NOGLOB_PATHSPECS', 'GIT_ICASE_PATHSPECS',
  'GIT_TRACE', 'GIT_PAGER', 'GIT_EDITOR', 'GIT_SEQUENCE_EDITOR', 'GIT_REFLOG_ACTION',
  'GIT_AUTHOR_NAME', 'GIT_AUTHOR_EMAIL', 'GIT_AUTHOR_DATE', 'GIT_COMMITTER_NAME', 'GIT_COMMITTER_EMAIL', 'GIT_COMMITTER_DATE',
]; // biome-ignore format: a table reads better dense

/** Returns the environment for git's children, made from the user's. */
export function cleanEnv(env: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const clean: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) {
    if (value !== undefined && !scrubbed.includes(name) && !/^GIT_CONFIG_(KEY|VALUE)_\d+$/.test(name))
      clean[name] = value;
  }

  return {...clean, LC_ALL: 'C', LANGUAGE: '', GIT_OPTIONAL_LOCKS: '0', GIT_TERMINAL_PROMPT: '0', GIT_PAGER: 'cat'};
}

/**
 * Returns a runner of git in `dir`.
 *
 * @param env - The user's environment; git's own variables in it are not passed on.
 */
export function openGit(dir: string, env: Readonly<Record<string, string | undefined>>): Git {
  const clean = cleanEnv(env);
  const run: Git['run'] = (args, options = {}) => start(args, {...options, cwd: options.cwd ?? dir}, clean);
  const bytes: Git['bytes'] = async (args, options) => {
    const result = await run(args, options);
    if (result.status !== 0) throw gitFailure(args, result);
    return result.stdout;
  };

  return {
    dir,
    env: clean,
    run,
    bytes,
    text: async (args, options) => (await bytes(args, options)).toString().replace(/\r?\n$/, ''),
  };
}

/** Returns the failure that tells of an unexpected exit status of git. */
export function gitFailure(args: readonly string[], result: GitResult): Failure {
  const said = result.stderr
    .trim()
    .split('\n')
    .filter(line => !line.startsWith('hint:'))
    .at(-1);
  const verb = args.find(arg => !arg.startsWith('-') && !arg.includes('=')) ?? '';
  return new Failure('git-failed', `git ${verb} failed: ${said || `exit status ${result.status}`}`, {
    hint: 'Run `loopx doctor` to see what is wrong with the repository.',
  });
}

function start(
  args: readonly string[],
  options: GitOptions & {cwd: string},
  clean: Record<string, string>,
): Promise<GitResult> {
  const env: Record<string, string | undefined> = options.env ? {...clean, ...options.env} : clean;
  return new Promise((resolve, reject) => {
    const child = spawn('git', args as string[], {
      ...{cwd: options.cwd, env, signal: options.signal, windowsHide: true},
      // A pipe that nobody writes to would cost its making.
      stdio: [options.input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
    });
    const out: Buffer[] = [];
    const err: Buffer[] = [];
    child.stdout!.on('data', (chunk: Buffer) => out.push(chunk));
    child.stderr!.on('data', (chunk: Buffer) => err.push(chunk));
    child.on('error', error => reject(startFailure(error, options.cwd)));
    child.on('close', status => {
      resolve({status: status ?? 128, stdout: Buffer.concat(out), stderr: Buffer.concat(err).toString()});
    });
    // A git that ends before it has read all is told of by its exit status, not by the broken pipe.
    child.stdin?.on('error', () => {});
    child.stdin?.end(options.input ?? '');
  });
}

function startFailure(error: NodeJS.ErrnoException, cwd: string): Failure {
  if (error.name === 'AbortError') return new Failure('interrupted', 'Interrupted.', {cause: error});
  if (error.code === 'ENOENT') {
    return new Failure('git-missing', `git could not be started in ${cwd}.`, {
      hint: 'Install git, put it on PATH, and check that the folder exists.',
      cause: error,
    });
  }

  return new Failure('git-failed', `git could not be started: ${error.message}`, {cause: error});
}
