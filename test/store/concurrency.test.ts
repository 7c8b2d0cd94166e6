import {spawn} from 'node:child_process';
import {readdir, rm, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {setTimeout as sleep} from 'node:timers/promises';
import test, {type ExecutionContext} from 'ava';
import {build} from 'esbuild';
import {addTodo} from '../../lib/change/todo.ts';
import {isFailure} from '../../lib/failure.ts';
import {changeGoal, type Writer} from '../../lib/store/append.ts';
import {fsckGoal} from '../../lib/store/fsck.ts';
import type {GoalStore} from '../../lib/store/goal-store.ts';
import {type TempRepo, tempRepo} from '../support/repo.ts';
import {testGitStore, testGoal, testWriter} from '../support/store.ts';
import {testWorld} from '../support/world.ts';

/** Real time and real waiting, but drawn numbers. */
const realWorld = (seed: number) => ({...testWorld({seed}), now: Date.now, sleep: (ms: number) => sleep(ms)});

type Stage = {repo: TempRepo; store: GoalStore; writer: Writer; goal: string; dirs: string[]; script: string};

/** A repository with a goal, four linked worktrees, and the program that appends. */
async function stage(t: ExecutionContext): Promise<Stage> {
  const repo = await tempRepo(t);
  const script = join(repo.dir, '..', 'append.cjs');
  const entry = join(import.meta.dirname, '..', 'support', 'append.ts');
  await build({
    entryPoints: [entry],
    outfile: script,
    bundle: true,
    platform: 'node',
    format: 'cjs',
    logLevel: 'error',
  });
  const dirs = ['w1', 'w2', 'w3', 'w4'].map(name => join(repo.dir, '..', name));
  for (const dir of dirs) await repo.git.text(['worktree', 'add', '-q', '--detach', dir]);
  const world = realWorld(1);
  const store = await testGitStore(t, repo, world);
  const writer = testWriter(store, world);
  const {goal} = await testGoal(writer);
  return {repo, store, writer, goal, dirs, script};
}

/** Starts a writer in a process group of its own, and collects what it acknowledges. */
function startWriter({repo, goal, dirs, script}: Stage, n: number, count: number) {
  const args = [script, dirs[n % dirs.length]!, goal, `w${n}`, String(count)];
  const child = spawn(process.execPath, args, {env: repo.env, detached: true, stdio: ['ignore', 'pipe', 'pipe']});
  let out = '';
  let errors = '';
  child.stdout.on('data', chunk => (out += chunk));
  child.stderr.on('data', chunk => (errors += chunk));
  const ended = new Promise<{acknowledged: {id: string; ms: number}[]; errors: string}>(resolve => {
    child.on('close', () => {
      const lines = out.split('\n').slice(0, -1);
      resolve({acknowledged: lines.map(line => ({id: line.slice(0, 26), ms: Number(line.slice(27))})), errors});
    });
  });
  const began = new Promise(resolve => child.stdout.once('data', resolve));
  return {pid: child.pid!, began, ended};
}

async function idsOf(store: GoalStore, goal: string): Promise<{tip: string; ids: Set<string>}> {
  const tip = (await store.tips()).get(goal)!;
  const commits = await store.commits([tip], []);
  return {tip, ids: new Set(commits.flatMap(commit => commit.events).map(({id}) => id))};
}

test('six processes in four worktrees append to one goal at once, and nothing is lost (traps 1, 37)', async t => {
  const all = await stage(t);
  const results = await Promise.all([0, 1, 2, 3, 4, 5].map(n => startWriter(all, n, 10).ended));
  const acknowledged = results.flatMap(result => result.acknowledged);
  t.deepEqual(results.map(({errors}) => errors).filter(Boolean), []);
  t.is(acknowledged.length, 60);
  const {tip, ids} = await idsOf(all.store, all.goal);
  t.is(ids.size, 61);
  for (const {id} of acknowledged) t.true(ids.has(id));
  t.deepEqual((await fsckGoal(all.store, tip)).problems, []);
  const waits = acknowledged.map(({ms}) => ms).sort((a, b) => a - b);
  t.log(`an append took ${waits[30]} ms in the middle and ${waits.at(-1)} ms at the longest`);
  t.true(waits.at(-1)! < 8000);
});

test('writers that are killed at random lose nothing that they acknowledged, and block nobody', async t => {
  const all = await stage(t);
  const {repo, store, writer, goal} = all;
  const acknowledged: string[] = [];
  const waits: number[] = [];
  let locks = 0;
  for (let batch = 0; batch < 10; batch += 1) {
    const writers = [0, 1, 2, 3].map(n => ({n, ...startWriter(all, batch * 4 + n, 1000)}));
    const began = Promise.race(writers.map(each => each.began));
    const kills = writers.map(async ({n, pid, ended}) => {
      await Promise.race([began, sleep(5000)]);
      await sleep(writer.world.random() * 400);
      // Half of them leave their git behind, the others take it along.
      process.kill(n % 2 ? -pid : pid, 'SIGKILL');
      const result = await ended;
      t.is(result.errors, '');
      acknowledged.push(...result.acknowledged.map(({id}) => id));
    });
    await Promise.all(kills);
    const startMs = Date.now();
    locks += await appendPastLocks(writer, goal, acknowledged);
    waits.push(Date.now() - startMs);
  }

  const {tip, ids} = await idsOf(store, goal);
  for (const id of acknowledged) t.true(ids.has(id), id);
  t.true(acknowledged.length > 20, 'some were killed at work');
  t.deepEqual((await fsckGoal(store, tip)).problems, []);
  t.notThrows(() => repo.git.text(['rev-parse', '--verify', `refs/loopx/goals/${goal}`]));
  const {status, stderr} = await repo.git.run(['fsck', '--connectivity-only', '--no-dangling']);
  t.is(status, 0, stderr);
  const left = await leftovers(repo);
  t.log(`${acknowledged.length} acknowledged, ${locks} locks of git left, then at most ${Math.max(...waits)} ms`);
  t.log(`left behind: ${left.join(' ') || 'nothing'}`);
  t.true(Math.max(...waits) < 8000);
});

/** Appends; a lock that a killed git left is removed, as its failure tells a person to. Returns how many there were. */
async function appendPastLocks(writer: Writer, goal: string, acknowledged: string[]): Promise<number> {
  for (let locks = 0; ; locks += 1) {
    try {
      const {events} = await changeGoal(writer, goal, addTodo({title: 'after the kill'}));
      acknowledged.push(events[0]!.id);
      return locks;
    } catch (error) {
      if (!isFailure(error, 'git-locked') || locks > 2) throw error;
      await rm(/remove (.*) and try/.exec(error.hint ?? '')![1]!);
    }
  }
}

async function leftovers(repo: TempRepo): Promise<string[]> {
  const all = await readdir(join(repo.dir, '.git'), {recursive: true});
  return all.filter(name => /crash|tmp_|\.lock$|loopx\/locks\/./.test(name));
}

test('a lock file that a dead writer left costs a moment, not the write', async t => {
  const {repo, writer, goal} = await stage(t);
  const file = join(repo.dir, '.git', 'loopx', 'locks', goal);
  await changeGoal(writer, goal, addTodo({title: 'makes the folder'}));
  await writeFile(file, '1 elsewhere\n');
  const startMs = Date.now();
  await changeGoal(writer, goal, addTodo({title: 'waits'}));
  t.true(Date.now() - startMs < 8000);
  t.deepEqual(await leftovers(repo), []);
});
