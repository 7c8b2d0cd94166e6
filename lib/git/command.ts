// The only place that starts the git binary. Every child gets a clean, fixed environment: git's own variables
// (GIT_DIR, GIT_INDEX_FILE …) leak from hooks and would point a child at the wrong repository; locale decides prose;
// optional locks would get in the way of the user's own git.
import {type ChildProcess, spawn} from 'node:child_process';
import {kill} from 'node:process';
import {Failure} from '../failure.ts';

export type GitResult = {
  readonly status: number;
  readonly stdout: Buffer;
  readonly stderr: string;
  /** Whether it was ended at its time limit. */
  readonly isLate: boolean;
};

export type GitOptions = {
  /** Bytes or text for standard input, which is always closed after. */
  readonly input?: string | Uint8Array;
  /** Added to, or with `undefined` taken out of, the clean environment. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly signal?: AbortSignal;
  /**
   * After so many milliseconds git is ended with all that it started, such as ssh. It then runs in a session of its own,
   * so that none of them finds a terminal to ask on.
   */
  readonly limitMs?: number;
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

/** How long git may take to clean up after itself. */
const graceMs = 300;

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

// Set while git runs a hook, for the repository whose hook it is.
const leading = [
  ...['GIT_DIR', 'GIT_WORK_TREE', 'GIT_COMMON_DIR', 'GIT_INDEX_FILE', 'GIT_NAMESPACE', 'GIT_PREFIX'],
  ...['GIT_OBJECT_DIRECTORY', 'GIT_ALTERNATE_OBJECT_DIRECTORIES', 'GIT_QUARANTINE_PATH', 'GIT_SHALLOW_FILE'],
];

/** Returns an environment without what would lead a program's git to another repository than it works in. */
export function withoutRepository<T>(env: Readonly<Record<string, T>>): Record<string, T> {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !leading.includes(name)));
}

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
export function gitFailure(args: readonly string[], result: Pick<GitResult, 'status' | 'stderr'>): Failure {
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
  const {cwd, input, signal, limitMs} = options;
  const env: Record<string, string | undefined> = options.env ? {...clean, ...options.env} : clean;
  return new Promise((resolve, reject) => {
    const child = spawn('git', args as string[], {
      // In a session of its own: Ctrl-C reaches us first, and of a group that is late all can be ended.
      ...{cwd, env, windowsHide: true, detached: true},
      // Of a group, all have to end, not only its first.
      ...(limitMs === undefined && {signal}),
      // A pipe that nobody writes to would cost its making.
      stdio: [input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
    });
    const limit = limitMs === undefined ? undefined : endGroupAfter(limitMs, child, signal);
    const out: Buffer[] = [];
    const err: Buffer[] = [];
    child.stdout!.on('data', (chunk: Buffer) => out.push(chunk));
    child.stderr!.on('data', (chunk: Buffer) => err.push(chunk));
    child.on('error', error => {
      limit?.over();
      reject(startFailure(error, cwd));
    });
    child.on('close', status => {
      const isLate = limit?.over() ?? false;
      if (limit && signal?.aborted) reject(new Failure('interrupted', 'Interrupted.'));
      resolve({
        ...{status: status ?? 128, isLate},
        ...{stdout: Buffer.concat(out), stderr: Buffer.concat(err).toString()},
      });
    });
    // A git that ends before it has read all is told of by its exit status, not by the broken pipe.
    child.stdin?.on('error', () => {});
    child.stdin?.end(input ?? '');
  });
}

/** Ends the child's process group at its limit, or when the signal aborts. `over` says whether the limit was reached. */
function endGroupAfter(limitMs: number, child: ChildProcess, signal: AbortSignal | undefined): {over: () => boolean} {
  let isLate = false;
  let killing: NodeJS.Timeout | undefined;
  const end = () => {
    // Asked to end, git removes its locks and its unfinished files.
    sendToGroup(child.pid, 'SIGTERM');
    killing ??= setTimeout(() => {
      sendToGroup(child.pid, 'SIGKILL');
      // Something that has left the group may hold them open.
      child.stdout?.destroy();
      child.stderr?.destroy();
    }, graceMs);
  };
  const timer = setTimeout(() => {
    isLate = true;
    end();
  }, limitMs);
  signal?.addEventListener('abort', end, {once: true});
  if (signal?.aborted) end();
  return {
    over() {
      clearTimeout(timer);
      clearTimeout(killing);
      // Git may have ended before what it has started.
      if (killing) sendToGroup(child.pid, 'SIGKILL');
      signal?.removeEventListener('abort', end);
      return isLate;
    },
  };
}

function sendToGroup(pid: number | undefined, signal: NodeJS.Signals): void {
  try {
    if (pid !== undefined) kill(-pid, signal);
  } catch (error) {
    if (!['ESRCH', 'EPERM'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
  }
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
