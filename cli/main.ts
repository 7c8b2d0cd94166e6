// From arguments to an exit status: finds the command, runs it, and turns failures into text. Only here.
import {Failure, isFailure} from '../lib/failure.ts';
import type {Command} from './command.ts';
import {commandTable} from './commands/table.ts';
import {nearest, parseArgs} from './parse.ts';
import {styled} from './print.ts';
import {openSession, type Session, type Surroundings} from './session.ts';

/** Runs one command line and returns its exit status. */
export async function main(args: readonly string[], around: Surroundings): Promise<number> {
  const json = args.includes('--json');
  let session: Session | undefined;
  try {
    const found = findCommand(args);
    if (found === 'help' || args.includes('--version') || args.includes('-V')) {
      if (found !== 'help' && !isOption(args[0])) throw new Failure('usage', 'There is no option --version here.');
      return await overview(args, around);
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

type Found = {readonly load: () => Promise<Command>; readonly rest: readonly string[]};

function findCommand(args: readonly string[]): Found | 'help' {
  const words = args.filter(arg => !isOption(arg));
  if (
    words.length === 0 &&
    (args.length === 0 || args.every(arg => ['--help', '-h', '--version', '-V', '--no-color'].includes(arg)))
  ) {
    return 'help';
  }

  for (const length of [2, 1]) {
    const path = args.slice(0, length).join(' ');
    const entry = args.length >= length ? commandTable[path] : undefined;
    if (entry) return {load: entry.load, rest: args.slice(length)};
  }

  const [noun = '', verb] = args;
  const verbs = Object.keys(commandTable).filter(path => path.startsWith(`${noun} `));
  if (verbs.length > 0) {
    const near =
      verb === undefined
        ? undefined
        : nearest(
            verb,
            verbs.map(path => path.slice(noun.length + 1)),
          );
    throw new Failure(
      'usage',
      verb === undefined || isOption(verb) ? `"loopx ${noun}" needs a verb.` : `There is no command "${noun} ${verb}".`,
      {
        hint: near
          ? `Did you mean \`loopx ${noun} ${near}\`?`
          : `There are: ${verbs.map(path => `loopx ${path}`).join(', ')}.`,
      },
    );
  }

  const near = nearest(noun, [...new Set(Object.keys(commandTable).flatMap(path => [path, path.split(' ')[0]!]))]);
  throw new Failure('usage', `There is no command "${noun}".`, {
    hint: near ? `Did you mean \`loopx ${near}\`?` : 'List the commands with `loopx help`.',
  });
}

function isOption(arg: string | undefined): boolean {
  return arg?.startsWith('-') ?? false;
}

function wantsHelp(args: readonly string[]): boolean {
  const end = args.indexOf('--');
  return (end < 0 ? args : args.slice(0, end)).some(arg => arg === '--help' || arg === '-h');
}

async function overview(args: readonly string[], around: Surroundings): Promise<number> {
  if (args.includes('--version') || args.includes('-V')) around.stdout.write(`loopx ${around.version}\n`);
  else {
    const {overviewHelp} = await import('./help.ts');
    around.stdout.write(await overviewHelp(around.stdout));
  }

  return 0;
}

function tell(error: unknown, {stderr, signal, world}: Surroundings, json: boolean): number {
  const interrupted = signal.aborted && !isFailure(error);
  const failure = interrupted ? new Failure('interrupted', 'Interrupted.') : error;
  if (!isFailure(failure)) {
    const stack = error instanceof Error ? (error.stack ?? error.message) : String(error);
    const report = {schema: 'loopx/failure@1', code: 'bug', message: 'loopx has a bug.', hint: stack};
    stderr.write(json ? `${JSON.stringify(report)}\n` : `loopx: this is a bug of loopx, please report it.\n${stack}\n`);
    return 70;
  }

  const {code, message, hint} = failure;
  if (json) stderr.write(`${JSON.stringify({schema: 'loopx/failure@1', code, message, hint: hint ?? null})}\n`);
  else {
    stderr.write(`${styled(stderr, 'red', 'loopx:')} ${message}\n${hint ? `  ${hint.replace(/\n/g, '\n  ')}\n` : ''}`);
    if (world.env.LOOPX_DEBUG) stderr.write(`${failure.stack}\n`);
  }

  return failure.exitStatus;
}
