// What goes on beside a running agent: the live checkpoint follows the files, the lease is renewed, and history doesn't
// grow by it.
import {access} from 'node:fs/promises';
import {dirname, join} from 'node:path';
import test from 'ava';
import {loopx, loopxJson, startLoopx} from '../support/loopx.ts';
import {tempRepo} from '../support/repo.ts';
import {eventually} from './real-world.ts';

test('the live checkpoint follows the files, and history does not grow by it', async t => {
  const repo = await tempRepo(t);
  const {goal} = await loopxJson<{goal: {id: string}}>(t, repo, ['start-goal', '--goal-text', 'Port', '--todo', 'One']);
  const stop = join(dirname(repo.dir), 'stop');
  const agent = `cat >/dev/null; n=0; while [ ! -e "${stop}" ]; do n=$((n+1)); echo $n >n.txt; sleep 0.2; done`;
  const env = {LOOPX_CHECKPOINT_INTERVAL: '1s'};
  const {ended} = await startLoopx(t, repo, ['run', '--command', agent, '--max-rounds', '1'], {env});
  const live = `refs/loopx/live/${goal.id}/command@test`;
  const commits = () => repo.git.text(['rev-list', '--count', `refs/loopx/goals/${goal.id}`]);
  const seen = new Map<string, string>();
  const moves = await eventually(async () => {
    const shown = await repo.git.run(['show', `${live}:n.txt`]);
    if (shown.status === 0) seen.set(shown.stdout.toString(), await commits());
    return seen.size >= 3;
  }, 15_000);
  t.true(moves, 'the checkpoint moves while the round goes on');
  t.is(new Set(seen.values()).size, 1, 'and adds nothing to the history');
  t.is(
    await repo.git.text(['rev-list', '--count', live, '^HEAD']),
    '4',
    'itself and the round’s start, each with its index',
  );

  await repo.write('../stop', '');
  t.is((await ended).status, 0);
  t.is(await repo.git.text(['for-each-ref', live]), '');
  t.is(await commits(), String(Number([...seen.values()][0]) + 1), 'the end is one commit');
});

test('a round that takes longer than its lease keeps its todo', async t => {
  const repo = await tempRepo(t);
  await loopxJson(t, repo, ['start-goal', '--goal-text', 'Port', '--todo', 'One']);
  const stop = join(dirname(repo.dir), 'stop');
  const agent = `cat >/dev/null; while [ ! -e "${stop}" ]; do sleep 0.1; done; echo x >x.txt`;
  const env = {LOOPX_ROUND_LEASE: '3s'};
  const {ended} = await startLoopx(t, repo, ['run', '--command', agent, '--max-rounds', '1'], {env});
  const startMs = Date.now();
  t.teardown(() => repo.write('../stop', ''));
  let until = 0;
  const longer = await eventually(async () => {
    const {round} = await loopxJson<{round: {until: string} | null}>(t, repo, ['status']);
    until = round ? Date.parse(round.until) : 0;
    return Date.now() > startMs + 5000 && until > startMs + 6000;
  }, 15_000);
  t.true(longer, 'the lease has been renewed');
  const verdict = await loopxJson<{reason: string}>(t, repo, ['quota', 'should-run', '--agent', 'codex@test']);
  t.is(verdict.reason, 'nothing_ready', 'nobody else can take it');
  const second = await loopx(t, repo, ['run', '--command', 'true', '--max-rounds', '1']);
  t.is(second.status, 3, 'nor can the same agent begin another round');
  t.regex(second.stderr, /has a round already/);

  await repo.write('../stop', '');
  const result = await ended;
  t.is(result.status, 0, result.stderr);
  t.regex(result.stderr, /progress: /);
  const free = await loopxJson<{reason: string}>(t, repo, ['quota', 'should-run', '--agent', 'codex@test']);
  t.is(free.reason, 'todo_ready', 'the claim ends with the round');
  await t.throwsAsync(access(join(repo.dir, '.git/loopx-round')), {code: 'ENOENT'});
});

test('deleting what loopx keeps beside the state, in the middle of a round, loses no state', async t => {
  const repo = await tempRepo(t);
  await loopxJson(t, repo, ['start-goal', '--goal-text', 'Port', '--todo', 'One', '--todo', 'Two']);
  const agent = 'cat >/dev/null; rm -rf .git/loopx .git/loopx-round; echo x >>x.txt; sleep 1.5; echo "So far so good."';
  const env = {LOOPX_CHECKPOINT_INTERVAL: '1s'};
  const result = await loopx(t, repo, ['run', '--command', agent, '--max-rounds', '2'], {env});
  t.is(result.status, 0, result.stderr);
  t.is(result.stderr.match(/progress: So far so good\./g)?.length, 2, result.stderr);
  const {rounds, round} = await loopxJson<{rounds: object[]; round: object | null}>(t, repo, ['status']);
  t.is(rounds.length, 2);
  t.is(round, null);
});

test('a loop that waits for another agent goes on as soon as the todo is given back', async t => {
  const repo = await tempRepo(t);
  await loopxJson(t, repo, ['start-goal', '--goal-text', 'Port', '--todo', 'One']);
  const other = {env: {LOOPX_AGENT: 'codex@test'}};
  const {todos} = await loopxJson<{todos: {id: string}[]}>(t, repo, ['todo', 'list']);
  await loopxJson(t, repo, ['todo', 'claim', todos[0]!.id, '--lease', '1h'], other);
  const {child, ended} = await startLoopx(t, repo, ['run', '--command', 'echo x >x.txt', '--max-rounds', '1']);
  let said = '';
  child.stderr!.on('data', chunk => {
    said += chunk;
  });
  t.true(await eventually(() => /claimed by another agent\. Waiting/.test(said), 10_000), said);
  await loopxJson(t, repo, ['todo', 'release', todos[0]!.id], other);
  const result = await ended;
  t.is(result.status, 0, result.stderr);
  t.regex(result.stderr, /progress: /);
});

test('of two loops that begin at once as one agent, one works and the other is told', async t => {
  const repo = await tempRepo(t);
  await loopxJson(t, repo, ['start-goal', '--goal-text', 'Port', '--todo', 'One', '--todo', 'Two']);
  const agent = 'cat >/dev/null; echo "$LOOPX_ROUND" >>rounds.txt; sleep 2';
  const both = await Promise.all(
    [1, 2].map(() => startLoopx(t, repo, ['run', '--command', agent, '--max-rounds', '1'])),
  );
  const results = await Promise.all(both.map(({ended}) => ended));
  t.deepEqual(results.map(({status}) => status).sort(), [0, 3], results.map(({stderr}) => stderr).join('\n'));
  t.is((await repo.read('rounds.txt')).toString().trim().split('\n').length, 1);
  const {rounds, round} = await loopxJson<{rounds: object[]; round: object | null}>(t, repo, ['status']);
  t.is(rounds.length, 1);
  t.is(round, null);
});

test('one agent can work at two goals in two worktrees, and both survive a crash', async t => {
  const repo = await tempRepo(t);
  const side = join(dirname(repo.dir), 'side');
  await repo.git.text(['worktree', 'add', '-q', '-b', 'side', side]);
  const goals = [];
  for (const text of ['First', 'Second']) {
    const argv = ['start-goal', '--goal-text', text, '--todo', 'One'];
    goals.push((await loopxJson<{goal: {id: string}}>(t, repo, argv)).goal.id);
  }

  const agent = 'cat >/dev/null; touch "$(git rev-parse --git-dir)/at-work"; sleep 600';
  const loops = [];
  for (const [n, cwd] of [repo.dir, side].entries()) {
    loops.push(await startLoopx(t, repo, ['run', goals[n]!, '--command', agent], {cwd}));
  }

  const atWork = await eventually(async () => {
    const found = await Promise.allSettled(
      ['.git/at-work', '.git/worktrees/side/at-work'].map(path => access(join(repo.dir, path))),
    );
    return found.every(({status}) => status === 'fulfilled');
  }, 15_000);
  t.true(atWork);
  for (const {child} of loops) child.kill('SIGKILL');
  await Promise.all(loops.map(({ended}) => ended));
  const status = await loopx(t, repo, ['status', goals[0]!]);
  t.is(status.stderr.match(/had vanished/g)?.length, 2, status.stderr);
  for (const goal of goals) {
    const {round, rounds} = await loopxJson<{round: object | null; rounds: object[]}>(t, repo, ['status', goal]);
    t.is(round, null);
    t.like(rounds, [{outcome: 'interrupted'}]);
  }
});
