// What loopx costs, told against a floor measured in the same run: an empty Node program and one git process, which is
// the least that a program in Node can do about a repository. Nothing here is a test: times are not worth failing for.
import {spawnSync} from 'node:child_process';
import {mkdir, mkdtemp, rm, writeFile} from 'node:fs/promises';
import {availableParallelism, loadavg, tmpdir} from 'node:os';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';

const loopx = fileURLToPath(new URL('../../dist/loopx.js', import.meta.url));
const repetitions = 20;
const warmups = 2;
const todos = 50;
const rounds = 20;

type Case = {readonly name: string; readonly run: () => void};

const root = await mkdtemp(join(tmpdir(), 'loopx-bench-'));
const env = {
  PATH: process.env.PATH,
  HOME: root,
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_NOSYSTEM: '1',
  LOOPX_MACHINE: 'bench',
  LC_ALL: 'C',
};

try {
  const plain = await repository('plain');
  const goal = await repository('goal');
  call(goal, 'connect');
  call(goal, 'start-goal', '--goal-text', 'Port the storage layer to Python 3');
  for (let n = 1; n <= todos; n += 1) call(goal, 'todo', 'add', `Port module number ${n} and its tests`);
  times(plain, goal);
  sizes(goal);
} finally {
  await rm(root, {recursive: true, force: true, maxRetries: 3});
}

function times(plain: string, goal: string): void {
  const node = () => start(goal, process.execPath, '-e', '0');
  const floor = () => {
    node();
    start(goal, 'git', 'rev-parse', 'HEAD');
  };
  const commit = (dir: string) => () => start(dir, 'git', 'commit', '-q', '--allow-empty', '-m', 'Change');
  const commands = [
    ['--version'],
    ['status'],
    ['quota', 'should-run', '--json'],
    ['todo', 'add', 'Port one more module'],
    ['todo', 'list'],
    ['log'],
  ];
  const cases: Case[] = [
    {name: 'node -e 0', run: node},
    {name: 'floor', run: floor},
    ...commands.map(argv => ({name: `loopx ${argv.slice(0, 2).join(' ')}`, run: () => call(goal, ...argv)})),
    {name: 'git commit', run: commit(plain)},
    {name: 'git commit with the hook', run: commit(goal)},
  ];
  const medians = measure(cases);
  const floorMs = medians.get('floor')!;
  console.log(`Medians of ${repetitions} interleaved runs, ${todos} todos.`);
  console.log(`Node ${process.version}, ${availableParallelism()} processors, load ${loadavg()[0]!.toFixed(1)}\n`);
  for (const [name, ms] of medians) console.log(`${name.padEnd(26)}${told(ms)}   ${(ms / floorMs).toFixed(2)} × floor`);
  const without = medians.get('git commit')!;
  const withHook = medians.get('git commit with the hook')!;
  console.log(
    `\nThe hook adds ${(withHook - without).toFixed(1)} ms to a commit (${(withHook / without).toFixed(2)} ×).`,
  );
}

// Interleaved, so that whatever else the machine does falls on all of them alike.
function measure(cases: readonly Case[]): ReadonlyMap<string, number> {
  const found = new Map(cases.map(({name}) => [name, [] as number[]]));
  for (let n = 0; n < warmups + repetitions; n += 1) {
    for (const {name, run} of cases) {
      const startMs = performance.now();
      run();
      if (n >= warmups) found.get(name)!.push(performance.now() - startMs);
    }
  }

  return new Map([...found].map(([name, list]) => [name, list.sort((a, b) => a - b)[list.length >> 1]!]));
}

function sizes(goal: string): void {
  const before = {packed: packedBytes(goal), events: eventCount(goal)};
  play(goal, rounds);

  const loose = looseBytes(goal);
  const after = {packed: packedBytes(goal), events: eventCount(goal)};
  const events = after.events - before.events;
  const bytes = after.packed - before.packed;
  console.log(`\n${before.events} events of todos: ${Math.round(before.packed / before.events)} bytes each, packed.`);
  console.log(`${rounds} rounds (${events} events): ${Math.round(bytes / rounds)} bytes a round, packed;`);
  console.log(`  ${Math.round(loose / rounds)} bytes a round on disk before git gc.`);
  // From here on each round deletes the checkpoint of an older one.
  call(goal, 'config', 'set', 'checkpoint.keep', String(rounds / 2));
  play(goal, rounds);
  const grown = packedBytes(goal) - after.packed;
  console.log(`With retention at work: ${Math.round(grown / rounds)} bytes a round, packed.`);
}

function play(goal: string, count: number): void {
  for (let n = 1; n <= count; n += 1) {
    call(goal, 'round', 'begin', '--as', 'bench@bench');
    start(goal, 'git', 'commit', '-q', '--allow-empty', '-m', `Port step ${n}`);
    call(goal, 'round', 'end', '--as', 'bench@bench', '--outcome', 'progress', '--summary', `Ported step ${n}.`);
  }
}

/** Packs all, and returns the pack's size. */
function packedBytes(dir: string): number {
  start(dir, 'git', 'gc', '-q', '--prune=now');
  return counted(dir, 'size-pack');
}

function looseBytes(dir: string): number {
  return counted(dir, 'size');
}

function counted(dir: string, what: string): number {
  const line = start(dir, 'git', 'count-objects', '-v').match(new RegExp(`^${what}: (\\d+)$`, 'm'));
  return Number(line?.[1] ?? 0) * 1024;
}

function eventCount(dir: string): number {
  return JSON.parse(call(dir, 'fsck', '--json')).events;
}

async function repository(name: string): Promise<string> {
  const dir = join(root, name);
  await mkdir(dir);
  start(dir, 'git', 'init', '-q', '-b', 'main');
  for (const [key, value] of [
    ['user.name', 'Ada Bench'],
    ['user.email', 'ada@example.org'],
    // A repacking in the background would be measured with whatever runs beside it.
    ['gc.auto', '0'],
    ['maintenance.auto', 'false'],
  ]) {
    start(dir, 'git', 'config', key!, value!);
  }

  await writeFile(join(dir, 'README.md'), '# Bench\n');
  start(dir, 'git', 'add', '.');
  start(dir, 'git', 'commit', '-q', '-m', 'First');
  return dir;
}

function call(dir: string, ...argv: readonly string[]): string {
  return start(dir, process.execPath, loopx, ...argv);
}

function start(cwd: string, program: string, ...args: readonly string[]): string {
  const {status, stdout, stderr, error} = spawnSync(program, args, {cwd, env, encoding: 'utf8'});
  if (error) throw error;
  if (status !== 0) throw new Error(`${program} ${args.join(' ')} exited with ${status}: ${stderr}`);
  return stdout;
}

function told(ms: number): string {
  return `${ms.toFixed(1).padStart(7)} ms`;
}
