import test from 'ava';
import {addTodo, agentEnv, refuses, runCli, runJson, says, startGoal} from '../support/cli.ts';
import {tempRepo} from '../support/repo.ts';

test('without a goal, the list says how to start one', async t => {
  const repo = await tempRepo(t);
  const lines = ['No goals yet.', '  Start one: loopx start-goal --goal-text "What is to be reached"'];
  await says(t, repo, ['goal'], lines);
  t.deepEqual(await runJson(t, repo, ['goal', 'list']), {schema: 'loopx/goal-list@1', goals: []});
});

test('goals are listed with where they stand', async t => {
  const repo = await tempRepo(t);
  const first = await startGoal(t, repo, 'Port storage to Python 3');
  await addTodo(t, repo, 'Port it');
  const second = await startGoal(t, repo, '把文档翻译成中文，并检查所有链接是否有效，然后发布到网站');
  await says(
    t,
    repo,
    ['goal', 'list'],
    [
      `${second}  active`,
      '     把文档翻译成中文，并检查所有链接是…',
      '     todos: none yet',
      `${first}  active`,
      '     Port storage to Python 3',
      '     todos: 1 open, 0 done, 0 verified',
    ],
    {columns: 40},
  );

  const {goals} = await runJson<{goals: {id: string; sizeBytes: number}[]}>(t, repo, ['goal', 'list']);
  for (const {id, sizeBytes} of goals) {
    t.true(sizeBytes > 0);
    t.like(await runJson(t, repo, ['status', id]), {sizeBytes}, 'programs see what each takes on disk');
  }
});

test('of two active goals one has to be named', async t => {
  const repo = await tempRepo(t);
  const first = await startGoal(t, repo, 'Port storage');
  const second = await startGoal(t, repo, 'Translate it');
  const message = `There are 2 goals to choose from: ${[first, second].sort().join(', ')}.`;
  const hint = 'Say which one with --goal GOAL.';
  await refuses(t, repo, ['goal', 'show'], {status: 2, code: 'ambiguous', message, hint});
  t.like(await runJson(t, repo, ['goal', 'show', '--goal', 'trans']), {goal: {id: second}});
  t.is((await runCli(t, repo, ['goal', 'pause', '--goal', second])).status, 0);
  t.like(await runJson(t, repo, ['goal', 'show']), {goal: {id: first}}, 'the other one is the only active one');
});

test('a goal shows everything that was said of it', async t => {
  const repo = await tempRepo(t);
  const id = await startGoal(t, repo, 'Port storage', ['--check', 'npm test', '--scope', 'src/', '--rounds', '20']);
  await runCli(t, repo, ['goal', 'amend', 'Keep the old API']);
  await runCli(t, repo, ['goal', 'edit', '--phase', 'two', '--every', '30m', '--stall-after', '3', '--compute', '0.5']);
  await says(
    t,
    repo,
    ['goal', 'show'],
    [
      id,
      '  goal      Port storage',
      '  status    active',
      '  phase     two',
      '  proof     npm test',
      '  only in   src/',
      '  amended   Keep the old API (now)',
      '  todos     none yet: loopx todo add "The first step"',
      '  budget    20 rounds in all',
      '  compute   50% of the time',
      '  stall     ask after 3 rounds without a change',
      '  schedule  every 30 min',
      '  spent     0 rounds, 0 s, 0 tokens, $0.00',
      '  started   now by Ada Test <ada@example.org>',
    ],
  );
  const {schema, goal} = await runJson<{schema: string; goal: object}>(t, repo, ['goal', 'show']);
  t.is(schema, 'loopx/goal@1');
  t.like(goal, {id, objective: 'Port storage', status: 'active', phase: 'two', constraints: [], scope: ['src/']});
  t.like(goal, {acceptance: [{name: 'npm test', run: 'npm test'}], schedule: {everySeconds: 1800}, finished: null});
});

test('an edit replaces lists, empties them, and leaves the rest as it was', async t => {
  const repo = await tempRepo(t);
  await startGoal(t, repo, 'Port storage', ['--check', 'npm test', '--constraint', 'Keep the API', '--rounds', '20']);
  await runJson(t, repo, ['goal', 'edit', '--every', '1h']);
  const {goal} = await runJson<{goal: object}>(t, repo, [
    ...['goal', 'edit', '-g', 'Port all', '--check', 'unit=npm test', '--check', 'npm run lint', '--constraint', ''],
    ...['--compute', '0.25', '--no-schedule'],
  ]);
  t.like(goal, {objective: 'Port all', constraints: [], schedule: null});
  t.like(goal, {
    acceptance: [
      {name: 'unit', run: 'npm test'},
      {name: 'npm run', run: 'npm run lint'},
    ],
    policy: {compute: 0.25, budgets: [{rounds: 20}]},
  });
});

test('an edit that makes no sense is refused before anything is written', async t => {
  const repo = await tempRepo(t);
  const id = await startGoal(t, repo);
  const tip = await repo.git.text(['rev-parse', `refs/loopx/goals/${id}`]);
  const usage = {status: 2, code: 'usage'};
  const hint = 'See `loopx goal edit --help`.';
  await refuses(t, repo, ['goal', 'edit'], {...usage, message: 'Nothing to change was named.', hint});
  await refuses(t, repo, ['goal', 'edit', '--goal-text', ' '], {...usage, message: 'The goal needs a text.'});
  await refuses(t, repo, ['goal', 'edit', '--compute', '2'], {
    ...usage,
    message: '--compute is a share of the time, from 0 to 1.',
  });
  await refuses(t, repo, ['goal', 'edit', '--stall-after', '0'], {
    ...usage,
    message: '--stall-after needs a whole number of 1 or more.',
  });
  await refuses(t, repo, ['goal', 'edit', '--every', '1h', '--no-schedule'], {
    ...usage,
    message: '--every and --no-schedule exclude each other.',
  });
  await refuses(t, repo, ['goal', 'amend', ' '], {...usage, message: 'An amendment needs a text.'});
  t.is(await repo.git.text(['rev-parse', `refs/loopx/goals/${id}`]), tip);
});

test('an agent may not change what the goal may spend', async t => {
  const repo = await tempRepo(t);
  await startGoal(t, repo);
  const message = 'Only a person can change what the goal may spend, and this is a session of claude@test.';
  const hint = 'Run it in a terminal of your own.';
  const refusal = {status: 3, code: 'person-needed', message, hint};
  await refuses(t, repo, ['goal', 'edit', '--compute', '1'], refusal, {env: agentEnv});
  t.is((await runCli(t, repo, ['goal', 'edit', '--phase', 'two'], {env: agentEnv})).status, 0);
});

test('pause and resume say what is so already, and only a person resumes', async t => {
  const repo = await tempRepo(t);
  const id = await startGoal(t, repo);
  const goOn = '  Go on: loopx goal resume';
  await says(t, repo, ['goal', 'pause', '--reason', 'Lunch'], [`Paused ${id}: no new round starts.`, goOn]);
  await says(t, repo, ['goal', 'pause'], [`${id} is paused already.`, goOn]);
  const message = 'Only a person can resume a goal that is paused, and this is a session of claude@test.';
  const hint = 'Run it in a terminal of your own.';
  await refuses(t, repo, ['goal', 'resume'], {status: 3, code: 'person-needed', message, hint}, {env: agentEnv});
  await says(t, repo, ['goal', 'resume'], [`Resumed ${id}.`, '  Work on it: loopx run']);
  await says(t, repo, ['goal', 'resume'], [`${id} is active already.`, '  Work on it: loopx run']);
});
