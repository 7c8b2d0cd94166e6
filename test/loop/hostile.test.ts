// Agents that do what no agent should: what they leave behind is a goal that goes on.
import {execFile} from 'node:child_process';
import {promisify} from 'node:util';
import test, {type ExecutionContext} from 'ava';
import {bundledLoopx} from '../support/bundle.ts';
import {loopx, loopxJson, shellEnv} from '../support/loopx.ts';
import {type TempRepo, tempRepo} from '../support/repo.ts';

type Status = {
  goal: {id: string; totals: {todos: number}};
  rounds: readonly {outcome: string; billed: boolean; summary: string; tokens: number}[];
  round: object | null;
};

async function withTodos(t: ExecutionContext, todos: readonly (readonly string[])[]): Promise<TempRepo> {
  const repo = await tempRepo(t);
  await loopxJson(t, repo, ['start-goal', '--goal-text', 'Port storage', '--check', 'true']);
  for (const todo of todos) await loopxJson(t, repo, ['todo', 'add', ...todo]);
  return repo;
}

const statusOf = (t: ExecutionContext, repo: TempRepo) => loopxJson<Status>(t, repo, ['status']);
const once = (command: string) => ['run', '--max-rounds', '1', '--command', `cat >/dev/null; ${command}`];
const says = (result: object) => `printf '%s\\n' '${JSON.stringify({loopx: result})}'`;

test('a program that does not exist stops the loop at its first round, which is not billed', async t => {
  const repo = await withTodos(t, [['One']]);
  const {status, stderr} = await loopx(t, repo, ['run', '--command', 'no-such-program-anywhere']);
  t.is(status, 3, stderr);
  t.regex(stderr, /no-such-program-anywhere/);
  const {rounds} = await statusOf(t, repo);
  t.deepEqual(
    rounds.map(({outcome, billed}) => [outcome, billed]),
    [['failed', false]],
  );
});

test('an agent that says done, with nothing changed and a failing check, is told so and has to wait', async t => {
  const repo = await withTodos(t, [['One', '--check', 'echo expected 3 got 2; false']]);
  const {stderr} = await loopx(t, repo, once(says({outcome: 'done', summary: 'Fixed.'})));
  t.regex(stderr, /failed: Fixed\. But the check echo expected failed with 1: expected 3 got 2\./);
  const brief = await loopx(t, repo, ['brief']);
  t.regex(brief.stdout, /expected 3 got 2/, 'the next round starts from what the check printed');
  const verdict = await loopxJson<{decision: string; reason: string}>(t, repo, [
    ...['quota', 'should-run', '--agent', 'command@test'],
  ]);
  t.is(verdict.reason, 'no_change');
});

test('a number that nobody can believe keeps no round from being recorded', async t => {
  const repo = await withTodos(t, [['One'], ['Two']]);
  const usage = {inputTokens: 1e15, costUsd: 1e300};
  const run = await loopx(t, repo, once(says({outcome: 'done', summary: 'Did it.', usage})));
  t.is(run.status, 0, run.stderr);
  const {rounds, round} = await statusOf(t, repo);
  t.is(round, null);
  t.is(rounds[0]?.outcome, 'done');
  t.is(rounds[0]?.tokens, 1e12);
  t.is((await loopx(t, repo, ['todo', 'add', 'Three'])).status, 0);
});

for (const [deed, command] of [
  ['deletes', 'git update-ref -d "refs/loopx/goals/$LOOPX_GOAL"'],
  ['rewinds', 'r="refs/loopx/goals/$LOOPX_GOAL"; git update-ref "$r" "$(git rev-list --max-parents=0 "$r")"'],
] as const) {
  test(`the history of a goal whose ref an agent ${deed} is put back, and said so`, async t => {
    const repo = await withTodos(t, [['One'], ['Two']]);
    const run = await loopx(t, repo, once(command));
    t.is(run.status, 0, run.stderr);
    t.regex(run.stderr, /was cut back during the round; it is put back/);
    const {goal, round, rounds} = await statusOf(t, repo);
    t.is(goal.totals.todos, 2);
    t.is(round, null);
    t.is(rounds.length, 1);
    t.true((await loopxJson<{ok: boolean}>(t, repo, ['fsck'])).ok);
  });
}

test('a ref that is no goal keeps nobody from the others', async t => {
  const repo = await withTodos(t, [['One']]);
  await repo.git.text(['update-ref', 'refs/loopx/goals/evil', 'HEAD']);
  t.is((await statusOf(t, repo)).goal.totals.todos, 1);
  t.is((await loopx(t, repo, ['todo', 'add', 'Two'])).status, 0);
});

test('the same question for another todo stops that one, too, and no longer than its answer', async t => {
  const repo = await withTodos(t, [['One'], ['Two']]);
  const ask = '"$LOOPX_BIN" gate ask "Which of the two databases is to stay?" --option old --option new';
  const agent = `${ask} >/dev/null; ${says({outcome: 'blocked', summary: 'Asked.'})}`;
  const run = await loopx(t, repo, ['run', '--command', `cat >/dev/null; ${agent}`]);
  t.is(run.status, 3, run.stderr);
  const {gates} = await loopxJson<{gates: readonly {id: string}[]}>(t, repo, ['gate', 'list']);
  t.is(gates.length, 2);
  for (const {id} of gates) t.is((await loopx(t, repo, ['gate', 'answer', id, 'new'])).status, 0);
  const {todos} = await loopxJson<{todos: readonly {status: string}[]}>(t, repo, ['todo', 'list']);
  t.deepEqual(
    todos.map(todo => todo.status),
    ['open', 'open'],
  );
});

test('a reader who leaves early does not end the round', async t => {
  const repo = await withTodos(t, [['One']]);
  const slow = 'cat >/dev/null; for i in 1 2 3 4; do echo $i; sleep .2; done; echo x >made.txt';
  const line = `"${process.execPath}" "${await bundledLoopx()}" run --max-rounds 1 --command '${slow}' 2>&1 | head -n 1`;
  await promisify(execFile)('sh', ['-c', line], {cwd: repo.dir, env: shellEnv(repo)});
  for (let tries = 0; tries < 50 && (await statusOf(t, repo)).rounds.length === 0; tries += 1) {
    await new Promise(resolve => setTimeout(resolve, 200));
  }

  t.is((await statusOf(t, repo)).rounds[0]?.outcome, 'progress');
});
