import test from 'ava';
import {beginRound, finishRound} from '../../lib/change/round.ts';
import {changeGoal} from '../../lib/store/append.ts';
import {addTodo, refuses, runCli, runJson, says, short, startGoal} from '../support/cli.ts';
import {tempRepo} from '../support/repo.ts';
import {testGitStore, testWriter} from '../support/store.ts';
import {testNowMs, testWorld} from '../support/world.ts';

type Event = {event: string; id: string; clock: number; at: string; by: string; todo?: string};

test('the log tells what happened, newest first, by day', async t => {
  const repo = await tempRepo(t);
  const goal = await startGoal(t, repo, '把存储迁移到 Python 3');
  const todo = await addTodo(t, repo, 'Port it');
  const nowMs = testNowMs + 24 * 3_600_000;
  await runCli(t, repo, ['todo', 'claim', todo, '--as', 'claude@mbp'], {nowMs});
  await runCli(t, repo, ['todo', 'done', todo], {nowMs: nowMs + 60_000});
  await says(
    t,
    repo,
    ['log'],
    [
      '2026-01-02 UTC',
      `12:01  Ada Test    done ${short(todo)}`,
      `12:00  claude@mbp  claim ${short(todo)}`,
      '2026-01-01 UTC',
      `12:00  Ada Test    add ${short(todo)}: Port it`,
      `12:00  Ada Test    start goal ${goal}: 把存储迁移到 Python 3`,
    ],
  );
  const narrow = await runCli(t, repo, ['log', '--limit', '1'], {columns: 40});
  t.is(narrow.stdout, `2026-01-02 UTC\n12:01  Ada Test  done ${short(todo)}\n3 more: loopx log --limit 4\n`);
});

test('programs get all events with all their fields, unless they say how many', async t => {
  const repo = await tempRepo(t);
  const goal = await startGoal(t, repo);
  for (let n = 0; n < 22; n += 1) await addTodo(t, repo, `Step ${n}`);
  const {schema, events} = await runJson<{schema: string; events: Event[]}>(t, repo, ['log']);
  t.is(schema, 'loopx/log@1');
  t.is(events.length, 23);
  t.like(events.at(-1), {event: 'goal.created', clock: 1, goal, format: 1, at: '2026-01-01T12:00:00.000Z'});
  t.deepEqual(
    events.map(({clock}) => clock),
    Array.from({length: 23}, (_, index) => 23 - index),
  );
  t.is((await runJson<{events: Event[]}>(t, repo, ['log', '-n', '2'])).events.length, 2);
  const {stdout} = await runCli(t, repo, ['log']);
  t.regex(stdout, /\n3 more: loopx log --limit 23\n$/);
});

test('a log of one todo, and of the last hours', async t => {
  const repo = await tempRepo(t);
  await startGoal(t, repo);
  const todo = await addTodo(t, repo, 'Port it');
  await addTodo(t, repo, 'Test it');
  const nowMs = testNowMs + 5 * 3_600_000;
  await runCli(t, repo, ['gate', 'ask', 'Which of the two ports?', '--blocks', `todo:${todo}`], {nowMs});
  const names = async (...more: string[]) =>
    (await runJson<{events: Event[]}>(t, repo, ['log', ...more], {nowMs})).events.map(({event}) => event);
  t.deepEqual(await names('--todo', todo), ['gate.asked', 'todo.added']);
  t.deepEqual(await names('--since', '2h'), ['gate.asked']);
  t.is((await names('--since', '2026-01-01')).length, 4);
  await says(t, repo, ['log', '--since', '2027-01-01'], ['Nothing of that kind has happened yet.']);
  const hint = 'Use a length such as 2h or 3d, or a date such as 2026-11-30.';
  const noTime = {status: 2, code: 'usage', message: '"soon" is no time.', hint};
  await refuses(t, repo, ['log', '--since', 'soon'], noTime);
  const noNumber = {status: 2, code: 'usage', message: '--limit needs a whole number of 1 or more.'};
  await refuses(t, repo, ['log', '--limit', '0'], noNumber);
});

test('a round is told once: by its end, or by its beginning while it runs', async t => {
  const repo = await tempRepo(t);
  const goal = await startGoal(t, repo);
  const writer = testWriter(await testGitStore(t, repo), testWorld({seed: 99}), 'claude@test');
  const begin = () => changeGoal(writer, goal, beginRound({agent: 'claude@test', leaseMs: 60_000, reserve: {}}));
  const first = (await begin()).events[0]!;
  await changeGoal(
    writer,
    goal,
    finishRound(String(first.round), {
      ...{outcome: 'progress', summary: 'Ported the lexer', seconds: 60, usage: {tokens: 5, microUsd: 0}},
      ...{billed: true, changed: true, state: 'x', commits: [], checks: [], artifacts: []},
    }),
  );
  await begin();
  await says(
    t,
    repo,
    ['log', '--rounds'],
    ['2026-01-01 UTC', '12:00  claude@test  round 2 begins', '12:00  claude@test  round: progress, Ported the lexer'],
  );
});

test('with --patch each event shows what it changed in the records', async t => {
  const repo = await tempRepo(t);
  await startGoal(t, repo);
  const todo = await addTodo(t, repo, 'Port it');
  const {stdout} = await runCli(t, repo, ['log', '--patch', '-n', '1']);
  const [, event, ...patch] = stdout.split('\n');
  t.is(event, `12:00  Ada Test  add ${short(todo)}: Port it`);
  t.deepEqual(
    patch.slice(patch.indexOf('  --- /dev/null'), -2).filter(line => !/createdAt/.test(line)),
    [
      '  --- /dev/null',
      `  +++ b/todos/${todo}.yaml`,
      '  @@ -0,0 +1,10 @@',
      `  +id: ${todo}`,
      '  +title: "Port it"',
      '  +status: open',
      '  +priority: 2',
      '  +attempts: 0',
      '  +claims: []',
      '  +createdBy: "Ada Test <ada@example.org>"',
      '  +clock: 2',
      `  +created: ${/\+created: (\w+)/.exec(stdout)![1]}`,
    ],
  );
  type Patched = {patches: {commit: string; events: string[]; patch: string}[]};
  const {patches} = await runJson<Patched>(t, repo, ['log', '--patch']);
  t.is(patches.length, 2);
  t.true(patches[0]!.patch.includes(`+++ b/todos/${todo}.yaml`));
});

test('a commit that can not be read is told, not passed over', async t => {
  const repo = await tempRepo(t);
  const goal = await startGoal(t, repo);
  const ref = `refs/loopx/goals/${goal}`;
  const tree = await repo.git.text(['rev-parse', `${ref}^{tree}`]);
  const commit = await repo.git.text(['commit-tree', tree, '-p', ref, '-m', 'by hand']);
  await repo.git.text(['update-ref', ref, commit]);
  const {status, stdout, stderr} = await runCli(t, repo, ['log']);
  t.is(status, 0);
  t.regex(stdout, /start goal/);
  t.is(stderr, "loopx: 1 commit can't be read: loopx fsck\n");
});
