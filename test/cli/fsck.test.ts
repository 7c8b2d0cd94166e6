import test from 'ava';
import {addTodo, refuses, runCli, runJson, says, startGoal} from '../support/cli.ts';
import {tempRepo} from '../support/repo.ts';

type Report = {ok: boolean; goals: number; events: number; problems: {ref: string; commit: string; code: string}[]};

test('a history from which the state follows passes', async t => {
  const repo = await tempRepo(t);
  await says(t, repo, ['fsck'], ['0 goals, 0 events: the state follows from its history.']);
  await startGoal(t, repo, 'Port storage');
  await addTodo(t, repo, 'Port it');
  await startGoal(t, repo, 'Translate');
  await says(t, repo, ['fsck'], ['2 goals, 3 events: the state follows from its history.']);
  const report = await runJson<Report>(t, repo, ['fsck', '--goal', 'port']);
  t.deepEqual(report as object, {schema: 'loopx/fsck@1', ok: true, goals: 1, events: 2, problems: []});
});

test('a state that somebody changed by hand is found, and the other goals are checked all the same', async t => {
  const repo = await tempRepo(t);
  const goal = await startGoal(t, repo);
  await startGoal(t, repo, 'Translate');
  const ref = `refs/loopx/goals/${goal}`;
  const message = await repo.git.text(['show', '-s', '--format=%B', ref]);
  const tree = await repo.git.text(['rev-parse', 'HEAD^{tree}']);
  const forged = await repo.git.text(['commit-tree', tree, '-m', message]);
  await repo.git.text(['update-ref', ref, forged]);

  const {status, stdout, stderr} = await runCli(t, repo, ['fsck']);
  t.is(status, 1);
  t.is(
    stdout,
    [
      ref,
      `  ${forged.slice(0, 12)} tree: its tree is not what its events add up to`,
      '2 goals, 2 events, 1 problem.',
      '',
    ].join('\n'),
  );
  t.regex(
    stderr,
    /^loopx: 1 problem in the history of the goals\.\n {2}See the commit that is named: git show COMMIT\./,
  );

  const json = await runCli(t, repo, ['fsck', '--json']);
  const {ok, problems}: Report = JSON.parse(json.stdout);
  t.false(ok);
  t.deepEqual(problems as object[], [
    {ref, commit: forged, code: 'tree', message: 'its tree is not what its events add up to'},
  ]);
  t.like(JSON.parse(json.stderr), {code: 'fsck-failed'});
});

test('a goal that is not there can not be checked', async t => {
  const repo = await tempRepo(t);
  await startGoal(t, repo);
  const hint = 'List the goals with `loopx goal list`.';
  const message = 'There is no goal "other".';
  await refuses(t, repo, ['fsck', '--goal', 'other'], {status: 1, code: 'not-found', message, hint});
});
