// loopx as people have it: a process of its own, on the real clock, in a real repository, driving real programs. Its
// files live below the repository's temporary folder, and whatever it leaves running is ended with the test.
import {type ChildProcess, spawn} from 'node:child_process';
import {chmod, readdir, readFile, writeFile} from 'node:fs/promises';
import {dirname, join} from 'node:path';
import {fileURLToPath} from 'node:url';
import type {ExecutionContext} from 'ava';
import {bundledLoopx} from './bundle.ts';
import type {TempRepo} from './repo.ts';

export type ShellOptions = {
  /** Added to the repository's own environment; undefined takes a variable out. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly cwd?: string;
  readonly input?: string;
  /** A program that starts loopx, with its arguments. */
  readonly through?: readonly string[];
};

export type ShellResult = {
  /** 128 and more where a signal ended it. */
  readonly status: number;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
};

export type Started = {readonly child: ChildProcess; readonly ended: Promise<ShellResult>};

/** Where the small agents lie. */
export const agentsFolder = fileURLToPath(new URL('../../fixtures/agents/', import.meta.url));

/** Returns the environment of a person on a machine named `test`, without any agent's session around. */
export function shellEnv(repo: TempRepo, env: ShellOptions['env'] = {}): Record<string, string> {
  const merged = {...repo.env, LOOPX_MACHINE: 'test', NO_COLOR: '1', ...env};
  return Object.fromEntries(
    Object.entries(merged).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}

/** Starts loopx as a process of its own. It leads a process group, so that nothing else is hit by a signal to it. */
export async function startLoopx(
  t: ExecutionContext,
  repo: TempRepo,
  argv: readonly string[],
  options: ShellOptions = {},
): Promise<Started> {
  const file = await bundledLoopx();
  const [program, ...args] = [...(options.through ?? []), process.execPath, file, ...argv] as [string, ...string[]];
  const child = spawn(program, args, {
    ...{cwd: options.cwd ?? repo.dir, env: shellEnv(repo, options.env)},
    ...{detached: true, stdio: ['pipe', 'pipe', 'pipe']},
  });
  t.teardown(() => child.kill('SIGKILL'));
  child.stdin!.on('error', () => {});
  child.stdin!.end(options.input ?? '');
  return {child, ended: endOf(child)};
}

/** Runs loopx to its end. */
export async function loopx(
  t: ExecutionContext,
  repo: TempRepo,
  argv: readonly string[],
  options: ShellOptions = {},
): Promise<ShellResult> {
  return (await startLoopx(t, repo, argv, options)).ended;
}

/** Runs loopx, which has to succeed, and returns its JSON document. */
export async function loopxJson<T = Record<string, unknown>>(
  t: ExecutionContext,
  repo: TempRepo,
  argv: readonly string[],
  options: ShellOptions = {},
): Promise<T> {
  const {status, stdout, stderr} = await loopx(t, repo, [...argv, '--json'], options);
  if (status !== 0) t.fail(`loopx ${argv.join(' ')} exited with ${status}: ${stderr}`);
  return JSON.parse(stdout) as T;
}

/** Writes a small program in sh beside the repository and returns its path. */
export async function program(repo: TempRepo, name: string, lines: string): Promise<string> {
  const file = join(dirname(repo.dir), name);
  await writeFile(file, `#!/bin/sh\n${lines}\n`);
  await chmod(file, 0o755);
  return file;
}

/** Returns the pids of running processes whose environment says that they work in this repository. */
export async function processesIn(repo: TempRepo): Promise<readonly number[]> {
  const home = `HOME=${repo.env.HOME}`;
  const found: number[] = [];
  for (const name of await readdir('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const environ = await readFile(`/proc/${name}/environ`, 'latin1').catch(() => '');
    if (environ.split('\0').includes(home)) found.push(Number(name));
  }

  return found;
}

function endOf(child: ChildProcess): Promise<ShellResult> {
  const out: Buffer[] = [];
  const err: Buffer[] = [];
  child.stdout!.on('data', (chunk: Buffer) => out.push(chunk));
  child.stderr!.on('data', (chunk: Buffer) => err.push(chunk));
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (status, signal) => {
      resolve({
        ...{status: status ?? 128, signal},
        ...{stdout: Buffer.concat(out).toString(), stderr: Buffer.concat(err).toString()},
      });
    });
  });
}
