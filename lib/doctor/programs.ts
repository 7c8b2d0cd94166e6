// Other people's programs, started to see whether they start: found as the system would find them, in a group of their
// own, for a short time, and with little of their output kept.
import {spawn} from 'node:child_process';
import {access, constants, stat} from 'node:fs/promises';
import {delimiter, join, resolve} from 'node:path';
import {sendSignal} from '../loop/reaper.ts';

export type ProgramRun = {
  /** Undefined where it was stopped, or could not be started. */
  readonly status: number | undefined;
  readonly output: string;
  readonly errors: string;
  /** Why it could not be started. */
  readonly problem?: string;
  readonly isLate: boolean;
};

const outputSizeMax = 16_384;
/** How long what a program left in the background may hold its output open. */
const drainMs = 200;

/** Returns the file that is started for `name`, or undefined where PATH has none; a name with a slash is a path. */
export async function findProgram(name: string, path: string | undefined, cwd: string): Promise<string | undefined> {
  const places = name.includes('/') ? [resolve(cwd, name)] : (path ?? '').split(delimiter).map(at => join(at, name));
  for (const place of places) {
    const isProgram = await Promise.all([stat(place), access(place, constants.X_OK)]).then(
      ([stats]) => stats.isFile(),
      () => false,
    );
    if (isProgram) return place;
  }

  return undefined;
}

/** Runs a program with no input, to its end or until `limitMs` have passed. */
export function runProgram(
  file: string,
  args: readonly string[],
  options: {
    readonly cwd: string;
    readonly env: Readonly<Record<string, string | undefined>>;
    readonly limitMs: number;
    readonly signal: AbortSignal;
  },
): Promise<ProgramRun> {
  const {cwd, env, limitMs, signal} = options;
  return new Promise(done => {
    const child = spawn(file, args, {cwd, env, detached: true, stdio: ['ignore', 'pipe', 'pipe']});
    const said = {output: '', errors: ''};
    const keep = (stream: 'output' | 'errors') => (chunk: Buffer) => {
      said[stream] = (said[stream] + chunk.toString()).slice(0, outputSizeMax);
    };
    child.stdout.on('data', keep('output'));
    child.stderr.on('data', keep('errors'));
    let status: number | undefined;
    let drain: NodeJS.Timeout | undefined;
    const end = (how: {readonly isLate: boolean; readonly problem?: string}) => {
      clearTimeout(late);
      clearTimeout(drain);
      signal.removeEventListener('abort', stop);
      child.stdout.destroy();
      child.stderr.destroy();
      done({status, ...said, ...how});
    };
    const stop = () => {
      if (child.pid !== undefined) sendSignal(-child.pid, 'SIGKILL');
      end({isLate: true});
    };
    const late = setTimeout(stop, limitMs);
    signal.addEventListener('abort', stop, {once: true});
    child.on('error', error => end({isLate: false, problem: error.message}));
    child.on('close', () => end({isLate: false}));
    child.on('exit', code => {
      status = code ?? undefined;
      drain = setTimeout(() => end({isLate: false}), drainMs);
    });
  });
}
