import test from 'ava';
import {addTodo, agentEnv, refuses, runCli, runJson, says, startGoal} from '../support/cli.ts';
import {tempRepo} from '../support/repo.ts';
import {testNowMs} from '../support/world.ts';

const env = {LOOPX_AGENT: 'claude@test'};

test('a goal that is put away keeps its decisions, totals and history, and loses the rest (trap 55)', async t => {
  const repo = await tempRepo(t);
  const id = await startGoal(t, repo);
  await addTodo(t, repo, 'Port the lexer');
  await runJson(t, repo, ['decision', 'add', 'Keep Python 3 only', '--why', 'It is simpler']);
  await runJson(t, repo, ['checkpoint', 'save', 'By hand']);
  await runJson(t, repo, ['round', 'begin'], {env});
  await runJson(t, repo, ['round', 'end', '--outcome', 'progress', '--summary', 'Half.'], {env});
  t.is((await repo.git.text(['for-each-ref', 'refs/loopx/snapshots'])).split('\n').length, 2);

  await says(
    t,
    repo,
    ['goal', 'archive', '--reason', 'We buy it instead'],
    [`Archived ${id}: its decisions and totals stay, and its history.`, `  All that happened: loopx log --goal ${id}`],
  );
  const files = await repo.git.text(['ls-tree', '-r', '--name-only', `refs/loopx/goals/${id}`]);
  t.regex(files, /^decisions\/d-\w{8}\.yaml\ngoal\.yaml$/);
  t.is(await repo.git.text(['for-each-ref', 'refs/loopx/snapshots']), '');
  t.like(await runJson(t, repo, ['status']), {
    goal: {status: 'archived'},
    todos: {open: 0},
    next: null,
    checkpoint: null,
  });
  t.like(await runJson(t, repo, ['fsck']), {ok: true, problems: []});
  t.regex((await runCli(t, repo, ['log'])).stdout, /Half\..*Port the lexer/s);
  t.like(await runJson(t, repo, ['quota', 'should-run'], {env}), {decision: 'stop', reason: 'goal_finished'});
  await says(t, repo, ['goal', 'archive'], [`${id} is archived already.`]);
  t.is((await runCli(t, repo, ['todo', 'add', 'More'])).status, 3);
});

test('a goal that was put away can be taken up again, and begins with nothing to do', async t => {
  const repo = await tempRepo(t);
  const id = await startGoal(t, repo);
  await addTodo(t, repo, 'Port the lexer');
  await runJson(t, repo, ['goal', 'archive', '--reason', 'Enough']);
  await says(t, repo, ['goal', 'resume'], [`Resumed ${id}.`, '  Give it something to do: loopx todo add "…"']);
  await addTodo(t, repo, 'Port the parser');
  t.like(await runJson(t, repo, ['status']), {goal: {status: 'active'}, todos: {open: 1}});
  t.like(await runJson(t, repo, ['fsck']), {ok: true});
});

test('only a person puts a goal away, never under a running round, and says why where it is not finished', async t => {
  const repo = await tempRepo(t);
  const id = await startGoal(t, repo);
  await refuses(t, repo, ['goal', 'archive'], {
    ...{status: 3, code: 'not-verified', message: `The goal ${id} is active, not finished.`},
    hint: 'Finish it first: loopx goal finish. Or say why it is over: loopx goal archive --reason "…"',
  });
  await refuses(
    t,
    repo,
    ['goal', 'archive', '--reason', 'Enough'],
    {
      ...{status: 3, code: 'person-needed'},
      message: 'Only a person can archive a goal, and this is a session of claude@test.',
      hint: 'Run it in a terminal of your own.',
    },
    {env: agentEnv},
  );
  const {round} = await runJson<{round: {id: string}}>(t, repo, ['round', 'begin'], {env});
  await refuses(t, repo, ['goal', 'archive', '--reason', 'Enough'], {
    ...{status: 3, code: 'round-live', message: `Round ${round.id} of claude@test is running.`},
    hint: 'Let it end first. So that no other begins: loopx goal pause',
  });
  const nowMs = testNowMs + 86_400_000;
  t.is((await runCli(t, repo, ['goal', 'archive', '--reason', 'Enough'], {nowMs})).status, 0, 'its lease is over');
  t.like(await runJson(t, repo, ['status']), {round: null});
});
