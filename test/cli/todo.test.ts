import test from 'ava';
import {addTodo, agentEnv, refuses, runCli, runJson, says, short, startGoal} from '../support/cli.ts';
import {tempRepo} from '../support/repo.ts';
import {testNowMs} from '../support/world.ts';

type Todo = {id: string; title: string; status: string; claim: {agent: string; until: string} | null};

test('an empty list says how to add the first step', async t => {
  const repo = await tempRepo(t);
  await startGoal(t, repo);
  await says(t, repo, ['todo', 'list'], ['No todos yet.', '  Add one: loopx todo add "The first step"']);
  await says(t, repo, ['todo'], ['No todos yet.', '  Add one: loopx todo add "The first step"']);
});

test('a list tells what may be taken, and what keeps the others from it', async t => {
  const repo = await tempRepo(t);
  await startGoal(t, repo);
  const first = await addTodo(t, repo, 'Port src/lexer.js');
  const later = await addTodo(t, repo, 'Write the guide', ['-p', '3', '--after', first]);
  const urgent = await addTodo(t, repo, 'Fix the build', ['-p', '0']);
  const stuck = await addTodo(t, repo, 'Deploy');
  const done = await addTodo(t, repo, 'Read the code');
  await runCli(t, repo, ['todo', 'claim', urgent], {env: agentEnv});
  await runCli(t, repo, ['todo', 'block', stuck, '--reason', 'The server is down']);
  await runCli(t, repo, ['todo', 'done', done, '--result', 'Read']);

  const open = [
    `${short(urgent)}  [>]  p0  Fix the build`,
    '    claimed by claude@test, lease ends in 30 min',
    `${short(first)}  [ ]  p2  Port src/lexer.js`,
    `${short(stuck)}  [!]  p2  Deploy`,
    '    blocked: The server is down',
    `${short(later)}  [~]  p3  Write the guide`,
    `    waits for ${short(first)}`,
  ];
  await says(t, repo, ['todo', 'list'], [...open, '1 todo closed: loopx todo list --all']);
  await says(t, repo, ['todo', '--all'], [...open, `${short(done)}  [x]  p2  Read the code`, '    Read']);

  const {todos} = await runJson<{todos: Todo[]}>(t, repo, ['todo', 'list']);
  t.deepEqual(
    todos.map(({id, status}) => [id, status]),
    [
      [urgent, 'open'],
      [first, 'open'],
      [stuck, 'blocked'],
      [later, 'open'],
      [done, 'done'],
    ],
    'programs see all of them',
  );
  t.is(todos[0]!.claim!.agent, 'claude@test');
});

test('a todo for programs has every promised field', async t => {
  const repo = await tempRepo(t);
  await startGoal(t, repo);
  const id = await addTodo(t, repo, 'Port it');
  const document = await runJson<{schema: string; todo: object}>(t, repo, ['todo', 'show', id]);
  t.is(document.schema, 'loopx/todo@1');
  t.deepEqual(document.todo, {
    ...{id, title: 'Port it', status: 'open', priority: 2, parent: null, dependsOn: [], agent: null, phase: null},
    ...{executor: null, detail: null, watch: null, reason: null},
    ...{result: null, verified: null, checks: [], required: true, claim: null, attempts: 0},
    ...{createdAt: '2026-01-01T12:00:00.000Z', createdBy: 'Ada Test <ada@example.org>'},
  });
});

test('a todo shows all that is known of it', async t => {
  const repo = await tempRepo(t);
  await startGoal(t, repo);
  const parent = await addTodo(t, repo, 'Port it all');
  const id = await addTodo(t, repo, 'Port the lexer', [
    ...['--parent', parent, '--detail', 'Keep the old API', '--check', 'npm test', '--optional'],
  ]);
  await says(
    t,
    repo,
    ['todo', 'show', short(id)],
    [
      id,
      '  title    Port the lexer',
      '  status   open, optional, priority 2',
      '  detail   Keep the old API',
      `  part of  ${short(parent)} Port it all (open)`,
      '  checks   npm test',
      '  added    now by Ada Test <ada@example.org>',
    ],
  );
});

test('in 40 columns wide characters stay aligned and nothing is wider', async t => {
  const repo = await tempRepo(t);
  await startGoal(t, repo);
  const first = await addTodo(t, repo, '移植 storage/reader.py，保持旧接口不变，支持流式读取');
  const second = await addTodo(t, repo, '👨‍👩‍👧 the family \u202eemoji\u0007\u001b[31m', ['-p', '4']);
  await runCli(t, repo, ['todo', 'block', second, '--reason', '服务器没开机，等管理员回来以后再试一次，谢谢']);
  await says(
    t,
    repo,
    ['todo'],
    [
      `${short(first)}  [ ]  p2  移植 storage/reader.py…`,
      `${short(second)}  [!]  p4  👨‍👩‍👧 the family emoji`,
      '    blocked: 服务器没开机，等管理员回来',
      '    以后再试一次，谢谢',
    ],
    {columns: 40},
  );
});

test('a person claims, renews, and gives back', async t => {
  const repo = await tempRepo(t);
  await startGoal(t, repo);
  const id = await addTodo(t, repo, 'Port it');
  const done = `  Finish with: loopx todo done ${short(id)}`;
  const claimed = (until: string) => [
    `Claimed ${short(id)}: Port it`,
    `  claimed by ada-test@test, lease ends ${until}`,
    done,
  ];
  await says(t, repo, ['todo', 'claim', id], claimed('in 30 min'));
  await says(t, repo, ['todo', 'claim', id, '--lease', '2h'], claimed('in 2 h'));
  await says(
    t,
    repo,
    ['todo', 'release', id],
    [`Released ${short(id)}: Port it`, `  Anybody can take it: loopx todo claim ${short(id)}`],
  );
  await says(t, repo, ['todo', 'release', id], [`Nobody holds ${short(id)}: there is nothing to release.`]);
});

test('starting a todo says what is to be done', async t => {
  const repo = await tempRepo(t);
  await startGoal(t, repo, 'Port storage', ['--constraint', 'Keep the API', '--scope', 'src/']);
  const id = await addTodo(t, repo, 'Port it', ['--check', 'npm test', '--detail', 'Start with the lexer']);
  await says(
    t,
    repo,
    ['todo', 'start', id],
    [
      `Started ${short(id)}: Port it`,
      '  claim    claimed by codex@here, lease ends in 30 min',
      '  detail   Start with the lexer',
      '  proof    npm test',
      '  keep     Keep the API',
      '  only in  src/',
      `  Renew the claim: loopx todo claim ${short(id)}`,
      `  Finish with: loopx todo done ${short(id)} --result "What came of it"`,
    ],
    {env: {LOOPX_AGENT: 'codex@here'}},
  );
});

test("another agent's claim holds until its lease ends, or a person takes it away", async t => {
  const repo = await tempRepo(t);
  await startGoal(t, repo);
  const id = await addTodo(t, repo, 'Port it');
  await runCli(t, repo, ['todo', 'claim', id], {env: {LOOPX_AGENT: 'codex@here'}});
  const hint = 'Take another one, or wait for the lease to end: `loopx todo list`.';
  const message = `Todo ${id} is claimed by codex@here until 2026-01-01T12:30:00.000Z.`;
  await refuses(t, repo, ['todo', 'claim', id], {status: 3, code: 'todo-claimed', message, hint});
  await refuses(
    t,
    repo,
    ['todo', 'release', id, '--force'],
    {
      ...{status: 3, code: 'person-needed'},
      message: "Only a person can take away another agent's claim, and this is a session of claude@test.",
      hint: 'Run it in a terminal of your own.',
    },
    {env: agentEnv},
  );
  t.is((await runCli(t, repo, ['todo', 'claim', id], {nowMs: testNowMs + 31 * 60_000})).status, 0);
  t.is((await runCli(t, repo, ['todo', 'release', id, '--force'])).status, 0);
});

test('done, done again, and opened again', async t => {
  const repo = await tempRepo(t);
  await startGoal(t, repo);
  const id = await addTodo(t, repo, 'Port it', ['--check', 'npm test']);
  await says(
    t,
    repo,
    ['todo', 'done', id, '--result', 'Ported'],
    [
      `Done ${short(id)}: Port it`,
      '  Not verified yet: loopx has not run its checks.',
      '  Nothing is left: loopx goal finish',
    ],
  );
  await says(t, repo, ['todo', 'done', id], [`${short(id)} was done already: Port it`]);
  await says(t, repo, ['todo'], ['No open todos.', '1 todo closed: loopx todo list --all']);
  await refuses(t, repo, ['todo', 'claim', id], {
    ...{status: 3, code: 'todo-closed', message: `Todo ${id} is done.`},
    hint: `Open it again with \`loopx todo retry ${id}\` if that is wrong.`,
  });
  await says(t, repo, ['todo', 'retry', id], [`Opened ${short(id)} again: Port it`, '  Work on it: loopx run']);
  await says(t, repo, ['todo', 'retry', id], [`${short(id)} is open: Port it`]);
});

test('dropping needs a reason, and an edit something to change', async t => {
  const repo = await tempRepo(t);
  await startGoal(t, repo);
  const id = await addTodo(t, repo, 'Port it', ['--phase', 'one']);
  const hint = 'See `loopx todo drop --help`.';
  await refuses(t, repo, ['todo', 'drop', id], {status: 2, code: 'usage', message: '--reason is missing.', hint});
  await refuses(t, repo, ['todo', 'edit', id], {status: 2, code: 'usage', message: 'Nothing to change was named.'});
  await says(
    t,
    repo,
    ['todo', 'edit', id, '--title', 'Port it all', '--phase', '', '-p', '1'],
    [`Changed ${short(id)}: Port it all`, `  See it: loopx todo show ${short(id)}`],
  );
  const {todo} = await runJson<{todo: object}>(t, repo, ['todo', 'show', id]);
  t.like(todo, {title: 'Port it all', phase: null, priority: 1});
  await says(
    t,
    repo,
    ['todo', 'drop', id, '--reason', 'The module is gone'],
    [`Dropped ${short(id)}: Port it all`, `  Open it again: loopx todo retry ${short(id)}`],
  );
});

test('what is not there is said, with where to look', async t => {
  const repo = await tempRepo(t);
  const goalHint = 'Start one with `loopx start-goal --goal-text "What is to be reached"`.';
  const noGoal = {status: 1, code: 'no-goal', message: 'There is no goal in this repository yet.', hint: goalHint};
  await refuses(t, repo, ['todo', 'list'], noGoal);
  await startGoal(t, repo);
  const hint = 'List them with `loopx todo list`.';
  const missing = {status: 1, code: 'not-found', message: 'There is no todo "zzzz".', hint};
  for (const verb of ['show', 'claim', 'start', 'release', 'done', 'retry']) {
    await refuses(t, repo, ['todo', verb, 'zzzz'], missing);
  }
});

test('a todo that waits for an answer says so in the list, and is not what comes next', async t => {
  const repo = await tempRepo(t);
  await startGoal(t, repo, 'Port storage');
  const todo = await addTodo(t, repo, 'Port the lexer');
  const ask = ['gate', 'ask', 'Which lexer generator is to be used here?', '--blocks', `todo:${todo}`];
  t.is((await runCli(t, repo, ask)).status, 0);
  const {stdout} = await runCli(t, repo, ['todo', 'list']);
  t.regex(stdout, /^t-\w+ {2}\[\?\] {2}p2 {2}Port the lexer\n {4}waits for an answer: loopx gate show g-\w{8}$/m);
  t.is((await runJson<{next: object | null}>(t, repo, ['status'])).next, null);
});
