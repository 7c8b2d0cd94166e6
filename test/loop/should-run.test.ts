// "May it run?" asked on the command line: an answer for every row of the decision table that one machine can be in,
// and the promise that asking writes nothing and costs nothing.
import {createHash} from 'node:crypto';
import {readdir, readFile} from 'node:fs/promises';
import {join} from 'node:path';
import test, {type ExecutionContext} from 'ava';
import {limitAgent} from '../../lib/change/round.ts';
import {changeGoal} from '../../lib/store/append.ts';
import {addTodo, runCli, runJson, startGoal} from '../support/cli.ts';
import {type TempRepo, tempRepo} from '../support/repo.ts';
import {testGitStore, testWriter} from '../support/store.ts';
import {testNowMs, testWorld} from '../support/world.ts';

type Verdict = {
  schema: string;
  decision: string;
  reason: string;
  shouldRun: boolean;
  message: string;
  todo: {id: string} | null;
  gate: {id: string; question: string} | null;
  fallback: boolean;
  nextCheckAt: string | null;
  billed: boolean;
  budget: {exhausted: object | null};
};

const claude = {LOOPX_AGENT: 'claude@test'};
const codex = {LOOPX_AGENT: 'codex@test'};
const minuteMs = 60_000;
const later = (minutes: number) => testNowMs + minutes * minuteMs;
const iso = (minutes: number) => new Date(later(minutes)).toISOString();

/** What an arrangement may return: the todo that the answer has to name. */
type Arranged = {todo?: string};

/** Arranges a repository, asks, and compares; asking must leave everything as it was. */
const answers = test.macro(
  async (
    t: ExecutionContext,
    arrange: (t: ExecutionContext, repo: TempRepo) => Promise<unknown>,
    wanted: Partial<Verdict> & {nowMs?: number; said?: RegExp},
  ) => {
    const {nowMs = testNowMs, said, ...rest} = wanted;
    const repo = await tempRepo(t);
    const arranged = await arrange(t, repo);
    const {todo} = (arranged ?? {}) as Arranged;
    // The first look at the files may fill caches of git's own.
    await repo.git.text(['status']);
    const before = await gitFolder(repo);
    const ask = ['quota', 'should-run', '--agent', 'claude@test'];
    const verdict = await runJson<Verdict>(t, repo, ask, {nowMs});
    const text = await runCli(t, repo, ask, {nowMs});
    const code = await runCli(t, repo, [...ask, '--exit-code'], {nowMs});
    t.deepEqual(await gitFolder(repo), before, 'asking writes nothing');

    t.like(verdict, {schema: 'loopx/should-run@1', billed: false, ...rest});
    t.is(verdict.shouldRun, rest.decision === 'run');
    t.is(code.status, rest.decision === 'run' ? 0 : 3);
    t.true(text.stdout.startsWith(`${rest.decision} (${rest.reason}): `), text.stdout);
    if (said) t.regex(verdict.message, said);
    if (todo !== undefined) t.is(verdict.todo?.id, todo);
  },
);

/** Returns the names and hashes of all files in `.git` but loopx' own caches. */
async function gitFolder(repo: TempRepo): Promise<Record<string, string>> {
  const root = join(repo.dir, '.git');
  const files = (await readdir(root, {recursive: true, withFileTypes: true})).filter(entry => entry.isFile());
  const hashes = files
    .map(entry => join(entry.parentPath, entry.name).slice(root.length + 1))
    .filter(name => !name.startsWith('loopx/'))
    .map(
      async name =>
        [
          name,
          createHash('sha1')
            .update(await readFile(join(root, name)))
            .digest('hex'),
        ] as const,
    );
  return Object.fromEntries(await Promise.all(hashes));
}

/** A goal with one todo. */
async function oneTodo(t: ExecutionContext, repo: TempRepo): Promise<{goal: string; todo: string}> {
  const goal = await startGoal(t, repo);
  return {goal, todo: await addTodo(t, repo, 'Port the lexer')};
}

/** A round by hand, begun and ended; minutes after noon. */
async function roundOf(
  t: ExecutionContext,
  repo: TempRepo,
  env: Record<string, string>,
  options: {outcome?: string; begin?: number; end?: number; argv?: readonly string[]} = {},
): Promise<void> {
  const {outcome = 'no-change', begin = 0, end = begin, argv = []} = options;
  await runJson(t, repo, ['round', 'begin'], {env, nowMs: later(begin)});
  await runJson(t, repo, ['round', 'end', '--outcome', outcome, '--summary', 'Looked.', ...argv], {
    env,
    nowMs: later(end),
  });
}

/** Puts other bytes in the place of a goal's goal.yaml. */
async function spoilGoal(repo: TempRepo, goal: string, change: (text: string) => string): Promise<void> {
  const ref = `refs/loopx/goals/${goal}`;
  const text = await repo.git.text(['cat-file', 'blob', `${ref}:goal.yaml`]);
  const blob = await repo.git.text(['hash-object', '-w', '--stdin'], {input: `${change(text)}\n`});
  const entries = (await repo.git.text(['ls-tree', ref])).split('\n').map(line => {
    return line.endsWith('\tgoal.yaml') ? `100644 blob ${blob}\tgoal.yaml` : line;
  });
  const tree = await repo.git.text(['mktree'], {input: `${entries.join('\n')}\n`});
  await repo.git.text(['update-ref', ref, await repo.git.text(['commit-tree', tree, '-p', ref, '-m', 'Odd'])]);
}

test(
  'a state that can not be read is not worked on',
  answers,
  async (t, repo) => spoilGoal(repo, await startGoal(t, repo), () => ': not yaml ['),
  {decision: 'wait', reason: 'preflight_failed'},
);

test(
  'a state of a newer format is not worked on',
  answers,
  async (t, repo) => spoilGoal(repo, await startGoal(t, repo), text => text.replace(/^format: .*$/m, 'format: 999')),
  {decision: 'wait', reason: 'preflight_failed', said: /format 999.*Update loopx/},
);

test(
  'a finished goal stops',
  answers,
  async (t, repo) => {
    await startGoal(t, repo);
    await runJson(t, repo, ['goal', 'finish', '--reason', 'Enough']);
  },
  {decision: 'stop', reason: 'goal_finished'},
);

test(
  'a paused goal stops',
  answers,
  async (t, repo) => {
    await oneTodo(t, repo);
    await runJson(t, repo, ['goal', 'pause']);
  },
  {decision: 'stop', reason: 'goal_paused', said: /loopx goal resume/},
);

test(
  'a share of 0 of the time stops',
  answers,
  async (t, repo) => {
    await oneTodo(t, repo);
    await runJson(t, repo, ['quota', 'set', '--compute', '0']);
  },
  {decision: 'stop', reason: 'goal_paused', said: /--compute/},
);

test(
  'an agent has one round at a time',
  answers,
  async (t, repo) => {
    await oneTodo(t, repo);
    await addTodo(t, repo, 'Another one');
    await runJson(t, repo, ['round', 'begin'], {env: claude});
  },
  {decision: 'wait', reason: 'round_in_progress', nextCheckAt: iso(30)},
);

test(
  'a round whose lease is over holds nobody',
  answers,
  async (t, repo) => {
    const {todo} = await oneTodo(t, repo);
    await runJson(t, repo, ['round', 'begin'], {env: claude});
    return {todo};
  },
  {decision: 'run', reason: 'todo_ready', nowMs: later(31)},
);

test(
  'an open gate on the goal is answered with its question',
  answers,
  async (t, repo) => {
    await oneTodo(t, repo);
    await runJson(t, repo, ['gate', 'ask', 'Drop Python 2.7?', '-o', 'drop it', '-o', 'keep it']);
  },
  {decision: 'ask', reason: 'gate_open', said: /"Drop Python 2\.7\?" \(drop it \| keep it\)/},
);

test(
  'a gate on the only todo stops, too',
  answers,
  async (t, repo) => {
    const {todo} = await oneTodo(t, repo);
    await runJson(t, repo, ['gate', 'ask', 'Which lexer, the old or the new one?', '--blocks', `todo:${todo}`]);
    return {todo};
  },
  {decision: 'ask', reason: 'gate_open'},
);

test(
  'an agent whose service takes no work waits',
  answers,
  async (t, repo) => {
    const {goal} = await oneTodo(t, repo);
    const writer = testWriter(await testGitStore(t, repo), testWorld({seed: 99}));
    await changeGoal(writer, goal, limitAgent('claude@test', iso(90), 'usage limit'));
  },
  {decision: 'wait', reason: 'rate_limited', nextCheckAt: iso(90)},
);

test(
  'a schedule makes an agent wait',
  answers,
  async (t, repo) => {
    await oneTodo(t, repo);
    await runJson(t, repo, ['goal', 'edit', '--every', '30m']);
    await roundOf(t, repo, claude, {outcome: 'progress', end: 10});
  },
  {decision: 'wait', reason: 'not_due', nextCheckAt: iso(40), nowMs: later(20)},
);

test(
  'half of the time means a rest as long as the round was',
  answers,
  async (t, repo) => {
    await oneTodo(t, repo);
    await runJson(t, repo, ['quota', 'set', '--compute', '0.5']);
    await roundOf(t, repo, claude, {outcome: 'progress', end: 10});
  },
  {decision: 'wait', reason: 'not_due', nextCheckAt: iso(20), nowMs: later(11)},
);

test(
  'a budget of a window is used up until its hour leaves the window',
  answers,
  async (t, repo) => {
    await oneTodo(t, repo);
    await runJson(t, repo, ['quota', 'set', '--rounds', '1', '--per', '5h']);
    await roundOf(t, repo, claude, {outcome: 'progress'});
  },
  {decision: 'throttle', reason: 'budget_exhausted', nextCheckAt: iso(6 * 60), nowMs: later(5)},
);

test(
  'a budget for good is used up until more is granted',
  answers,
  async (t, repo) => {
    await oneTodo(t, repo);
    await runJson(t, repo, ['quota', 'set', '--tokens', '1000']);
    await roundOf(t, repo, claude, {outcome: 'progress', argv: ['--input-tokens', '900', '--output-tokens', '100']});
  },
  {decision: 'throttle', reason: 'budget_exhausted', nextCheckAt: null, said: /loopx quota grant/},
);

test(
  'what a running round has reserved is not there for another',
  answers,
  async (t, repo) => {
    await oneTodo(t, repo);
    await addTodo(t, repo, 'Another one');
    await runJson(t, repo, ['quota', 'set', '--rounds', '1']);
    await runJson(t, repo, ['round', 'begin'], {env: codex});
  },
  {decision: 'throttle', reason: 'budget_exhausted', said: /1 round reserved by running rounds/},
);

test(
  'a todo that another agent has claimed is not ready',
  answers,
  async (t, repo) => {
    const {todo} = await oneTodo(t, repo);
    await runJson(t, repo, ['todo', 'claim', todo, '--lease', '2h'], {env: codex});
  },
  {decision: 'wait', reason: 'nothing_ready', nextCheckAt: iso(120), said: /1 is claimed by another agent/},
);

test(
  'a todo that waits for another is not ready',
  answers,
  async (t, repo) => {
    const {todo} = await oneTodo(t, repo);
    await addTodo(t, repo, 'After that', ['--after', todo]);
    await runJson(t, repo, ['todo', 'claim', todo, '--lease', '2h'], {env: codex});
  },
  {decision: 'wait', reason: 'nothing_ready', said: /1 waits for todos that it depends on/},
);

test(
  'a blocked todo is not ready',
  answers,
  async (t, repo) => {
    const {todo} = await oneTodo(t, repo);
    await runJson(t, repo, ['todo', 'block', todo, '--reason', 'The server is down']);
  },
  {decision: 'wait', reason: 'nothing_ready', said: /1 is blocked.*loopx todo retry/},
);

test('a goal without a todo is planned', answers, (t, repo) => startGoal(t, repo), {
  decision: 'run',
  reason: 'needs_plan',
  todo: null,
});

test(
  'where every todo is closed there is nothing to do',
  answers,
  async (t, repo) => {
    const {todo} = await oneTodo(t, repo);
    await runJson(t, repo, ['todo', 'done', todo]);
  },
  {decision: 'skip', reason: 'nothing_to_do'},
);

test(
  'a todo whose watch shows no change is skipped',
  answers,
  async (t, repo) => {
    await startGoal(t, repo);
    await addTodo(t, repo, 'Follow the notes', ['--watch', 'path:README.md']);
    await roundOf(t, repo, claude, {outcome: 'progress'});
  },
  {decision: 'skip', reason: 'no_change', said: /what it watches has not changed/},
);

test(
  'a todo whose watch shows a change is ready',
  answers,
  async (t, repo) => {
    await startGoal(t, repo);
    const todo = await addTodo(t, repo, 'Follow the notes', ['--watch', 'path:README.md']);
    await roundOf(t, repo, claude, {outcome: 'progress'});
    await repo.write('README.md', '# Changed\n');
    return {todo};
  },
  {decision: 'run', reason: 'todo_ready'},
);

test(
  'after a round without a change the next one waits a minute',
  answers,
  async (t, repo) => {
    await oneTodo(t, repo);
    await roundOf(t, repo, claude);
  },
  {decision: 'skip', reason: 'no_change', nextCheckAt: iso(1)},
);

test(
  'after another one it waits two minutes',
  answers,
  async (t, repo) => {
    await oneTodo(t, repo);
    await roundOf(t, repo, claude);
    await roundOf(t, repo, claude, {begin: 2});
  },
  {decision: 'skip', reason: 'no_change', nextCheckAt: iso(4), nowMs: later(3)},
);

test(
  'a change of the code ends the wait',
  answers,
  async (t, repo) => {
    const {todo} = await oneTodo(t, repo);
    await roundOf(t, repo, claude);
    await repo.write('new.txt', 'new\n');
    return {todo};
  },
  {decision: 'run', reason: 'todo_ready'},
);

test(
  'after three rounds without a change a person is asked',
  answers,
  async (t, repo) => {
    await oneTodo(t, repo);
    for (const begin of [0, 2, 6]) await roundOf(t, repo, claude, {begin});
  },
  {decision: 'ask', reason: 'stalled', nowMs: later(60), said: /claude@test changed nothing in 3 rounds in a row/},
);

test(
  'what no gate stops goes on',
  answers,
  async (t, repo) => {
    const {todo} = await oneTodo(t, repo);
    await runJson(t, repo, ['gate', 'ask', 'Which lexer, the old or the new one?', '--blocks', `todo:${todo}`]);
    return {todo: await addTodo(t, repo, 'Port the parser')};
  },
  {decision: 'run', reason: 'safe_fallback', fallback: true},
);

test('a todo is ready', answers, async (t, repo) => ({todo: (await oneTodo(t, repo)).todo}), {
  decision: 'run',
  reason: 'todo_ready',
  fallback: false,
  gate: null,
});

test('where there is no goal, asking says how to start one', async t => {
  const repo = await tempRepo(t);
  const {status, stderr} = await runCli(t, repo, ['quota', 'should-run', '--json']);
  t.is(status, 1);
  t.is(JSON.parse(stderr).code, 'no-goal');
});
