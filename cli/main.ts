// From arguments to an exit status: finds the command, runs it, and turns failures into text. Only here.
import {Failure, isFailure} from '../lib/failure.ts';
import {plainText} from '../lib/model/plain-text.ts';
import type {Command} from './command.ts';
import {commandTable, verbsOf} from './commands/table.ts';
import {nearest, parseArgs} from './parse.ts';
import {oneLine, styled} from './print.ts';
import {jsonLine} from './result.ts';
import {openSession, type Session, type Surroundings} from './session.ts';
import {systemRefusal} from './system-refusal.ts';

/** Runs one command line and returns its exit status. */
export async function main(args: readonly string[], around: Surroundings): Promise<number> {
  const json = args.includes('--json');
  let session: Session | undefined;
  try {
    const found = isNounHelp(args) ? 'noun' : findCommand(args);
    if (found === 'help' || found === 'noun') {
      await showHelp(args, around);
      return 0;
    }

    const command = await found.load();
    if (wantsHelp(found.rest)) {
      const {commandHelp} = await import('./help.ts');
      around.stdout.write(await commandHelp(command, around.stdout.columns));
      return 0;
    }

    const {values, global} = parseArgs(command, found.rest);
    session = openSession(around, global);
    await command.run(values as never, session);
    return 0;
  } catch (error) {
    return tell(error, around, json);
  } finally {
    session?.close();
  }
}

const overviewOptions = ['--help', '-h', '--version', '-V'];

type Found = {readonly load: () => Promise<Command>; readonly rest: readonly string[]};

// What a noun alone does.
const loneVerbs: Readonly<Record<string, string>> = {
  goal: 'list',
  todo: 'list',
  gate: 'list',
  decision: 'list',
  agent: 'list',
  checkpoint: 'list',
  quota: 'show',
};

function findCommand(args: readonly string[]): Found | 'help' {
  const words = args.filter(arg => !isOption(arg));
  if (words.length === 0 && args.every(arg => [...overviewOptions, '--no-color'].includes(arg))) return 'help';
  if (isOption(args[0])) {
    throw new Failure('usage', `The command comes before its options such as ${args[0]}.`, {
      hint: 'For example: loopx status --json',
    });
  }

  for (const length of [2, 1]) {
    const entry = args.length >= length ? commandTable[args.slice(0, length).join(' ')] : undefined;
    if (entry) return {load: entry.load, rest: args.slice(length)};
  }

  const [noun = '', verb] = args;
  const verbs = verbsOf(noun);
  if (verbs.length === 0) throw noCommand(noun);
  if (verb !== undefined && !isOption(verb)) throw noVerb(noun, verb, verbs);
  const lone = commandTable[`${noun} ${loneVerbs[noun]}`];
  if (lone) return {load: lone.load, rest: args.slice(1)};
  throw new Failure('usage', `"loopx ${noun}" needs a verb.`, {hint: listed(noun, verbs)});
}

function noCommand(noun: string): Failure {
  const near = nearest(noun, [...new Set(Object.keys(commandTable).flatMap(path => [path, path.split(' ')[0]!]))]);
  return new Failure('usage', `There is no command "${noun}".`, {
    hint: near ? `Did you mean \`loopx ${near}\`?` : 'List the commands with `loopx help`.',
  });
}

function noVerb(noun: string, verb: string, verbs: readonly string[]): Failure {
  const near = nearest(verb, verbs);
  return new Failure('usage', `There is no command "${noun} ${verb}".`, {
    hint: near ? `Did you mean \`loopx ${noun} ${near}\`?` : listed(noun, verbs),
  });
}

function listed(noun: string, verbs: readonly string[]): string {
  return `There are: ${verbs.map(verb => `loopx ${noun} ${verb}`).join(', ')}.`;
}

function isOption(arg: string | undefined): boolean {
  return arg?.startsWith('-') ?? false;
}

function wantsHelp(args: readonly string[]): boolean {
  const end = args.indexOf('--');
  return (end < 0 ? args : args.slice(0, end)).some(arg => arg === '--help' || arg === '-h');
}

function isNounHelp(args: readonly string[]): boolean {
  const [noun = '', next] = args;
  return wantsHelp(args) && isOption(next) && commandTable[noun] === undefined && verbsOf(noun).length > 0;
}

async function showHelp(args: readonly string[], {stdout, version}: Surroundings): Promise<void> {
  if (args.includes('--version') || args.includes('-V')) {
    stdout.write(`loopx ${version}\n`);
    return;
  }

  const {nounHelp, overviewHelp} = await import('./help.ts');
  stdout.write(isNounHelp(args) ? await nounHelp(args[0]!, stdout) : await overviewHelp(stdout));
}

function tell(error: unknown, {stderr, signal, world}: Surroundings, json: boolean): number {
  const interrupted = signal.aborted && !isFailure(error);
  const failure = interrupted ? new Failure('interrupted', 'Interrupted.') : (systemRefusal(error) ?? error);
  if (!isFailure(failure)) {
    const stack = error instanceof Error ? (error.stack ?? error.message) : String(error);
    const report = {schema: 'loopx/failure@1', code: 'bug', message: 'loopx has a bug.', hint: stack};
    stderr.write(json ? `${jsonLine(report)}\n` : `loopx: this is a bug of loopx, please report it.\n${stack}\n`);
    return 70;
  }

  const {code, message, hint} = failure;
  if (json) stderr.write(`${jsonLine({schema: 'loopx/failure@1', code, message, hint: hint ?? null})}\n`);
  else {
    // Both may quote what was typed, or what somebody else wrote.
    const advice = hint === undefined ? '' : `  ${plainText(hint).replace(/\n/g, '\n  ')}\n`;
    stderr.write(`${styled(stderr, 'red', 'loopx:')} ${oneLine(message)}\n${advice}`);
    if (world.env.LOOPX_DEBUG) stderr.write(`${failure.stack}\n`);
  }

  return failure.exitStatus;
}
