import test, {type ExecutionContext} from 'ava';
import {openRepository} from '../../lib/git/repository.ts';
import {sweepSnapshots} from '../../lib/loop/retention.ts';
import {addTodo, runJson, startGoal} from '../support/cli.ts';
import {type TempRepo, tempRepo} from '../support/repo.ts';
import {testGitStore} from '../support/store.ts';
import {testNowMs, testWorld} from '../support/world.ts';

type Listed = {readonly checkpoints: readonly {id: string; trigger: string; digest: string; restorable: boolean}[]};

const env = {LOOPX_AGENT: 'claude@test', LOOPX_CHECKPOINT_KEEP: '3'};

async function round(t: ExecutionContext, repo: TempRepo, summary: string, minutes: number) {
  const nowMs = testNowMs + minutes * 60_000;
  await runJson(t, repo, ['round', 'begin'], {env, nowMs});
  await repo.write('work.txt', `${summary}\n`);
  await runJson(t, repo, ['round', 'end', '--outcome', 'progress', '--summary', summary], {env, nowMs});
}

const list = async (t: ExecutionContext, repo: TempRepo) =>
  (await runJson<Listed>(t, repo, ['checkpoint', 'list'])).checkpoints;
const refs = async (repo: TempRepo) =>
  (await repo.git.text(['for-each-ref', '--format=%(refname)', 'refs/loopx/snapshots', 'refs/loopx/live'])).split('\n');

test('old checkpoints go at the end of a round, but not those saved by hand, nor the last one of an open todo (traps 47, 55)', async t => {
  const repo = await tempRepo(t);
  const goal = await startGoal(t, repo);
  await addTodo(t, repo, 'Port the lexer', ['--priority', '0']);
  await round(t, repo, 'Lexer begun.', 0);
  await runJson(t, repo, ['todo', 'block', (await todos(t, repo))[0]!, '--reason', 'Waits for a person']);
  await runJson(t, repo, ['checkpoint', 'save', 'By hand'], {nowMs: testNowMs + 30_000});
  await addTodo(t, repo, 'Port the parser');
  const before = Number(await repo.git.text(['rev-list', '--count', `refs/loopx/goals/${goal}`]));
  for (let n = 1; n <= 6; n += 1) await round(t, repo, `Parser ${n}.`, n);

  const kept = await list(t, repo);
  t.deepEqual(
    kept.map(({digest}) => digest),
    ['progress: Parser 6.', 'progress: Parser 5.', 'progress: Parser 4.', 'By hand', 'progress: Lexer begun.'],
  );
  t.deepEqual(await refs(repo), kept.map(({id}) => `refs/loopx/snapshots/${goal}/${id}`).sort());
  t.true(kept.every(({restorable}) => restorable));
  const commits = Number(await repo.git.text(['rev-list', '--count', `refs/loopx/goals/${goal}`])) - before;
  t.is(commits, 2 * 6, 'keeping order adds no commit of its own');
  t.like(await runJson(t, repo, ['fsck']), {ok: true});
});

const todos = async (t: ExecutionContext, repo: TempRepo) =>
  (await runJson<{todos: {id: string}[]}>(t, repo, ['todo', 'list'])).todos.map(({id}) => id);

test('what a clock that was set back saved is not taken for old', async t => {
  const repo = await tempRepo(t);
  await startGoal(t, repo);
  await addTodo(t, repo, 'Port the lexer');
  for (let n = 1; n <= 3; n += 1) await round(t, repo, `Lexer ${n}.`, n);
  await round(t, repo, 'An hour ago.', -60);
  t.true((await list(t, repo)).some(({digest}) => digest === 'progress: An hour ago.'));
  await round(t, repo, 'And on.', -59);
  t.is((await list(t, repo)).length, 4, 'the newest of all, for the todo and the goal, is one more');
});

test('refs that killed commands left go after a day, and no others (traps 11, 47)', async t => {
  const repo = await tempRepo(t);
  const goal = await startGoal(t, repo);
  const {checkpoint} = await runJson<{checkpoint: {id: string}}>(t, repo, ['checkpoint', 'save', 'By hand']);
  const head = await repo.git.text(['rev-parse', 'HEAD']);
  const tree = await repo.git.text(['rev-parse', 'HEAD^{tree}']);
  const dated = (date: string) =>
    repo.git.text(['commit-tree', tree, '-p', head, '-m', 'A snapshot'], {
      env: {GIT_AUTHOR_DATE: date, GIT_COMMITTER_DATE: date},
    });
  const old = await dated('2025-12-30T12:00:00Z');
  const young = await dated('2026-01-01T11:00:00Z');
  const put = (ref: string, commit: string) => repo.git.text(['update-ref', ref, commit]);
  const snapshots = `refs/loopx/snapshots/${goal}`;
  await put(`${snapshots}/${checkpoint.id}`, old);
  await put(`${snapshots}/c-00000001`, old);
  await put(`${snapshots}/c-00000002`, young);
  await put('refs/loopx/snapshots/other-0000/c-00000003', old);
  await put(`refs/loopx/live/${goal}/gone@test`, old);
  await put(`refs/loopx/live/${goal}/just@test`, young);
  await runJson(t, repo, ['round', 'begin'], {env: {LOOPX_AGENT: 'here@test'}});
  await put(`refs/loopx/live/${goal}/here@test`, old);

  const store = await testGitStore(t, repo);
  const context = {repository: await openRepository(repo.dir, repo.env), store, world: testWorld()};
  await sweepSnapshots(context, goal, []);
  t.deepEqual(
    await refs(repo),
    [
      `refs/loopx/live/${goal}/here@test`,
      `refs/loopx/live/${goal}/just@test`,
      `${snapshots}/${checkpoint.id}`,
      `${snapshots}/c-00000002`,
      'refs/loopx/snapshots/other-0000/c-00000003',
    ].sort(),
  );
});
