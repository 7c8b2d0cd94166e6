// Runs checks: commands whose exit status proves something. Each runs in a process group of its own, so that at its time
// limit, or when somebody asks for the end, everything it has started ends with it. Of what it prints the end is kept.
import {kill} from 'node:process';
import {execa} from 'execa';
import {Failure} from '../failure.ts';
import {cleanEnv} from '../git/command.ts';
import type {CheckCommand, CheckResult} from '../model/checks.ts';
import {redact} from './redact.ts';
import {startTail} from './tail.ts';

export type CheckOptions = {
  /** The top folder of the worktree, in which checks run. */
  readonly top: string;
  /** The user's environment; git's own variables in it are not passed on. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly isTrusted: (run: string) => boolean | Promise<boolean>;
  readonly signal?: AbortSignal;
  /** How long one check may take. */
  readonly timeoutMs: number;
  /** Called with each line that a check prints. */
  readonly onLine?: (check: CheckCommand, line: string) => void;
};

/** How long a check may clean up after it was asked to end, and how long its output may take to arrive. */
const graceMs = 2000;

/**
 * Runs the checks, one after the other, all of them: also what fails after the first tells something.
 *
 * @throws {Failure} `interrupted` when the signal aborts; what has not run to its end proves nothing.
 */
export async function runChecks(
  checks: readonly CheckCommand[],
  options: CheckOptions,
): Promise<readonly CheckResult[]> {
  const results: CheckResult[] = [];
  for (const check of checks) {
    const {name, run} = check;
    const isTrusted = await options.isTrusted(run);
    results.push(isTrusted ? await runCheck(check, options) : {name, run, outcome: 'not-trusted', seconds: 0});
  }

  return results;
}

async function runCheck(check: CheckCommand, options: CheckOptions): Promise<CheckResult> {
  const {top, env, signal, timeoutMs, onLine} = options;
  if (signal?.aborted) throw interrupted();
  const tail = startTail(onLine && (line => onLine(check, line)));
  const child = execa('sh', ['-c', check.run], {
    ...{cwd: top, env: ownEnv(env), extendEnv: false},
    // A session and group of its own: signals of our terminal don't reach it, ours reach all of the group.
    ...{detached: true, cleanup: false, reject: false, buffer: false, encoding: 'buffer', stdin: 'ignore', all: true},
  });
  child.all.on('data', tail.add);
  // Whatever still holds the output open after the end has no more to say.
  const exited = new Promise<number | null>(resolve => {
    child.once('exit', status => resolve(status));
    child.once('error', () => resolve(null));
  });
  const isWatched = new AbortController();
  const stopped = await Promise.race([
    exited.then(() => undefined),
    wait(timeoutMs, isWatched.signal).then(() => 'timeout' as const),
    ...(signal ? [aborted(signal, isWatched.signal).then(() => 'interrupt' as const)] : []),
  ]);
  isWatched.abort();
  // Children that outlive their check end too.
  endGroup(child.pid, 'SIGTERM');
  if (stopped) await within(graceMs, exited);
  endGroup(child.pid, 'SIGKILL');
  await exited;
  await within(graceMs, child);
  child.all.destroy();
  if (stopped === 'interrupt') throw interrupted();

  const {exitCode, durationMs, code, shortMessage} = await child;
  if (child.pid === undefined)
    throw new Failure('io-failed', `sh could not be started in ${top}: ${shortMessage ?? code}`);
  const text = tail.end(redact);
  const isPass = !stopped && exitCode === 0;
  return {
    name: check.name,
    run: check.run,
    outcome: stopped ?? (isPass ? 'pass' : 'fail'),
    ...(exitCode !== undefined && !stopped && {status: exitCode}),
    seconds: Math.round(durationMs / 100) / 10,
    ...(text !== '' && {tail: text}),
  };
}

function interrupted(): Failure {
  return new Failure('interrupted', 'Interrupted while checks were running.');
}

// In a hook git's variables would lead the check's own git into another repository, or to another index.
function ownEnv(env: CheckOptions['env']): Record<string, string> {
  const clean = cleanEnv(env);
  const kept = Object.entries(env).filter(
    (entry): entry is [string, string] => entry[1] !== undefined && entry[0] in clean,
  );
  return Object.fromEntries(kept);
}

function endGroup(pid: number | undefined, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    kill(-pid, signal);
  } catch (error) {
    if (!['ESRCH', 'EPERM'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
  }
}

/** Resolves after `ms`; never once `until` has aborted. */
function wait(ms: number, until: AbortSignal): Promise<void> {
  return new Promise(resolve => {
    const timer = setTimeout(resolve, ms);
    until.addEventListener('abort', () => clearTimeout(timer), {once: true});
  });
}

function aborted(signal: AbortSignal, until: AbortSignal): Promise<void> {
  return new Promise(resolve => {
    signal.addEventListener('abort', () => resolve(), {once: true, signal: until});
  });
}

async function within(ms: number, promise: Promise<unknown>): Promise<void> {
  const over = new AbortController();
  await Promise.race([promise, wait(ms, over.signal)]);
  over.abort();
}
