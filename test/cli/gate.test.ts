import test, {type ExecutionContext} from 'ava';
import {addTodo, agentEnv, refuses, runCli, runJson, says, short, startGoal} from '../support/cli.ts';
import {type TempRepo, tempRepo} from '../support/repo.ts';

type Gate = {id: string; status: string; answer: string | null; blocks: string[]; round?: string; kind: string};

const question = 'Drop Node 18 in the public API?';
const options = ['-o', 'drop it', '-o', 'keep it'];

async function ask(t: ExecutionContext, repo: TempRepo, more: readonly string[] = options, env = {}): Promise<Gate> {
  return (await runJson<{gate: Gate}>(t, repo, ['gate', 'ask', question, ...more], {env})).gate;
}

test('no question is open', async t => {
  const repo = await tempRepo(t);
  await startGoal(t, repo);
  await says(t, repo, ['gate'], ['No question is open.']);
});

test('a question can be answered from the screen alone', async t => {
  const repo = await tempRepo(t);
  await startGoal(t, repo);
  const evidence = ['--recommend', 'keep it', '--evidence', 'docs/usage.md'];
  const {id} = await ask(t, repo, [...options, ...evidence]);
  const lines = [
    `Question ${short(id)} waits for an answer`,
    '  Drop Node 18 in the public API?',
    '    1  drop it',
    '    2  keep it (recommended)',
    '  evidence  docs/usage.md',
    '  blocks    the whole goal',
    '  asked     now by Ada Test <ada@example.org>',
    `  Answer: loopx gate answer ${short(id)} 1 --reason "Why"`,
  ];
  await says(t, repo, ['gate', 'list'], lines);
  await says(t, repo, ['gate', 'ask', question], ['This is being asked already.', ...lines]);
  await says(
    t,
    repo,
    ['gate', 'show', id],
    lines.map(line => line.replace(/g-\w{4}\b/, id)),
  );
});

test('in 40 columns a Chinese question is whole, and stands out in colour', async t => {
  const repo = await tempRepo(t);
  await startGoal(t, repo);
  const text = '要不要删除旧的接口？现在还有两个用户依赖它，请在周五以前决定';
  const {gate} = await runJson<{gate: Gate}>(t, repo, ['gate', 'ask', text, '-o', '删除', '-o', '保留\u202e一个版本']);
  const {stdout} = await runCli(t, repo, ['gate', 'list'], {columns: 40, color: true});
  t.is(
    stdout,
    [
      `\u001b[33mQuestion ${short(gate.id)} waits for an answer\u001b[39m`,
      '\u001b[1m  要不要删除旧的接口？现在还有两个用户依\u001b[22m',
      '\u001b[1m  赖它，请在周五以前决定\u001b[22m',
      '    1  删除',
      '    2  保留一个版本',
      '  blocks  the whole goal',
      '  asked   now by Ada Test',
      '          <ada@example.org>',
      `  Answer: loopx gate answer ${short(gate.id)} 1 --reason "Why"`,
      '',
    ].join('\n'),
  );
});

test('an agent that asks is told to go on with what does not wait', async t => {
  const repo = await tempRepo(t);
  await startGoal(t, repo);
  const {stdout} = await runCli(t, repo, ['gate', 'ask', question], {env: agentEnv});
  t.regex(stdout, /\n {2}Only a person can answer; work on what does not wait for it\.\n$/);
});

test('a gate for programs has every promised field', async t => {
  const repo = await tempRepo(t);
  await startGoal(t, repo);
  const {schema, gate} = await runJson<{schema: string; gate: Gate}>(t, repo, ['gate', 'ask', question, ...options]);
  t.is(schema, 'loopx/gate@1');
  t.deepEqual({...gate, id: 'g'} as object, {
    ...{id: 'g', question, options: ['drop it', 'keep it'], recommend: null, kind: 'question', blocks: ['goal']},
    ...{status: 'open', answer: null, evidence: null, answers: []},
    ...{askedAt: '2026-01-01T12:00:00.000Z', askedBy: 'Ada Test <ada@example.org>'},
  });
});

test('inside a round a question blocks the todo of that round, unless it says otherwise', async t => {
  const repo = await tempRepo(t);
  await startGoal(t, repo);
  const todo = await addTodo(t, repo, 'Port it');
  const env = {LOOPX_ROUND: 'r-01234567', LOOPX_TODO: todo};
  t.like(await ask(t, repo, options, env), {blocks: [`todo:${todo}`], round: 'r-01234567'});
  const {gate} = await runJson<{gate: Gate}>(
    t,
    repo,
    ['gate', 'ask', 'Publish version 2.0 to npm?', '--approval', '--blocks', 'action:publish', '--blocks', 'agent:a@b'],
    {env},
  );
  t.like(gate, {blocks: ['action:publish', 'agent:a@b'], kind: 'approval'});
});

test('an answer by number, words or their beginning; the same again; and a correction', async t => {
  const repo = await tempRepo(t);
  await startGoal(t, repo);
  const {id} = await ask(t, repo);
  const goOn = '  The next round is told. Go on: loopx run';
  await says(
    t,
    repo,
    ['gate', 'answer', id, 'keep', '--reason', 'Two users'],
    [`Answered ${short(id)}: "keep it".`, goOn],
  );
  await says(t, repo, ['gate', 'answer', id, '2'], [`${short(id)} has this answer already: "keep it".`]);
  await says(
    t,
    repo,
    ['gate', 'answer', id, 'drop it'],
    [`Corrected ${short(id)}: now "drop it", before "keep it".`, goOn],
  );
  await says(t, repo, ['gate', 'list'], ['No question is open.', '1 question closed: loopx gate list --all']);
  await says(
    t,
    repo,
    ['gate', 'list', '--all'],
    [
      `Question ${short(id)} (answered)`,
      '  Drop Node 18 in the public API?',
      '    1  drop it',
      '    2  keep it',
      '  blocks    the whole goal',
      '  asked     now by Ada Test <ada@example.org>',
      '  answer    drop it',
      '  answered  now by Ada Test <ada@example.org>',
      '  so far    keep it (Two users), by Ada Test <ada@example.org>',
      '            drop it, by Ada Test <ada@example.org>',
    ],
  );
});

test('on a terminal the question is shown and the answer asked for; without one the way to give it is named', async t => {
  const repo = await tempRepo(t);
  await startGoal(t, repo);
  const {id} = await ask(t, repo);
  const hint = `Give it: loopx gate answer ${id} "Your answer"`;
  const missing = {status: 2, code: 'usage', message: 'The answer is missing.', hint};
  await refuses(t, repo, ['gate', 'answer', id], missing);
  await refuses(t, repo, ['gate', 'answer', id, '--no-input'], missing, {stdinTerminal: true});
  const result = await runCli(t, repo, ['gate', 'answer', id], {stdinTerminal: true, answers: ['1']});
  t.is(result.status, 0);
  t.regex(result.stderr, /^ {2}Drop Node 18 in the public API\?$[\s\S]*^Your answer: $/m);
  t.is(result.stdout, `Answered ${short(id)}: "drop it".\n  The next round is told. Go on: loopx run\n`);
});

test('agents answer nothing, and withdraw only their own questions', async t => {
  const repo = await tempRepo(t);
  await startGoal(t, repo);
  const {id} = await ask(t, repo);
  const refusal = (deed: string, agent = 'claude@test') => ({
    ...{status: 3, code: 'person-needed'},
    message: `Only a person can ${deed}, and this is a session of ${agent}.`,
    hint: 'Run it in a terminal of your own.',
  });
  await refuses(t, repo, ['gate', 'answer', id, '1'], refusal('answer gates'), {env: agentEnv});
  const codex = {LOOPX_AGENT: 'codex@here'};
  await refuses(t, repo, ['gate', 'answer', id, '1'], refusal('answer gates', 'codex@here'), {env: codex});
  const inRound = {LOOPX_ROUND: 'r-01234567'};
  await refuses(t, repo, ['gate', 'answer', id, '1'], refusal('answer gates', 'agent@test'), {env: inRound});
  await refuses(t, repo, ['gate', 'withdraw', id], refusal('withdraw this gate'), {env: agentEnv});

  const own = await runJson<{gate: Gate}>(t, repo, ['gate', 'ask', 'Which of the two ports?'], {env: agentEnv});
  await refuses(t, repo, ['gate', 'withdraw', own.gate.id], refusal('withdraw this gate', 'codex@here'), {env: codex});
  t.is((await runCli(t, repo, ['gate', 'withdraw', own.gate.id], {env: agentEnv})).status, 0);
});

test('a withdrawn question takes no answer', async t => {
  const repo = await tempRepo(t);
  await startGoal(t, repo);
  const {id} = await ask(t, repo);
  await says(
    t,
    repo,
    ['gate', 'withdraw', id, '--reason', 'Gone'],
    [`Withdrew ${short(id)}: ${question}`, '  What it blocked goes on: loopx run'],
  );
  await says(t, repo, ['gate', 'withdraw', id], [`${short(id)} is not open: it was withdrawn.`]);
  await refuses(t, repo, ['gate', 'answer', id, '1'], {
    ...{status: 3, code: 'gate-closed', message: `Gate ${id} was withdrawn.`},
    hint: 'There is nothing to answer any more.',
  });
});

test('a vague question, a wrong option and an unknown block are refused', async t => {
  const repo = await tempRepo(t);
  await startGoal(t, repo);
  const vague = await runCli(t, repo, ['gate', 'ask', 'Continue?', '--json']);
  t.like(JSON.parse(vague.stderr), {code: 'gate-vague', message: '"Continue?" does not say what is to be decided.'});
  t.is(vague.status, 2);
  await refuses(t, repo, ['gate', 'ask', question, '--blocks', 'everything'], {
    ...{status: 2, code: 'usage', message: 'A gate can\'t block "everything".'},
    hint: 'Use goal, todo:ID, agent:NAME or action:WORD.',
  });
  const {id} = await ask(t, repo);
  await refuses(t, repo, ['gate', 'answer', id, 'maybe'], {
    ...{status: 2, code: 'usage', message: `"maybe" is none of the options of ${id}.`},
    hint: 'Answer with one of: 1 drop it | 2 keep it',
  });
});
