import test from 'ava';
import {connectedClones} from './clones.ts';

type Sync = {remotes: {came: unknown[]; sent: unknown[]; waiting: unknown[]; notices: string[]; problem: unknown}[]};

test('what one clone syncs, another takes in, and both end with the same commit', async t => {
  const [ada, bob] = await connectedClones(t, 2);
  const {
    goal: {id: goal},
  } = await ada!.json<{goal: {id: string}}>(['start-goal', '--goal-text', 'Port storage']);
  const {
    todo: {id: todo},
  } = await ada!.json<{todo: {id: string}}>(['todo', 'add', 'Move the parser']);
  const first = await ada!.loopx(['sync']);
  t.deepEqual(first, {status: 0, stdout: `origin\n  sent   ${goal}: 2 events\n`, stderr: ''});

  const taken = await bob!.loopx(['sync']);
  t.is(taken.stdout, `origin\n  came   ${goal}: 2 events, new here\n`);
  await bob!.json(['todo', 'done', todo]);
  await ada!.json(['todo', 'add', 'Port the tests']);
  await bob!.loopx(['sync', 'origin']);
  const merged = await ada!.loopx(['sync']);
  t.is(merged.stdout, `origin\n  came   ${goal}: 1 event, merged\n  sent   ${goal}: 1 event\n`);
  await bob!.loopx(['sync']);
  t.is(await ada!.tip(goal), await bob!.tip(goal));
  t.is(await ada!.remoteTip(goal), await bob!.tip(goal));
  const again = await ada!.json<Sync>(['sync']);
  t.deepEqual(again.remotes, [
    {remote: 'origin', came: [], sent: [], waiting: [], notices: [], problem: null},
  ] as never);
});
