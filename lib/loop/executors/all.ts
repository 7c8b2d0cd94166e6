// The agents that loopx can drive. Another one is one more file and one more row.
import {Failure} from '../../failure.ts';
import type {Executor} from '../executor.ts';
import {claude} from './claude.ts';
import {codex} from './codex.ts';
import {command} from './command.ts';

export const executors: readonly Executor[] = [claude, codex, command];

/**
 * Returns the executor of that name.
 *
 * @throws {Failure} `executor-unknown` naming those that exist.
 */
export function executorNamed(name: string): Executor {
  const found = executors.find(executor => executor.name === name);
  if (found) return found;
  const known = executors.map(executor => executor.name).join(', ');
  throw new Failure('executor-unknown', `There is no executor "${name}".`, {
    hint: `Choose one of: ${known}. "command" runs any program.`,
  });
}
