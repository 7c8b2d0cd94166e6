// Ends all that an attempt has left running. The loop does so after each round; `resume` does so after a crash in
// which even the watchdog died, from another process, knowing nothing but the attempt's mark.
import {kill} from 'node:process';
import type {World} from '../world.ts';
import {markedProcesses} from './process-table.ts';

const pollMs = 50;
/** New children may appear while their parents are being killed, so killing is repeated, but not for ever. */
const killsMax = 40;

/**
 * Ends every process of this user that carries the attempt's mark: SIGTERM, a while to clean up, SIGKILL.
 *
 * @returns The pids of all that were found.
 */
export async function reap(attempt: string, world: World, graceMs = 2000): Promise<readonly number[]> {
  const found = new Set<number>();
  const send = async (signal: NodeJS.Signals | 0) => {
    const pids = await markedProcesses(attempt, world);
    for (const pid of pids) {
      found.add(pid);
      if (signal !== 0) sendSignal(pid, signal);
    }

    return pids.length;
  };

  let left = await send('SIGTERM');
  for (let waitedMs = 0; left > 0 && waitedMs < graceMs; waitedMs += pollMs) {
    await world.sleep(pollMs);
    left = await send(0);
  }

  for (let kills = 0; left > 0 && kills < killsMax; kills += 1) {
    await send('SIGKILL');
    await world.sleep(pollMs);
    left = await send(0);
  }

  return [...found].sort((one, other) => one - other);
}

/**
 * Sends a signal to a process, or with a negative number to a group.
 *
 * @returns Whether there was one to send it to.
 */
export function sendSignal(target: number, signal: NodeJS.Signals): boolean {
  try {
    kill(target, signal);
    return true;
  } catch (error) {
    // ESRCH: it has ended. EPERM: it became somebody else's, or, on macOS, is about to be collected.
    if (['ESRCH', 'EPERM'].includes((error as NodeJS.ErrnoException).code ?? '')) return false;
    throw error;
  }
}
