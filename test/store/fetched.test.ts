import {join} from 'node:path';
import test from 'ava';
import {amendGoal} from '../../lib/change/goal.ts';
import {addTodo} from '../../lib/change/todo.ts';
import {Failure} from '../../lib/failure.ts';
import {openGit} from '../../lib/git/command.ts';
import type {AnyEvent} from '../../lib/model/event.ts';
import {changeGoal} from '../../lib/store/append.ts';
import {refuseBroken} from '../../lib/store/fetched.ts';
import {fsckGoal} from '../../lib/store/fsck.ts';
import type {GoalStore} from '../../lib/store/goal-store.ts';
import {memoryStore} from '../../lib/store/memory-store.ts';
import {mergeGoal} from '../../lib/store/merge.ts';
import {eventMessage, mergeMessage} from '../../lib/store/message.ts';
import {viewGoal} from '../../lib/store/view.ts';
import {tempRepo} from '../support/repo.ts';
import {testGitStore, testGoal, testWriter} from '../support/store.ts';
import {testWorld} from '../support/world.ts';

const who = {name: 'Eve', mail: 'eve@example.org', seconds: 1_767_268_800};

/** A goal with two tips that have parted, in one store: `ours` on the goal, `theirs` on another ref. */
async function parted() {
  const store = memoryStore();
  const ada = testWriter(store, testWorld({seed: 1}));
  const eve = testWriter(store, testWorld({seed: 2}));
  const {goal, tip: root} = await testGoal(ada);
  await store.forward('side-0000', root, undefined);
  await changeGoal(eve, 'side-0000', addTodo({title: 'theirs'}));
  const {tip: theirs, events} = await changeGoal(eve, 'side-0000', amendGoal('more'));
  const {tip: ours} = await changeGoal(ada, goal, addTodo({title: 'ours'}));
  return {store, goal, root, ours, theirs, last: events[0]!};
}

const forge = (store: GoalStore, onto: string, message: string, files: Record<string, string> = {}) =>
  store.write({
    ...{goal: 'side-0000', expected: onto, parents: [onto], base: 'parent', author: who, committer: who},
    files: new Map(Object.entries(files)),
    message,
  });

const next = (last: AnyEvent, change: object) => ({...last, id: '01ZZZZZZZZZZZZZZZZZZZZZZZZ', ...change}) as AnyEvent;

test('a sound tip is taken in, whether or not anything of it is known', async t => {
  const {store, goal, root, ours, theirs} = await parted();
  await t.notThrowsAsync(refuseBroken(store, theirs, ours));
  await t.notThrowsAsync(refuseBroken(store, theirs, root));
  await t.notThrowsAsync(refuseBroken(store, theirs));
  const {tip} = await mergeGoal(store, goal, ours, theirs);
  await t.notThrowsAsync(refuseBroken(store, tip, ours));
  await t.notThrowsAsync(refuseBroken(store, tip, theirs));
  await t.notThrowsAsync(refuseBroken(store, theirs, tip), 'nothing new');
});

test('a tip whose tree was changed behind the events is not taken in', async t => {
  const {store, ours, theirs, last} = await parted();
  const bad = await forge(store, theirs, eventMessage([next(last, {clock: 4})]), {
    'todos/t-evilevil.yaml': 'id: t-evilevil\n',
  });
  const error = await t.throwsAsync<Failure>(refuseBroken(store, bad, ours), {
    code: 'state-unreadable',
    message: /add up/,
  });
  t.regex(error?.hint ?? '', /loopx fsck/);
});

for (const [what, change] of [
  ['too high', {clock: 4000}],
  ['too low', {clock: 2}],
  ['out of range', {clock: 2 ** 48}],
] as const) {
  test(`a tip whose clock is ${what} is not taken in`, async t => {
    const {store, ours, theirs, last} = await parted();
    const bad = await forge(store, theirs, eventMessage([next(last, change)]));
    await t.throwsAsync(refuseBroken(store, bad, ours), {code: 'state-unreadable', message: /clock/});
  });
}

test('a clock without events is not taken in', async t => {
  const {store, ours, theirs} = await parted();
  const bad = await forge(store, theirs, mergeMessage('side-0000', 4000));
  await t.throwsAsync(refuseBroken(store, bad, ours), {code: 'state-unreadable', message: /clock/});
});

test('events of a later version are not taken in, and called so', async t => {
  const {store, ours, theirs, last} = await parted();
  const message = eventMessage([next(last, {clock: 4})]).replace('goal.amended', 'goal.exploded');
  const bad = await forge(store, theirs, message);
  await t.throwsAsync(refuseBroken(store, bad, ours), {code: 'state-newer'});
});

test('a shallow clone reads and appends, but merges and checks only with all of the history', async t => {
  const origin = await tempRepo(t, {commit: false});
  const store = await testGitStore(t, origin);
  const writer = testWriter(store);
  const {goal, tip: root} = await testGoal(writer);
  await store.forward('side-0000', root, undefined);
  const {tip: side} = await changeGoal(writer, 'side-0000', amendGoal('from the beginning'));
  for (const text of ['a', 'b', 'c']) await changeGoal(writer, goal, amendGoal(text));
  const tip = (await store.tips()).get(goal)!;

  const clone = await tempRepo(t, {commit: false});
  const url = `file://${join(origin.dir, '.git')}`;
  const ref = `refs/loopx/goals/${goal}`;
  await openGit(clone.dir, clone.env).text(['fetch', '-q', '--depth=2', url, `${ref}:${ref}`]);
  const shallow = await testGitStore(t, clone);
  t.is((await viewGoal(shallow, goal, tip)).goal.amendments.length, 3);
  const {tip: ours} = await changeGoal(testWriter(shallow, testWorld({seed: 9})), goal, amendGoal('shallow'));

  await clone.git.text([
    'fetch',
    '-q',
    '--depth=1',
    url,
    'refs/loopx/goals/side-0000:refs/loopx/remotes/x/goals/side-0000',
  ]);
  const error = await t.throwsAsync<Failure>(mergeGoal(shallow, goal, ours, side), {code: 'shallow-history'});
  t.regex(error?.hint ?? '', /git fetch --unshallow/);
  await t.throwsAsync(fsckGoal(shallow, ours), {code: 'shallow-history'});
  t.is((await shallow.tips()).get(goal), ours, 'both tips stay');

  await clone.git.text(['fetch', '-q', '--unshallow', url, `${ref}:refs/loopx/remotes/x/goals/${goal}`]);
  const merged = await mergeGoal(shallow, goal, ours, side);
  t.deepEqual((await fsckGoal(shallow, merged.tip)).problems, []);
});

test('goals that have no common beginning are not merged (trap 8)', async t => {
  const store = memoryStore();
  const {goal, tip: ours} = await testGoal(testWriter(store, testWorld({seed: 1})));
  const {tip: theirs} = await testGoal(testWriter(store, testWorld({seed: 2})));
  await t.throwsAsync(mergeGoal(store, goal, ours, theirs), {code: 'no-common-history'});
});

test('a lock that git holds for a moment costs another attempt', async t => {
  const store = memoryStore();
  const {goal} = await testGoal(testWriter(store));
  let refusals = 2;
  const busy: GoalStore = {
    ...store,
    write: async commit => {
      if (refusals-- > 0) throw new Failure('git-locked', 'A lock of git is in the way.');
      return store.write(commit);
    },
  };
  await t.notThrowsAsync(changeGoal(testWriter(busy), goal, amendGoal('x')));
});
