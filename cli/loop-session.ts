// What the loop's commands share: the context that the loop works with, and the agent that it drives.
import {access, constants} from 'node:fs/promises';
import {delimiter, join} from 'node:path';
import type {Config} from '../lib/config/config.ts';
import {isTrusted} from '../lib/evidence/trust.ts';
import {Failure} from '../lib/failure.ts';
import type {LoopContext} from '../lib/loop/context.ts';
import type {Executor} from '../lib/loop/executor.ts';
import {executorNamed, executors} from '../lib/loop/executors/all.ts';
import {type Settled, settleVanished} from '../lib/loop/settle.ts';
import {agentName, machineName} from '../lib/model/ids.ts';
import type {Session} from './session.ts';

export type ChosenExecutor = {
  readonly executor: Executor;
  readonly agent: string;
  readonly command?: string;
  readonly args: readonly string[];
};

/** Returns what the loop works with. */
export async function loopContext(session: Session): Promise<LoopContext> {
  const [repository, store, writer, config] = await Promise.all([
    session.repository(),
    session.store(),
    session.writer(),
    session.config(),
  ]);
  const {world, loopx, signal} = session;
  return {repository, store, world, config, loopx, signal, writerFor: agent => ({...writer, by: agent})};
}

/** Records rounds whose process vanished, and says so. */
export async function settle(session: Session, context: LoopContext): Promise<readonly Settled[]> {
  const settled = await settleVanished(context);
  for (const {round, todo, agent, checkpoint, ended} of settled) {
    const left = ended.length > 0 ? ` What it left running was ended (${ended.length}).` : '';
    session.say(
      `Round ${round} by ${agent}${todo ? ` on ${todo}` : ''} had vanished; it is recorded as interrupted.${left}`,
    );
    session.say(`  What was there is in checkpoint ${checkpoint}`);
  }

  return settled;
}

/**
 * Chooses the agent to drive: what the command line says, then the configuration, then what is on PATH.
 *
 * @throws {Failure} `executor-missing` where there is none, `not-trusted` for a command out of the project's own file.
 */
export async function chooseExecutor(
  session: Session,
  wanted: {readonly executor?: string | undefined; readonly command?: string | undefined},
): Promise<ChosenExecutor> {
  const config = await session.config();
  const agentOf = (name: string) => session.agent ?? agentName(`${name}@${machineName(session.world.machine)}`);
  if (wanted.command !== undefined) {
    if (wanted.command.trim() === '') throw new Failure('usage', '--command needs a command line.');
    const name = wanted.executor ?? 'command';
    return {executor: executorNamed('command'), agent: agentOf(name), command: wanted.command, args: []};
  }

  const name = wanted.executor ?? (await defaultExecutor(session, config));
  const own = config.executor(name);
  for (const value of [own?.command, own?.args]) {
    if (value?.source !== 'project') continue;
    if (await isTrusted((await session.repository()).commonDir, value.value)) continue;
    throw new Failure(
      'not-trusted',
      `The command of executor ${name} comes from the project's own file: ${value.value}`,
      {
        hint: 'If you trust it on this machine: loopx trust',
      },
    );
  }

  const args = words(own?.args?.value ?? '');
  if (own?.command) return {executor: executorNamed('command'), agent: agentOf(name), command: own.command.value, args};
  if (name === 'command') {
    throw new Failure('usage', 'The executor "command" needs a command line.', {
      hint: 'For example: loopx run --command "./agent.sh"',
    });
  }

  const executor = executorNamed(name);
  const {program, whenMissing} = executor.needs;
  // Before a round begins: one that could not even start an agent would be a record of nothing.
  if (!(await isOnPath(program, session.world.env.PATH)))
    throw new Failure('executor-missing', `The agent's program "${program}" is not on PATH.`, {hint: whenMissing});
  return {executor, agent: agentOf(name), args};
}

async function defaultExecutor(session: Session, config: Config): Promise<string> {
  const {value} = config.get('default_executor');
  if (value !== 'auto') return value;
  const known = executors.map(executor => executor.name).filter(name => name !== 'command');
  for (const name of known) if (await isOnPath(name, session.world.env.PATH)) return name;
  throw new Failure('executor-missing', `None of ${known.join(', ')} is on PATH.`, {
    hint: 'Install one of them, or drive a program of your own: loopx run --command "./agent.sh"',
  });
}

/** Says whether a program of that name may be run from one of PATH's folders. */
export async function isOnPath(name: string, path: string | undefined): Promise<boolean> {
  for (const folder of (path ?? '').split(delimiter)) {
    if (folder === '') continue;
    const found = await access(join(folder, name), constants.X_OK).then(
      () => true,
      () => false,
    );
    if (found) return true;
  }

  return false;
}

// Arguments as a shell would split them, without its expansions.
function words(text: string): readonly string[] {
  const found = text.match(/(?:[^\s"']+|"(?:[^"\\]|\\.)*"|'[^']*')+/g) ?? [];
  return found.map(word =>
    word.replace(/"((?:[^"\\]|\\.)*)"|'([^']*)'/g, (_, double, single) => single ?? double.replace(/\\(.)/g, '$1')),
  );
}

/** Returns a time as `--until` takes it: an ISO time, a time of day, or a length from now. */
export function parseUntil(text: string, nowMs: number): number {
  const clock = /^(\d{1,2}):(\d{2})$/.exec(text.trim());
  if (clock && Number(clock[1]) < 24 && Number(clock[2]) < 60) {
    const today = new Date(nowMs);
    today.setHours(Number(clock[1]), Number(clock[2]), 0, 0);
    return today.getTime() > nowMs ? today.getTime() : today.getTime() + 86_400_000;
  }

  const length = /^(\d+(?:\.\d+)?)(m|h|d)$/.exec(text.trim());
  if (length) return nowMs + Number(length[1]) * {m: 60_000, h: 3_600_000, d: 86_400_000}[length[2] as 'm' | 'h' | 'd'];
  const at = Date.parse(text);
  if (Number.isNaN(at)) {
    throw new Failure('usage', `"${text}" is no time.`, {hint: 'Use 18:30, 2h, or 2026-12-24T18:00:00Z.'});
  }

  return at;
}
