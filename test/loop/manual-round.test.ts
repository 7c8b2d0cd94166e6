// Rounds that loopx does not drive: begun and ended by command, from an agent's host or by a person.
import {dirname, join} from 'node:path';
import test, {type ExecutionContext} from 'ava';
import {openGit} from '../../lib/git/command.ts';
import {addTodo, runCli, runJson, startGoal} from '../support/cli.ts';
import {loopx} from '../support/loopx.ts';
import {type TempRepo, tempRepo} from '../support/repo.ts';
import {testNowMs} from '../support/world.ts';

type Round = {id: string; outcome: string | null; todo: string | null; commits: {commit: string}[]; summary: string};
type Status = {
  round: object | null;
  rounds: {round: string; outcome: string; summary: string; billed: boolean; seconds: number; tokens: number}[];
};

const env = {LOOPX_AGENT: 'claude@test'};
const later = (minutes: number) => ({env, nowMs: testNowMs + minutes * 60_000});

const begin = async (t: ExecutionContext, repo: TempRepo, options: {nowMs?: number} = {}) =>
  (await runJson<{round: Round}>(t, repo, ['round', 'begin'], {env, ...options})).round;
const end = (t: ExecutionContext, repo: TempRepo, argv: readonly string[], options: {nowMs?: number} = {}) =>
  runJson<{round: Round}>(t, repo, ['round', 'end', ...argv], {env, ...options});
const show = async (t: ExecutionContext, repo: TempRepo, id: string) =>
  (await runJson<{round: Round}>(t, repo, ['round', 'show', id])).round;

test('a round by hand is begun, shown and ended, with all that it left', async t => {
  const repo = await tempRepo(t);
  const goal = await startGoal(t, repo);
  const todo = await addTodo(t, repo, 'Port the lexer', ['--check', 'test -f lexer.py']);
  const begun = await begin(t, repo);
  t.is(begun.todo, todo);
  t.is((await show(t, repo, begun.id)).outcome, null);
  t.is((await repo.read('.git/loopx-round')).toString(), `${begun.id} ${goal}\n`);

  const commit = await repo.commit('Port the lexer', {'lexer.py': 'x\n'});
  const argv = ['--outcome', 'done', '--summary', 'Ported.', '--input-tokens', '900', '--output-tokens', '100'];
  await end(t, repo, argv, later(12));
  const round = await show(t, repo, begun.id);
  t.like(round, {outcome: 'done', summary: 'Ported.', todo, seconds: 720, billed: true, usage: {tokens: 1000}});
  t.deepEqual(
    round.commits.map(made => made.commit),
    [commit],
  );
  t.like(await runJson(t, repo, ['todo', 'show', todo]), {todo: {status: 'done', claim: null}});
  t.regex(await repo.git.text(['notes', '--ref=loopx', 'show', commit]), new RegExp(`round=${begun.id} `));
  t.is(await repo.git.text(['for-each-ref', 'refs/loopx/live']), '');
  await t.throwsAsync(repo.read('.git/loopx-round'), {code: 'ENOENT'});
});

test('a round by hand that says done without passing its check is not done (trap 58)', async t => {
  const repo = await tempRepo(t);
  await startGoal(t, repo);
  const todo = await addTodo(t, repo, 'Port the lexer', ['--check', 'test -f lexer.py']);
  const {id} = await begin(t, repo);
  await repo.write('other.txt', 'x\n');
  await end(t, repo, ['--outcome', 'done', '--summary', 'All is well.']);
  t.like(await show(t, repo, id), {
    outcome: 'progress',
    summary: 'All is well. But the check test lexer.py failed with 1.',
  });
  t.like(await runJson(t, repo, ['todo', 'show', todo]), {todo: {status: 'open', verified: null}});
});

test('what a person commits in another worktree meanwhile is not the round’s (trap 36)', async t => {
  const repo = await tempRepo(t);
  const side = join(dirname(repo.dir), 'side');
  await repo.git.text(['worktree', 'add', '-q', '-b', 'side', side]);
  await startGoal(t, repo);
  await addTodo(t, repo, 'Port the lexer');
  const {id} = await begin(t, repo);
  const git = openGit(side, repo.env);
  await git.text(['commit', '-q', '--allow-empty', '-m', 'By a person, elsewhere']);
  const own = await repo.commit('By the agent', {'lexer.py': 'x\n'});
  await end(t, repo, ['--outcome', 'progress', '--summary', 'Some of it.']);
  const {commits} = await show(t, repo, id);
  t.deepEqual(
    commits.map(({commit}) => commit),
    [own],
  );
  t.is((await git.run(['notes', '--ref=loopx', 'show', 'HEAD'])).status, 1, 'the other commit has no note');
});

test('a round that nobody ended is recorded as interrupted when its agent begins the next one', async t => {
  const repo = await tempRepo(t);
  await startGoal(t, repo);
  await addTodo(t, repo, 'Port the lexer');
  const first = await begin(t, repo);
  const busy = await runCli(t, repo, ['round', 'begin'], later(5));
  t.is(busy.status, 3);
  t.regex(busy.stderr, /has a round already/);

  const second = await begin(t, repo, later(31));
  const {round, rounds} = await runJson<Status & {round: {round: string}}>(t, repo, ['status'], later(32));
  t.is(round.round, second.id);
  t.like(rounds, [{round: first.id, outcome: 'interrupted', billed: true, seconds: 0, tokens: 0}]);
  const {status, stderr} = await runCli(
    t,
    repo,
    ['round', 'end', first.id, '--outcome', 'done', '--summary', 'Late'],
    later(33),
  );
  t.is(status, 3);
  t.regex(stderr, /is not running/);
  await end(t, repo, ['--outcome', 'no-change', '--summary', 'Looked.'], later(34));
  t.true((await runJson<{ok: boolean}>(t, repo, ['fsck'])).ok);
});

test('a todo that waits for a person can not be begun by its name either', async t => {
  const repo = await tempRepo(t);
  await startGoal(t, repo);
  const todo = await addTodo(t, repo, 'Port the lexer');
  await addTodo(t, repo, 'Port the parser');
  await runJson(t, repo, ['gate', 'ask', 'Which lexer, the old or the new one?', '--blocks', `todo:${todo}`]);
  const {status, stderr} = await runCli(t, repo, ['round', 'begin', todo], {env});
  t.is(status, 3);
  t.regex(stderr, /Which lexer, the old or the new one\?/);
});

test('a loop whose agent stands still asks a person, and does what the answer says', async t => {
  const repo = await tempRepo(t);
  await startGoal(t, repo);
  const todo = await addTodo(t, repo, 'Port the lexer');
  const agent = {env: {LOOPX_AGENT: 'command@test'}};
  for (const minutes of [0, 2, 6]) {
    const options = {...agent, nowMs: testNowMs + minutes * 60_000};
    await runJson(t, repo, ['round', 'begin'], options);
    await runJson(t, repo, ['round', 'end', '--outcome', 'no-change', '--summary', 'Found nothing.'], options);
  }

  const argv = ['run', '--command', 'cat >/dev/null; echo new >>new.txt', '--max-rounds', '1'];
  const stalled = await loopx(t, repo, argv);
  t.is(stalled.status, 3, stalled.stderr);
  t.regex(stalled.stderr, /g-\w+ asks: command@test changed nothing in 3 rounds in a row/);
  t.regex(stalled.stderr, /1 +try again\n +2 +drop this todo\n +3 +pause the goal +\(recommended\)/);
  t.regex(stalled.stderr, /Answer with: loopx gate answer g-/);
  t.is((await loopx(t, repo, argv)).status, 3, 'it is asked once');
  const {gates} = await runJson<{gates: {id: string; kind: string; options: string[]}[]}>(t, repo, ['gate', 'list']);
  t.like(gates, [
    {kind: 'stalled', blocks: [`todo:${todo}`], options: ['try again', 'drop this todo', 'pause the goal']},
  ]);

  await runJson(t, repo, ['gate', 'answer', gates[0]!.id, 'try again'], {nowMs: Date.now()});
  const again = await loopx(t, repo, argv);
  t.is(again.status, 0, again.stderr);
  t.regex(again.stderr, /progress: /);
});
