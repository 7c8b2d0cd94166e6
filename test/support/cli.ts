// Command lines run in this process, on a real repository: what `bin.ts` takes from the process is made up here. The
// clock stands still unless a test says otherwise, and ids are the same on every run, so whole outputs can be compared.
import type {ExecutionContext} from 'ava';
import {main} from '../../cli/main.ts';
import type {Output} from '../../cli/print.ts';
import type {TempRepo} from './repo.ts';
import {testNowMs, testWorld} from './world.ts';

export type CliOptions = {
  readonly env?: Readonly<Record<string, string>>;
  readonly nowMs?: number;
  readonly columns?: number;
  /** The folder that the command is called in; the repository's top unless said. */
  readonly cwd?: string;
  /** Whether a person sits at a terminal: may be asked, and sees no colour. */
  readonly stdinTerminal?: boolean;
  /** What that person types, one line a question. */
  readonly answers?: readonly string[];
  /** What is piped in. */
  readonly input?: string;
  readonly color?: boolean;
  readonly signal?: AbortSignal;
};

export type CliResult = {readonly status: number; readonly stdout: string; readonly stderr: string};

// A command of its own has a seed of its own, or two of them would give one name to two things.
const calls = new WeakMap<TempRepo, number>();

/** Runs one command line as a person would, without an agent's session around it. */
export async function runCli(
  t: ExecutionContext,
  repo: TempRepo,
  argv: readonly string[],
  options: CliOptions = {},
): Promise<CliResult> {
  const {columns = 80, stdinTerminal = false, color = false, cwd = repo.dir, nowMs = testNowMs} = options;
  const seed = (calls.get(repo) ?? 0) + 1;
  calls.set(repo, seed);
  const answers = [...(options.answers ?? [])];
  let stdout = '';
  let stderr = '';
  const output = (write: Output['write']): Output => ({write, isTerminal: stdinTerminal, columns, color});
  const status = await main(argv, {
    world: testWorld({nowMs, seed, env: {...repo.env, ...options.env}}),
    cwd,
    stdout: output(text => {
      stdout += text;
    }),
    stderr: output(text => {
      stderr += text;
    }),
    stdin: {
      isTerminal: stdinTerminal,
      read: async () => options.input ?? '',
      ask: async question => {
        stderr += `${question}\n`;
        const answer = answers.shift();
        return answer ?? t.fail(`Nobody answers "${question}"`) ?? '';
      },
    },
    signal: options.signal ?? new AbortController().signal,
    loopx: ['loopx'],
    version: '0.0.0-test',
  });
  return {status, stdout, stderr};
}

/** Runs a command line that has to succeed, and returns its JSON document. */
export async function runJson<T = Record<string, unknown>>(
  t: ExecutionContext,
  repo: TempRepo,
  argv: readonly string[],
  options: CliOptions = {},
): Promise<T> {
  const {status, stdout, stderr} = await runCli(t, repo, [...argv, '--json'], options);
  if (status !== 0) t.fail(`loopx ${argv.join(' ')} failed: ${stderr}`);
  return JSON.parse(stdout) as T;
}

/** Starts a goal and returns its id. */
export async function startGoal(
  t: ExecutionContext,
  repo: TempRepo,
  text = 'Port storage to Python 3',
  more: readonly string[] = [],
): Promise<string> {
  const {goal} = await runJson<{goal: {id: string}}>(t, repo, ['start-goal', '--goal-text', text, ...more]);
  return goal.id;
}

/** Adds a todo and returns its id. */
export async function addTodo(
  t: ExecutionContext,
  repo: TempRepo,
  title: string,
  more: readonly string[] = [],
): Promise<string> {
  const {todo} = await runJson<{todo: {id: string}}>(t, repo, ['todo', 'add', title, ...more]);
  return todo.id;
}

/** Returns an id as it is printed among few others. */
export function short(id: string): string {
  return id.slice(0, 6);
}

/** Runs a command line that has to succeed, and compares all that it prints on stdout. */
export async function says(
  t: ExecutionContext,
  repo: TempRepo,
  argv: readonly string[],
  lines: readonly string[],
  options: CliOptions = {},
): Promise<void> {
  const result = await runCli(t, repo, argv, options);
  t.deepEqual(result, {status: 0, stdout: lines.map(line => `${line}\n`).join(''), stderr: ''}, argv.join(' '));
}

/** Runs a command line that is refused, and compares its exit status, its sentence and its next step. */
export async function refuses(
  t: ExecutionContext,
  repo: TempRepo,
  argv: readonly string[],
  wanted: {readonly status: number; readonly code: string; readonly message: string; readonly hint?: string},
  options: CliOptions = {},
): Promise<void> {
  const {status, code, message, hint} = wanted;
  const text = await runCli(t, repo, argv, options);
  const stderr = `loopx: ${message}\n${hint === undefined ? '' : `  ${hint}\n`}`;
  t.deepEqual(text, {status, stdout: '', stderr}, argv.join(' '));
  const json = await runCli(t, repo, [...argv, '--json'], options);
  t.is(json.stdout, '');
  t.deepEqual(JSON.parse(json.stderr), {schema: 'loopx/failure@1', code, message, hint: hint ?? null});
}

/** What an agent's session sets. */
export const agentEnv = {CLAUDECODE: '1'};
