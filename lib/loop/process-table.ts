// What the system knows of running processes. An agent's tools run in sessions of their own, where no group signal
// reaches them, and outlive their parent; what they all keep is the environment they were started with, and in it the
// mark of their attempt.
import {execFile, execFileSync} from 'node:child_process';
import {readFileSync} from 'node:fs';
import {readdir, readFile, stat} from 'node:fs/promises';
import {promisify} from 'node:util';
import type {World} from '../world.ts';

/** The environment variable that marks an agent and all that it starts. */
export const markName = 'LOOPX_ATTEMPT';

/** A process as one may write it down and find it again: a pid alone is given out anew. */
export type ProcessIdentity = {
  readonly pid: number;
  /** Opaque; compared for equality only. Undefined where the process was gone before it could be asked. */
  readonly startTime: string | undefined;
};

/** Says whether exactly this process still runs. A process that has ended but was not yet collected doesn't. */
export function isAlive(identity: ProcessIdentity, world: Pick<World, 'platform'>): boolean {
  return identity.startTime !== undefined && startTimeOf(identity.pid, world) === identity.startTime;
}

/** Returns when the process started, as an opaque text, or undefined where there is none. */
export function startTimeOf(pid: number, world: Pick<World, 'platform'>): string | undefined {
  try {
    if (world.platform !== 'linux') {
      const [state, ...start] = execFileSync('ps', ['-o', 'state=,lstart=', '-p', String(pid)], {
        env: {LC_ALL: 'C', PATH: '/usr/bin:/bin'},
        stdio: ['ignore', 'pipe', 'ignore'],
      })
        .toString()
        .trim()
        .split(/\s+/);
      return !state || state.startsWith('Z') ? undefined : start.join(' ');
    }

    // See proc_pid_stat(5). The name, field 2, may hold spaces and parentheses; field 3 is the state, 22 the start in
    // clock ticks since boot. The boot's id, because ticks begin again with it.
    const fields = readFileSync(`/proc/${pid}/stat`, 'latin1')
      .replace(/^.*\) /s, '')
      .split(' ');
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').slice(0, 8);
    return fields[0] === 'Z' || fields[0] === 'X' ? undefined : `${boot}:${fields[19]}`;
  } catch {
    return undefined;
  }
}

/**
 * Returns the pids of this user's processes that carry the mark, never this process itself.
 *
 * A process that cleared its environment, or hides it from its owner as setuid programs do, is not found.
 */
export async function markedProcesses(
  attempt: string,
  world: Pick<World, 'platform' | 'pid'>,
): Promise<readonly number[]> {
  const pids = world.platform === 'linux' ? await scanProc(attempt) : await scanPs(attempt);
  return pids.filter(pid => pid !== world.pid);
}

async function scanProc(attempt: string): Promise<number[]> {
  const {uid} = await stat('/proc/self');
  const mark = Buffer.from(`\0${markName}=${attempt}\0`);
  const nul = Buffer.from('\0');
  const found: number[] = [];
  for (const name of await readdir('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    try {
      if ((await stat(`/proc/${name}`)).uid !== uid) continue;
      const environ = await readFile(`/proc/${name}/environ`);
      if (Buffer.concat([nul, environ, nul]).includes(mark)) found.push(Number(name));
    } catch {
      // It ended while we looked, or is not ours to read.
    }
  }

  return found;
}

async function scanPs(attempt: string): Promise<number[]> {
  const {stdout} = await promisify(execFile)('ps', ['-xEww', '-o', 'pid=,command='], {maxBuffer: 256 * 1024 * 1024});
  return stdout
    .split('\n')
    .filter(line => line.split(/\s+/).includes(`${markName}=${attempt}`))
    .map(line => Number.parseInt(line, 10));
}
