import test from 'ava';
import {addTodo, runCli, runJson, startGoal} from '../support/cli.ts';
import {clones} from './clones.ts';

type Sync = {remotes: {came: unknown[]; sent: unknown[]; waiting: unknown[]; notices: string[]; problem: unknown}[]};

test('what one clone syncs, another takes in, and both end with the same commit', async t => {
  const [ada, bob] = await clones(t, 2);
  const goal = await startGoal(t, ada!.repo);
  const todo = await addTodo(t, ada!.repo, 'Move the parser');
  const first = await runCli(t, ada!.repo, ['sync']);
  t.deepEqual(first, {status: 0, stdout: `origin\n  sent   ${goal}: 2 events\n`, stderr: ''});

  const taken = await runCli(t, bob!.repo, ['sync']);
  t.is(taken.stdout, `origin\n  came   ${goal}: 2 events, new here\n`);
  await runJson(t, bob!.repo, ['todo', 'done', todo]);
  await addTodo(t, ada!.repo, 'Port the tests');
  await runCli(t, bob!.repo, ['sync', 'origin']);
  const merged = await runCli(t, ada!.repo, ['sync']);
  t.is(merged.stdout, `origin\n  came   ${goal}: 1 event, merged\n  sent   ${goal}: 1 event\n`);
  await runCli(t, bob!.repo, ['sync']);
  t.is(await ada!.tip(goal), await bob!.tip(goal));
  t.is(await ada!.remoteTip(goal), await bob!.tip(goal));
  const again = await runJson<Sync>(t, ada!.repo, ['sync']);
  t.deepEqual(again.remotes, [{remote: 'origin', came: [], sent: [], waiting: [], notices: [], problem: null}] as never);
});
