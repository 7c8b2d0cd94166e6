// The loop as people run it: one process of loopx, real agents' programs, a real repository.
import {mkdir, readdir, readFile, symlink} from 'node:fs/promises';
import {dirname, join} from 'node:path';
import test, {type ExecutionContext} from 'ava';
import {agentsFolder, loopx, loopxJson, processesIn, program} from '../support/loopx.ts';
import {type TempRepo, tempRepo} from '../support/repo.ts';

type Todo = {id: string; status: string; verified: {tree: string} | null; attempts: number; result: string | null};
type Status = {
  goal: {id: string; status: string};
  todos: {open: number; done: number; verified: number};
  rounds: readonly {
    outcome: string;
    billed: boolean;
    tokens: number;
    microUsd: number;
    summary: string;
    round: string;
  }[];
  round: object | null;
  checkpoint: {id: string; trigger: string} | null;
  context: {tokens: number; limit: number | null} | null;
};
type Verdict = {decision: string; reason: string; nextCheckAt: string | null};

/** A repository with a goal and one todo, and the todo's id. */
async function withTodo(
  t: ExecutionContext,
  options: {goal?: readonly string[]; todo?: readonly string[]} = {},
): Promise<TempRepo & {todo: string}> {
  const repo = await tempRepo(t);
  await loopxJson(t, repo, ['start-goal', '--goal-text', 'Port storage', ...(options.goal ?? [])]);
  const {todo} = await loopxJson<{todo: Todo}>(t, repo, ['todo', 'add', 'Port the lexer', ...(options.todo ?? [])]);
  return {...repo, todo: todo.id};
}

const todoOf = async (t: ExecutionContext, repo: TempRepo, id: string) =>
  (await loopxJson<{todo: Todo}>(t, repo, ['todo', 'show', id])).todo;
const statusOf = (t: ExecutionContext, repo: TempRepo) => loopxJson<Status>(t, repo, ['status']);
const roundOf = async (t: ExecutionContext, repo: TempRepo, id: string) =>
  (await loopxJson<{round: Record<string, unknown>}>(t, repo, ['round', 'show', id])).round;
const refsOf = (repo: TempRepo) => repo.git.text(['for-each-ref']);

/** Puts recorded agents on PATH under the names by which loopx starts them. */
async function speakers(repo: TempRepo): Promise<string> {
  const folder = join(dirname(repo.dir), 'bin');
  await mkdir(folder);
  for (const name of ['claude', 'codex']) await symlink(join(agentsFolder, `speaks-${name}.mjs`), join(folder, name));
  return `${folder}:${repo.env.PATH}`;
}

test('a todo that an agent has worked on is done, verified and noted, and the goal is finished', async t => {
  const repo = await withTodo(t, {goal: ['--check', 'test -f work.txt'], todo: ['--check', 'grep -q round work.txt']});
  const run = await loopx(t, repo, ['run', '--command', `${agentsFolder}/works done`]);
  t.is(run.status, 0, run.stderr);
  t.regex(run.stdout, /^The goal is finished: 2 checks passed at [0-9a-f]{10}\. 1 round run\.$/m);

  const status = await statusOf(t, repo);
  t.is(status.goal.status, 'finished');
  t.is(status.round, null);
  t.is(status.todos.verified, 1);
  const todo = await todoOf(t, repo, repo.todo);
  t.is(todo.status, 'done');
  t.is(todo.verified?.tree, await repo.git.text(['rev-parse', 'HEAD^{tree}']));
  t.is(todo.attempts, 1);

  const {round} = status.rounds[0]!;
  const note = await repo.git.text(['notes', '--ref=loopx', 'show', 'HEAD']);
  t.regex(
    note,
    new RegExp(`^goal=\\S+ round=${round} todo=${repo.todo} agent=command@test outcome=done checks=\\S+:pass `),
  );
  const shown = (await roundOf(t, repo, round)) as {commits: {commit: string}[]; usage: {tokens: number}};
  t.deepEqual(
    shown.commits.map(({commit}) => commit),
    [await repo.git.text(['rev-parse', 'HEAD'])],
  );
  t.is(shown.usage.tokens, 1280);

  const refs = (await repo.git.text(['for-each-ref', '--format=%(refname)', 'refs/loopx'])).split('\n');
  t.deepEqual(
    refs.map(ref => ref.replace(/[^/]+$/, '')),
    ['refs/loopx/goals/', `refs/loopx/snapshots/${status.goal.id}/`],
    'no live checkpoint is left',
  );
  t.deepEqual(await readdir(join(repo.dir, '.git/loopx/running')), []);
});

test('an agent that only says that it is done has done nothing (trap 58)', async t => {
  const repo = await withTodo(t, {goal: ['--check', 'true']});
  const lies = 'cat; echo "Done! Outcome: done"; echo "{\\"outcome\\":\\"done\\"}"; echo DONE';
  const run = await loopx(t, repo, ['run', '--command', lies, '--max-rounds', '1']);
  t.is(run.status, 0, run.stderr);
  const [round] = (await statusOf(t, repo)).rounds;
  t.is(round?.outcome, 'no-change');
  t.is((await todoOf(t, repo, repo.todo)).status, 'open');

  const verdict = await loopxJson<Verdict>(t, repo, ['quota', 'should-run', '--agent', 'command@test']);
  t.is(verdict.reason, 'no_change', 'the next round waits for a change');
});

test('an agent that writes lies into the files has made progress at most', async t => {
  const repo = await withTodo(t, {goal: ['--check', 'true']});
  await loopx(t, repo, ['run', '--command', `${agentsFolder}/lies`, '--max-rounds', '2']);
  const status = await statusOf(t, repo);
  t.deepEqual(
    status.rounds.map(({outcome}) => outcome),
    ['progress', 'progress'],
  );
  t.is(status.todos.done, 0);
  t.is(status.goal.status, 'active');
});

test('an agent that fails is recorded with the last it said on standard error', async t => {
  const repo = await withTodo(t);
  const run = await loopx(t, repo, ['run', '--command', `${agentsFolder}/fails`, '--max-rounds', '1']);
  t.is(run.status, 0, run.stderr);
  const [round] = (await statusOf(t, repo)).rounds;
  t.is(round?.outcome, 'failed');
  t.is(round?.summary, 'The agent ended with exit status 3. fails: something is wrong');
});

test('an agent that changes something and reports nothing has made progress', async t => {
  const repo = await withTodo(t);
  await loopx(t, repo, ['run', '--command', 'cat >/dev/null; echo new >new.txt', '--max-rounds', '1']);
  const status = await statusOf(t, repo);
  t.is(status.rounds[0]?.outcome, 'progress');
  t.is((await todoOf(t, repo, repo.todo)).status, 'open');
  t.is(status.checkpoint?.trigger, 'round-end');
});

test('a todo that its agent closed is opened again where its check fails', async t => {
  const repo = await withTodo(t, {todo: ['--check', 'test -f missing']});
  const agent = 'cat >/dev/null; "$LOOPX_BIN" todo done "$LOOPX_TODO" --result "All is well"';
  const run = await loopx(t, repo, ['run', '--command', agent, '--max-rounds', '1']);
  t.is(run.status, 0, run.stderr);
  const todo = await todoOf(t, repo, repo.todo);
  t.is(todo.status, 'open');
  t.is(todo.verified, null);
  t.regex((await statusOf(t, repo)).rounds[0]!.summary, / But the check test missing failed with 1\.$/);
});

test('checks that an agent wrote are not run before a person trusts them', async t => {
  const repo = await withTodo(t);
  await loopx(t, repo, ['todo', 'add', 'Foreign', '--check', 'touch was-run', '-p', '0'], {
    env: {LOOPX_AGENT: 'claude@test'},
  });
  const run = await loopx(t, repo, ['run', '--command', `${agentsFolder}/works done`, '--max-rounds', '1']);
  t.is(run.status, 0, run.stderr);
  t.regex(run.stderr, /A check was not run, since you have not trusted it: loopx trust/);
  t.false((await readdir(repo.dir)).includes('was-run'));
  const {todos} = await loopxJson<{todos: Todo[]}>(t, repo, ['todo', 'list', '--all']);
  const done = todos.filter(({status}) => status === 'done');
  t.is(done.length, 1);
  t.is(done[0]!.verified ?? null, null);
});

for (const [name, microUsd, session, context] of [
  ['claude', 8145, '00000000-0000-4000-8000-000000000001', {tokens: 1200, limit: 200_000}],
  ['codex', 0, '00000000-0000-4000-8000-000000000001', null],
] as const) {
  test(`a round of ${name} is recorded with session, usage and cost, and is seen while it goes on`, async t => {
    const repo = await withTodo(t);
    const env = {PATH: await speakers(repo)};
    const run = await loopx(t, repo, ['run', '--executor', name, '--max-rounds', '1'], {env});
    t.is(run.status, 0, run.stderr);
    t.regex(run.stderr, /^ {2}0:00 › Done: agent\.txt is committed\.$/m);
    t.regex(run.stderr, /^ {2}0:00 \$ \S+ /m, 'tools are shown');
    const status = await statusOf(t, repo);
    const [round] = status.rounds;
    t.is(round!.outcome, 'no-change', 'the recording changes nothing here');
    t.true(round!.billed);
    t.is(round!.tokens, 2383);
    t.is(round!.microUsd, microUsd);
    t.is((await roundOf(t, repo, round!.round)).session, session);
    t.deepEqual(status.context, context);
    const log = await readFile(join(repo.dir, '.git/loopx/rounds', round!.round, 'log'), 'utf8');
    t.regex(log, /Done: agent\.txt is committed\./);
  });

  test(`where ${name} is not logged in, the loop stops and says what to do; nothing is billed`, async t => {
    const repo = await withTodo(t);
    const env = {PATH: await speakers(repo), SPEAKS: 'auth'};
    const run = await loopx(t, repo, ['run', '--executor', name], {env});
    t.is(run.status, 3, run.stderr);
    t.regex(
      run.stderr,
      /\n {2}Log the agent in, or set its key \(how: loopx doctor\); then go on with: loopx resume\n$/,
    );
    t.regex(run.stderr, /not billed/);
    const {rounds} = await statusOf(t, repo);
    t.is(rounds.length, 1, 'it is not tried again');
    t.is(rounds[0]!.outcome, 'failed');
    t.false(rounds[0]!.billed);
    t.is((await todoOf(t, repo, repo.todo)).attempts, 0);
    const {agents} = await loopxJson<{agents: {id: string; idle: object | null}[]}>(t, repo, ['agent', 'list']);
    t.is(agents.find(({id}) => id === `${name}@test`)?.idle, null, 'nobody stands still because of it');
  });
}

test('an agent whose service limits it waits until the time that the service names', async t => {
  const repo = await withTodo(t);
  const resetsAt = Math.floor(Date.now() / 1000) + 7200;
  const transcript = join(agentsFolder, '../transcripts/claude/usage-limit-subscription.jsonl');
  await program(repo, 'claude', `cat >/dev/null; sed s/1796026553/${resetsAt}/g ${transcript}; exit 1`);
  const env = {PATH: `${dirname(repo.dir)}:${repo.env.PATH}`};
  const run = await loopx(t, repo, ['run', '--executor', 'claude', '--until', '1h'], {env});
  t.is(run.status, 0, run.stderr);
  t.regex(run.stdout, /^Stopped, as the time is up\. 1 round run\.$/m);
  const {rounds} = await statusOf(t, repo);
  t.false(rounds[0]!.billed);
  t.is((await todoOf(t, repo, repo.todo)).attempts, 0);

  const verdict = await loopxJson<Verdict>(t, repo, ['quota', 'should-run', '--agent', 'claude@test']);
  t.is(verdict.reason, 'rate_limited');
  t.is(Math.round(Date.parse(verdict.nextCheckAt!) / 1000), resetsAt + 60, 'with a minute to spare');
  const other = await loopxJson<Verdict>(t, repo, ['quota', 'should-run', '--agent', 'codex@test']);
  t.is(other.reason, 'todo_ready', 'another agent is not held up');
});

test('a round whose program is not installed costs nothing and is no try', async t => {
  const repo = await withTodo(t);
  const folder = join(dirname(repo.dir), 'bin');
  await mkdir(folder);
  for (const name of ['git', 'sh', 'node']) {
    await symlink(
      (await repo.git.run(['-c', `alias.w=!command -v ${name}`, 'w'])).stdout.toString().trim(),
      join(folder, name),
    );
  }

  const run = await loopx(t, repo, ['run', '--executor', 'claude'], {env: {PATH: folder}});
  t.is(run.status, 1, run.stderr);
  t.regex(run.stderr, /The agent's program "claude" is not on PATH\./);
  t.regex(run.stderr, /npm install -g @anthropic-ai\/claude-code/);
  const status = await statusOf(t, repo);
  t.is(status.round, null);
  t.deepEqual(status.rounds, [], 'no round was begun');
  t.is((await todoOf(t, repo, repo.todo)).attempts, 0);

  const none = await loopx(t, repo, ['run'], {env: {PATH: folder}});
  t.is(none.status, 1);
  t.regex(none.stderr, /None of claude, codex is on PATH\./);
});

test('an agent that prints nothing for too long is ended with all that it started', async t => {
  const repo = await withTodo(t);
  const env = {LOOPX_ROUND_SILENCE: '1s'};
  const agent = `node ${agentsFolder}/hangs.mjs`;
  const run = await loopx(t, repo, ['run', '--command', agent, '--max-rounds', '1'], {env});
  t.is(run.status, 0, run.stderr);
  t.regex(run.stderr, /failed: The agent was stopped: it printed nothing for too long\./);
  t.deepEqual(await processesIn(repo), []);
});

test('a dry run says what would happen and writes nothing', async t => {
  const repo = await withTodo(t);
  const before = await refsOf(repo);
  const run = await loopx(t, repo, ['run', '--dry-run', '--command', 'touch was-run']);
  t.is(run.status, 0, run.stderr);
  t.regex(run.stdout, /^run \(todo_ready\)/);
  t.regex(run.stdout, /It would be driven by command as command@test\. Nothing was begun\./);
  t.is(await refsOf(repo), before);
  t.false((await readdir(repo.dir)).includes('was-run'));
  t.false((await readdir(join(repo.dir, '.git/loopx'))).includes('running'));
});

test('an open gate stops the loop with its question; the next brief has the answer and its reason', async t => {
  const repo = await withTodo(t);
  const ask = [
    'gate',
    'ask',
    'Drop Python 2.7?',
    '--option',
    'drop it',
    '--option',
    'keep it',
    '--recommend',
    'drop it',
  ];
  const {gate} = await loopxJson<{gate: {id: string}}>(t, repo, ask);
  const brief = join(dirname(repo.dir), 'brief.md');
  const agent = `cat >"${brief}"`;
  const stopped = await loopx(t, repo, ['run', '--command', agent, '--max-rounds', '1']);
  t.is(stopped.status, 3);
  t.regex(stopped.stderr, /Drop Python 2\.7\?\n +1 +drop it +\(recommended\)\n +2 +keep it/);
  t.regex(stopped.stderr, /The loop stops here: a person has to decide\./);
  await t.throwsAsync(readFile(brief), {code: 'ENOENT'}, 'no agent was started');

  const refused = await loopx(t, repo, ['gate', 'answer', gate.id, '1'], {env: {CLAUDECODE: '1'}});
  t.is(refused.status, 3, 'an agent can not answer');
  await loopxJson(t, repo, ['gate', 'answer', gate.id, '1', '--reason', 'Nobody has used it since 2024']);
  const run = await loopx(t, repo, ['run', '--command', agent, '--max-rounds', '1']);
  t.is(run.status, 0, run.stderr);
  const text = await readFile(brief, 'utf8');
  for (const part of ['Drop Python 2.7?', 'drop it', 'Nobody has used it since 2024'])
    t.true(text.includes(part), part);
});
