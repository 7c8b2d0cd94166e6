// Checks are programs like an agent: what they start must not outlive the loop either. So they carry a mark, by which the
// next command finds them after a crash, and have a watchdog, which needs no next command.
import {runChecks} from '../evidence/checks.ts';
import type {CheckCommand, CheckResult} from '../model/checks.ts';
import type {LoopContext} from './context.ts';
import {markName} from './process-table.ts';
import {reap} from './reaper.ts';
import {startWatchdog} from './watchdog.ts';

/** How long what a check has left running may clean up. */
const graceMs = 1000;

/**
 * Runs checks so that nothing of them is left, however loopx ends.
 *
 * @param guard.attempt - The mark, such as the round's.
 * @throws {Failure} `interrupted` when the user interrupts.
 */
export async function runGuarded(
  {world, repository, config, signal}: Pick<LoopContext, 'world' | 'repository' | 'config' | 'signal'>,
  checks: readonly CheckCommand[],
  guard: {readonly attempt: string; readonly isTrusted: (run: string) => Promise<boolean>},
): Promise<readonly CheckResult[]> {
  if (checks.length === 0) return [];
  const {attempt, isTrusted} = guard;
  const watchdog = startWatchdog(attempt, world.env.PATH ?? '/usr/bin:/bin');
  try {
    return await runChecks(checks, {
      ...{top: repository.top!, env: {...world.env, [markName]: attempt}, signal, isTrusted},
      timeoutMs: config.durationMs('check.timeout'),
    });
  } finally {
    await reap(attempt, world, graceMs);
    await watchdog.dismiss();
  }
}
