import test from 'ava';
import {addTodo, refuses, runCli, runJson, says, short, startGoal} from '../support/cli.ts';
import {tempRepo} from '../support/repo.ts';

type Decision = {id: string; replacedBy: string | null};

test('without decisions the list says how to record one', async t => {
  const repo = await tempRepo(t);
  await startGoal(t, repo);
  const next = '  Record one: loopx decision add "What was decided" --why "The reason"';
  await says(t, repo, ['decision'], ['No decisions yet.', next]);
});

test('a decision takes the place of another one, which stays on record', async t => {
  const repo = await tempRepo(t);
  await startGoal(t, repo);
  const why = ['--why', '两个用户还在用'];
  const first = await runJson<{decision: Decision}>(t, repo, ['decision', 'add', '保留旧的接口', ...why]);
  const {id} = first.decision;
  t.deepEqual(first as object, {
    schema: 'loopx/decision@1',
    decision: {
      ...{id, text: '保留旧的接口', why: '两个用户还在用', replaces: [], replacedBy: null, round: null},
      ...{at: '2026-01-01T12:00:00.000Z', by: 'Ada Test <ada@example.org>'},
    },
  });
  const env = {LOOPX_ROUND: 'r-01234567', LOOPX_AGENT: 'claude@test'};
  const second = await runJson<{decision: Decision}>(t, repo, ['decision', 'add', 'Drop it', '--replaces', short(id)], {
    env,
  });
  t.like(second.decision, {replaces: [id], round: 'r-01234567'});

  const now = [
    `${short(second.decision.id)}  Drop it`,
    `  instead of  ${short(id)}`,
    '  decided     now by claude@test',
  ];
  await says(t, repo, ['decision', 'list'], [...now, '1 decision replaced: loopx decision list --all']);
  await says(
    t,
    repo,
    ['decision', 'list', '--all'],
    [
      `${short(id)}  保留旧的接口`,
      '  why          两个用户还在用',
      `  replaced by  ${short(second.decision.id)}`,
      '  decided      now by Ada Test <ada@example.org>',
      ...now,
    ],
  );
});

test('a decision needs a text, and may only replace what is there', async t => {
  const repo = await tempRepo(t);
  await startGoal(t, repo);
  const empty = {status: 2, code: 'usage', message: 'A decision needs a text.'};
  await refuses(t, repo, ['decision', 'add', ' '], empty);
  const hint = 'List them with `loopx decision list`.';
  const missing = {status: 1, code: 'not-found', message: 'There is no decision "zzzz".', hint};
  await refuses(t, repo, ['decision', 'add', 'Drop it', '--replaces', 'zzzz'], missing);
});

test('agents are listed with what they hold, also those without a round', async t => {
  const repo = await tempRepo(t);
  await startGoal(t, repo);
  await says(t, repo, ['agent'], ['No agent has worked on this goal yet.', '  Start one: loopx run']);
  const todo = await addTodo(t, repo, 'Port it');
  await runCli(t, repo, ['todo', 'claim', todo, '--as', 'codex@here']);
  await says(t, repo, ['agent', 'list'], ['codex@here', `  holds   ${short(todo)}`, '  rounds  0']);
  t.deepEqual(await runJson(t, repo, ['agent', 'list']), {
    schema: 'loopx/agent-list@1',
    agents: [
      {
        ...{id: 'codex@here', rounds: 0, round: null, roundEndsAt: null, claims: [todo]},
        ...{last: null, idle: null, limited: null},
      },
    ],
  });
});
