// A probe goes the way of a commit to the spool: the hook is run as git runs it, under a round's name that nobody else
// has. Of a script of somebody else only our lines are run, and of a list only our entry: nobody knows what the rest
// does. The probe leaves a line that says nothing: it names no commit.
import {readFile} from 'node:fs/promises';
import {join} from 'node:path';
import {cleanEnv} from '../git/command.ts';
import {readConfig} from '../git/config.ts';
import {configuredHooks} from '../git/hooks.ts';
import type {Repository} from '../git/repository.ts';
import {isOwnHook} from '../hosts/git-hook-block.ts';
import {configuredName} from '../hosts/git-hooks.ts';
import type {HookStep} from '../hosts/hook-step.ts';
import type {WholePatient} from './patient.ts';
import {runProgram} from './programs.ts';

export const probedHook = 'post-commit';

const answerMs = 3000;

type Way = {
  readonly program: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
};

/** Returns why a probe of the hook did not arrive; undefined where it did. */
export async function probeHook(
  step: HookStep,
  folder: string,
  {repository, world, signal}: Pick<WholePatient, 'world' | 'signal'> & {readonly repository: Repository},
): Promise<string | undefined> {
  const {top, gitDir, commonDir} = repository;
  const ways = await waysOf(step, folder, repository);
  if (typeof ways === 'string') return ways;
  let why = '';
  for (const {program, args, env} of ways) {
    const mark = `probe-${world.pid}-${world.now()}-${Math.floor(world.random() * 1e9)}`;
    const {problem, status, errors, isLate} = await runProgram(program, args, {
      cwd: top ?? gitDir,
      env: {...cleanEnv(world.env), ...env, LOOPX_ROUND: mark},
      limitMs: answerMs,
      signal,
    });
    const heard = await readFile(join(commonDir, 'loopx', 'spool'), 'utf8').catch(() => '');
    if (heard.includes(` ${mark} `)) return undefined;
    const said = errors.trim().split('\n')[0];
    const ended = said || (status ? `exit status ${status}` : 'it wrote nothing');
    why ||= problem ?? (isLate ? 'it does not end' : ended);
  }

  return why;
}

async function waysOf(step: HookStep, folder: string, {git, commonDir}: Repository): Promise<readonly Way[] | string> {
  // In a folder that isn't there the hook finds no HEAD: the line tells of no commit.
  const env = {GIT_DIR: join(commonDir, 'loopx', 'no-repository')};
  if (step.kind === 'registered' && step.by === 'git') {
    const name = configuredName(probedHook);
    if (!(await configuredHooks(git, probedHook)).includes(name)) return `git does not list the hook ${name}`;
    const command = (await readConfig(git)).findLast(({key}) => key === `hook.${name}.command`)?.value ?? '';
    return [{program: 'sh', args: ['-c', asProbe(command)]}];
  }

  if (step.kind === 'registered') {
    const hook = join(folder, probedHook);
    // Lefthook 2 says --command, lefthook 1 --commands. Its job tells of the commit at HEAD as a commit would.
    return ['--command', '--commands'].map(option => ({program: hook, args: [option, 'loopx']}));
  }

  const script = await readFile(step.file, 'latin1');
  if (isOwnHook(script)) return [{program: step.file, args: [], env}];
  return [{program: 'sh', args: ['-c', asProbe(ourLines(script)), step.file]}];
}

/** Returns the lines of a script that call loopx. */
function ourLines(script: string): string {
  const lines = script.split('\n');
  const first = lines.findIndex(line => line.includes(`loopx_hook=${probedHook} `));
  const last = lines.findIndex((line, index) => index >= first && line.includes('"$loopx_dir/hook"'));
  return lines.slice(first, Math.max(first, last) + 1).join('\n');
}

/** Returns lines under another hook's name: readers of the spool pass that over. */
function asProbe(lines: string): string {
  return lines.replace(`loopx_hook=${probedHook} `, 'loopx_hook=probe ');
}
