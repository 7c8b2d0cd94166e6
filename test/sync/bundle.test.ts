import {readFile, stat, writeFile} from 'node:fs/promises';
import {dirname, join} from 'node:path';
import test, {type ExecutionContext} from 'ava';
import {openGit} from '../../lib/git/command.ts';
import {addTodo, refuses, runCli, runJson, says, short, startGoal} from '../support/cli.ts';
import {type TempRepo, tempRepo} from '../support/repo.ts';
import {testNowMs} from '../support/world.ts';

const later = {nowMs: testNowMs + 60_000};
const tipOf = (repo: TempRepo, goal: string) => repo.git.text(['rev-parse', `refs/loopx/goals/${goal}`]);
const left = (repo: TempRepo) => repo.git.text(['for-each-ref', 'refs/loopx/bundle', 'refs/loopx/remotes']);

/** Returns the path of a bundle beside the repository, which has the goal as it is now. */
async function exported(t: ExecutionContext, repo: TempRepo, name = 'goal.bundle'): Promise<string> {
  const file = join(dirname(repo.dir), name);
  await runJson(t, repo, ['export', '--bundle', file]);
  return file;
}

test('a goal with an open question travels in a file, and the answer comes back the same way (trap 9)', async t => {
  const here = await tempRepo(t);
  const goal = await startGoal(t, here);
  await addTodo(t, here, 'Port the lexer');
  const {gate} = await runJson<{gate: {id: string}}>(t, here, [
    ...['gate', 'ask', 'Drop support for Node 18 in the public API?', '--option', 'drop it', '--option', 'keep it'],
  ]);
  const file = join(dirname(here.dir), 'goal.bundle');
  const wrote = await runCli(t, here, ['export', '--bundle', '../goal.bundle']);
  t.regex(wrote.stdout, new RegExp(`^Wrote ${goal} to ../goal.bundle \\(\\d+ KB\\)\\.\n  Take it in elsewhere: `));

  // A repository with nothing in it, where nobody has ever called loopx.
  const there = await tempRepo(t, {commit: false});
  await says(
    t,
    there,
    ['import', file],
    [
      `${goal} is here now.`,
      `  1 question open: loopx gate list --goal ${goal}`,
      `  See where it is: loopx status ${goal}`,
    ],
  );
  t.is(await tipOf(there, goal), await tipOf(here, goal));
  t.is(await left(there), '');
  await addTodo(t, here, 'Port the parser');
  await runJson(t, there, ['gate', 'answer', gate.id, 'keep it'], later);
  const answer = await exported(t, there, 'answer.bundle');

  t.like(await runJson(t, here, ['import', answer]), {
    schema: 'loopx/import@1',
    goals: [{goal, kind: 'merged', gates: []}],
  });
  t.like(await runJson(t, here, ['gate', 'show', short(gate.id)]), {gate: {status: 'answered', answer: 'keep it'}});
  t.like(await runJson(t, here, ['status']), {todos: {open: 2}});
  t.like(await runJson(t, here, ['fsck']), {ok: true});
  const again = await runJson<{goals: object[]}>(t, here, ['import', answer]);
  t.like(again.goals[0], {kind: 'behind'});
  await says(
    t,
    there,
    ['import', await exported(t, here)],
    [`${goal} was brought up to date.`, `  See where it is: loopx status ${goal}`],
  );
  t.is(await tipOf(there, goal), await tipOf(here, goal));
});

test('a clone that has the commits of a round gets its notes from the goal that comes in a file', async t => {
  const here = await tempRepo(t);
  const env = {LOOPX_AGENT: 'claude@test'};
  await startGoal(t, here);
  await runJson(t, here, ['round', 'begin'], {env});
  const commit = await here.commit('Port the lexer', {'lexer.py': 'x\n'});
  await runJson(t, here, ['round', 'end', '--outcome', 'progress', '--summary', 'Ported.'], {env});
  const file = await exported(t, here);
  const dir = join(dirname(here.dir), 'clone');
  await here.git.text(['clone', '-q', here.dir, dir]);
  const clone: TempRepo = {...here, dir, git: openGit(dir, here.env)};
  t.like(await runJson(t, clone, ['import', file]), {goals: [{kind: 'new', notes: 1}]});
  const note = (repo: TempRepo) => repo.git.text(['notes', '--ref=loopx', 'show', commit]);
  t.is(await note(clone), await note(here));
  const status = await clone.git.text(['status', '--porcelain']);
  t.deepEqual([status, await clone.git.text(['branch', '--format=%(refname)'])], ['', 'refs/heads/main']);
});

test('a file that was cut off, changed, or is no bundle is refused, and nothing is left of it', async t => {
  const here = await tempRepo(t);
  const goal = await startGoal(t, here);
  const file = await exported(t, here);
  const there = await tempRepo(t, {commit: false});
  const refused = async (name: string, message: RegExp) => {
    const {status, stderr} = await runCli(t, there, ['import', name]);
    t.is(status, 1);
    t.regex(stderr, message);
    t.is(await there.git.text(['for-each-ref']), '');
  };

  const bytes = await readFile(file);
  const cut = join(dirname(file), 'cut.bundle');
  await writeFile(cut, bytes.subarray(0, bytes.length - 40));
  await refused(cut, /cut\.bundle can't be taken in: /);
  await writeFile(cut, 'Dear Ada,\n');
  await refused(cut, /can't be taken in: .*\n {2}Was it sent whole\?/);
  await refused('../none.bundle', /There is no file/);

  await here.git.text(['bundle', 'create', '--quiet', cut, 'main']);
  await refused(cut, /holds no goal/);
  await here.git.text(['update-ref', 'refs/loopx/goals/evil-0000', await tipOf(here, goal)]);
  await here.git.text(['bundle', 'create', '--quiet', cut, 'refs/loopx/goals/evil-0000']);
  await refused(cut, new RegExp(`What is called evil-0000 there is the goal ${goal}`));
  const forged = await here.git.text(['commit-tree', 'HEAD^{tree}', '-p', await tipOf(here, goal), '-m', 'evil']);
  await here.git.text(['update-ref', `refs/loopx/goals/${goal}`, forged]);
  await here.git.text(['bundle', 'create', '--quiet', cut, `refs/loopx/goals/${goal}`]);
  await refused(cut, /holds no events/);
  t.true((await stat(cut)).size > 0);
});

test('a file that holds only the end of a history is not taken in where the beginning is missing', async t => {
  const here = await tempRepo(t);
  const goal = await startGoal(t, here);
  const base = await tipOf(here, goal);
  await addTodo(t, here, 'Port the lexer');
  const file = join(dirname(here.dir), 'thin.bundle');
  await here.git.text(['bundle', 'create', '--quiet', file, `refs/loopx/goals/${goal}`, `^${base}`]);
  const there = await tempRepo(t);
  await refuses(t, there, ['import', file], {
    ...{status: 1, code: 'state-unreadable'},
    message: `${file} can't be taken in: Repository lacks these prerequisite commits.`,
    hint: 'Was it sent whole? Write it again there: loopx export --bundle FILE',
  });
  t.like(await runJson(t, here, ['import', file]), {goals: [{kind: 'same'}]});
});
