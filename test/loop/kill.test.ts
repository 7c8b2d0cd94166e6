// What is left when the loop is killed in the middle of a round, and how the next command goes on.
import {readdir, readFile} from 'node:fs/promises';
import {join} from 'node:path';
import {kill} from 'node:process';
import test, {type ExecutionContext} from 'ava';
import {loopx, loopxJson, processesIn, program, type Started, startLoopx} from '../support/loopx.ts';
import {type TempRepo, tempRepo} from '../support/repo.ts';
import {eventually} from './real-world.ts';

type Log = {events: readonly Record<string, unknown>[]};
type Running = {round: string; attempt: string; usage?: {inputTokens?: number}};
type Status = {
  goal: {id: string};
  round: object | null;
  rounds: readonly {round: string; outcome: string; billed: boolean; tokens: number; todo: string}[];
  checkpoint: {id: string; trigger: string; snapshot: {commit: string}};
};

const todoCount = 4;

// Finishes its todo with one commit. In the second round it does half of that, tells what it has used, and then hangs,
// with a child in a session of its own; but only once.
const agentText = `
trap '' HUP
cat >/dev/null
beside=$(dirname "$PWD")
if [ "$(git rev-list --count HEAD)" = 2 ] && [ ! -e "$beside/hung" ]; then
  touch "$beside/hung"
  echo half >half.txt
  echo '{"loopx":{"outcome":"progress","summary":"Half of it.","usage":{"inputTokens":700,"outputTokens":50}}}'
  setsid sleep 600 >/dev/null 2>&1 &
  sleep 600
  exit 1
fi
git add -A
git -c user.name=agent -c user.email=agent@example.invalid commit -q --allow-empty -m "Work on $LOOPX_TODO"
echo '{"loopx":{"outcome":"done","summary":"All of it.","usage":{"inputTokens":1000,"outputTokens":100}}}'
`;

const env = {LOOPX_CHECKPOINT_INTERVAL: '1s'};

/** Starts a loop over four todos and returns when it hangs in the second round, with its usage written down. */
async function hangingLoop(
  t: ExecutionContext,
): Promise<TempRepo & {todos: readonly string[]; agent: string; loop: Started; running: Running}> {
  const repo = await tempRepo(t);
  t.teardown(async () => {
    for (const pid of await processesIn(repo)) kill(pid, 'SIGKILL');
  });
  await loopxJson(t, repo, ['start-goal', '--goal-text', 'Port storage', '--check', 'true']);
  const todos = [];
  for (let n = 1; n <= todoCount; n += 1) {
    const {todo} = await loopxJson<{todo: {id: string}}>(t, repo, ['todo', 'add', `Step ${n}`]);
    todos.push(todo.id);
  }

  const agent = await program(repo, 'agent', agentText);
  const loop = await startLoopx(t, repo, ['run', '--command', agent], {env});
  let running: Running | undefined;
  const hangs = await eventually(async () => {
    const folder = join(repo.dir, '.git/loopx/running');
    const [name] = (await readdir(folder).catch(() => [])).filter(file => file.endsWith('.json'));
    running = name && JSON.parse(await readFile(join(folder, name), 'utf8').catch(() => '{}'));
    if (running?.usage?.inputTokens !== 700) return false;
    const live = await repo.git.run(['cat-file', '-e', `${await liveRef(repo)}:half.txt`]);
    return live.status === 0;
  }, 20_000);
  if (!hangs) t.fail(`The loop never hung: ${(await Promise.race([loop.ended, undefined]))?.stderr}`);
  return {...repo, todos, agent, loop, running: running!};
}

async function liveRef(repo: TempRepo): Promise<string> {
  return repo.git.text(['for-each-ref', '--format=%(refname)', 'refs/loopx/live']);
}

const statusOf = (t: ExecutionContext, repo: TempRepo) => loopxJson<Status>(t, repo, ['status']);

/** Checks that the second round is recorded as interrupted, and that nothing of it is left on this machine. */
async function isRecorded(
  t: ExecutionContext,
  repo: TempRepo & {todos: readonly string[]; running: Running},
  trigger: string,
): Promise<void> {
  t.deepEqual(await processesIn(repo), [], 'no process is left');
  const status = await statusOf(t, repo);
  t.is(status.round, null);
  const second = status.rounds.find(({round}) => round === repo.running.round);
  t.like(second, {outcome: 'interrupted', billed: true, tokens: 750, todo: repo.todos[1]!});
  t.is(await liveRef(repo), '', 'the live checkpoint is gone');
  t.deepEqual(await readdir(join(repo.dir, '.git/loopx/running')), []);
  t.false((await readdir(join(repo.dir, '.git'))).includes('loopx-round'));
  const {checkpoints} = await loopxJson<{checkpoints: {id: string; trigger: string; snapshot: {commit: string}}[]}>(
    t,
    repo,
    ['checkpoint', 'list'],
  );
  const saved = checkpoints.find(checkpoint => checkpoint.trigger === trigger);
  t.is(await repo.git.text(['cat-file', 'blob', `${saved?.snapshot.commit}:half.txt`]), 'half');
}

/** Checks that every todo was finished, and exactly once. */
async function isAllDoneOnce(t: ExecutionContext, repo: TempRepo & {todos: readonly string[]}): Promise<void> {
  const subjects = (await repo.git.text(['log', '--format=%s', '--grep=^Work on'])).split('\n').reverse();
  t.deepEqual(
    subjects,
    repo.todos.map(todo => `Work on ${todo}`),
  );
  const {events} = await loopxJson<Log>(t, repo, ['log']);
  const done = events.filter(
    event => event.event === 'todo.edited' && (event.set as {status?: string}).status === 'done',
  );
  t.deepEqual(done.map(event => event.todo).reverse(), repo.todos);
  const begun = events.filter(event => event.event === 'round.begun').map(event => event.round);
  const finished = events.filter(event => event.event === 'round.finished').map(event => event.round);
  t.deepEqual([...finished].sort(), [...begun].sort(), 'every round has one end');
  t.is(begun.length, todoCount + 1);
  t.true((await loopxJson<{ok: boolean}>(t, repo, ['fsck'])).ok);
  t.regex(await repo.git.text(['fsck', '--connectivity-only']), /^(dangling .*\n?)*$/);
}

test('a loop that was killed goes on where it was, and repeats nothing', async t => {
  const repo = await hangingLoop(t);
  repo.loop.child.kill('SIGKILL');
  t.is((await repo.loop.ended).signal, 'SIGKILL');
  t.true(await eventually(async () => (await processesIn(repo)).length === 0, 8000), 'the watchdog ended the agent');

  const resumed = await loopx(t, repo, ['resume', '--command', repo.agent], {env});
  t.is(resumed.status, 0, resumed.stderr);
  const [, todo = ''] = repo.todos;
  t.regex(resumed.stderr, new RegExp(`Round ${repo.running.round} by command@test on ${todo} had vanished`));
  t.regex(resumed.stderr, /What was there is in checkpoint c-/);
  t.regex(resumed.stderr, new RegExp(`Next: ${todo} Step 2`));
  t.regex(resumed.stdout, /^The goal is finished: .* 3 rounds run\.$/m);
  await isRecorded(t, repo, 'vanished');
  await isAllDoneOnce(t, repo);
});

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  test(`a loop that gets ${signal} saves what is there, ends its agent, and exits with 130`, async t => {
    const repo = await hangingLoop(t);
    repo.loop.child.kill(signal);
    const ended = await repo.loop.ended;
    t.is(ended.status, 130, ended.stderr);
    t.regex(ended.stderr, /Interrupted\. Round r-\w+ is recorded; what was there is in checkpoint c-\w+\./);
    await isRecorded(t, repo, 'interrupt');

    const resumed = await loopx(t, repo, ['resume', '--command', repo.agent], {env});
    t.is(resumed.status, 0, resumed.stderr);
    t.notRegex(resumed.stderr, /had vanished/);
    await isAllDoneOnce(t, repo);
  });
}

test('where even the watchdog was killed, the next command ends what is left', async t => {
  const repo = await hangingLoop(t);
  const watchdog = await watchdogOf(repo.running.attempt);
  kill(watchdog, 'SIGKILL');
  repo.loop.child.kill('SIGKILL');
  await repo.loop.ended;
  const left = await processesIn(repo);
  t.true(left.length >= 3, 'the agent, what it waits for, and its child in a session of its own');

  const status = await loopx(t, repo, ['status']);
  t.is(status.status, 0, status.stderr);
  t.regex(status.stderr, /had vanished; it is recorded as interrupted\. What it left running was ended \(\d+\)\./);
  await isRecorded(t, repo, 'vanished');
});

test('a second Ctrl-C ends the loop at once; what it could not record the next command does', async t => {
  const repo = await hangingLoop(t);
  repo.loop.child.kill('SIGINT');
  repo.loop.child.kill('SIGINT');
  await eventually(() => repo.loop.child.exitCode !== null, 20);
  repo.loop.child.kill('SIGINT');
  t.is((await repo.loop.ended).status, 130);
  t.true(await eventually(async () => (await processesIn(repo)).length === 0, 8000), 'the watchdog ended the agent');
  const resumed = await loopx(t, repo, ['resume', '--command', repo.agent], {env});
  t.is(resumed.status, 0, resumed.stderr);
  await isAllDoneOnce(t, repo);
});

test('whoever interrupts while a check runs ends the check and the round', async t => {
  const {repo, started} = await checkingLoop(t);
  started.child.kill('SIGINT');
  const ended = await started.ended;
  t.is(ended.status, 130, ended.stderr);
  t.deepEqual(await processesIn(repo), []);
  const {round, rounds} = await statusOf(t, repo);
  t.is(round, null);
  t.like(rounds, [{outcome: 'interrupted', billed: true}]);
  const {todos} = await loopxJson<{todos: {status: string}[]}>(t, repo, ['todo', 'list']);
  t.is(todos[0]?.status, 'open', 'what was not checked to the end is not done');
});

test('a check does not outlive a loop that was killed', async t => {
  const {repo, started} = await checkingLoop(t);
  started.child.kill('SIGKILL');
  await started.ended;
  t.true(await eventually(async () => (await processesIn(repo)).length === 0, 8000));
  t.like((await statusOf(t, repo)).rounds, [{outcome: 'interrupted', billed: true}]);
});

/** Starts a loop whose only todo has a check that never ends, and returns when that runs. */
async function checkingLoop(t: ExecutionContext): Promise<{repo: TempRepo; started: Started}> {
  const repo = await tempRepo(t);
  t.teardown(async () => {
    for (const pid of await processesIn(repo)) kill(pid, 'SIGKILL');
  });
  await loopxJson(t, repo, ['start-goal', '--goal-text', 'Port storage']);
  await loopxJson(t, repo, ['todo', 'add', 'Port', '--check', 'echo >.git/checking; setsid sleep 600 & sleep 600']);
  const agent = `echo new >new.txt; echo '{"loopx":{"outcome":"done","summary":"Done."}}'`;
  const started = await startLoopx(t, repo, ['run', '--command', agent]);
  const runs = await eventually(async () => (await readdir(join(repo.dir, '.git'))).includes('checking'), 20_000);
  t.true(runs, 'the check runs');
  return {repo, started};
}

test('commands that find a vanished round at once record it once', async t => {
  const repo = await hangingLoop(t);
  repo.loop.child.kill('SIGKILL');
  await repo.loop.ended;
  const commands = [['status'], ['todo', 'add', 'One more'], ['status'], ['checkpoint', 'save']];
  const results = await Promise.all(commands.map(argv => loopx(t, repo, argv)));
  t.deepEqual(
    results.map(({status, stderr}) => (status === 0 ? 0 : stderr)),
    [0, 0, 0, 0],
  );
  await isRecorded(t, repo, 'vanished');
  const {events} = await loopxJson<Log>(t, repo, ['log']);
  t.is(events.filter(({event}) => event === 'round.finished').length, 2);
  const refs = await repo.git.text(['for-each-ref', '--format=%(refname)', 'refs/loopx/snapshots']);
  const saved = events.filter(({event}) => event === 'checkpoint.saved').map(({checkpoint}) => checkpoint);
  t.deepEqual(
    refs
      .split('\n')
      .map(ref => ref.split('/').at(-1))
      .sort(),
    [...saved].sort(),
  );
});

async function watchdogOf(attempt: string): Promise<number> {
  for (const name of await readdir('/proc')) {
    const words = (await readFile(`/proc/${name}/cmdline`, 'latin1').catch(() => '')).split('\0');
    if (words.includes('loopx-watchdog') && words.includes(attempt)) return Number(name);
  }

  throw new Error(`There is no watchdog of ${attempt}.`);
}
