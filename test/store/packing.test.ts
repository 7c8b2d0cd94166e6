import {rm, utimes, writeFile} from 'node:fs/promises';
import {dirname, join} from 'node:path';
import test, {type ExecutionContext} from 'ava';
import {addTodo} from '../../lib/change/todo.ts';
import {openRepository} from '../../lib/git/repository.ts';
import {changeGoal} from '../../lib/store/append.ts';
import {fsckGoal} from '../../lib/store/fsck.ts';
import {packWhenDue} from '../../lib/store/packing.ts';
import {type TempRepo, tempRepo} from '../support/repo.ts';
import {testGitStore, testGoal, testWriter} from '../support/store.ts';
import {testWorld} from '../support/world.ts';

async function begun(t: ExecutionContext, events: number) {
  const repo = await tempRepo(t);
  const store = await testGitStore(t, repo);
  const writer = testWriter(store);
  const {goal} = await testGoal(writer);
  for (let n = 1; n < events; n += 1) await changeGoal(writer, goal, addTodo({title: `todo ${n}`}));
  const repository = await openRepository(repo.dir, repo.env);
  return {repo, store, goal, repository, world: {now: Date.now}};
}

async function counted(repo: TempRepo) {
  const lines = (await repo.git.text(['count-objects', '-v'])).split('\n').map(line => line.split(': '));
  const {count, packs} = Object.fromEntries(lines.map(([key, value]) => [key, Number(value)]));
  return {loose: count, packs};
}

test('what loopx wrote is packed when there is much of it, and nothing else is', async t => {
  const {repo, store, goal, repository, world} = await begun(t, 12);
  await repo.git.text(['notes', '--ref=loopx', 'add', '-m', 'goal=x', 'HEAD']);
  const {loose: before} = await counted(repo);
  t.is(await packWhenDue(repository, store, world, {dueEvents: 13}), 'not-due');
  t.deepEqual(await counted(repo), {loose: before, packs: 0});
  t.is(await packWhenDue(repository, store, world, {dueEvents: 12}), 'packed');
  t.deepEqual(await counted(repo), {loose: 3, packs: 1}, 'the commit, the tree and the file of the first commit stay');
  t.is(await packWhenDue(repository, store, world, {dueEvents: 12}), 'not-due');

  const tip = (await store.tip(goal))!;
  t.deepEqual((await fsckGoal(store, tip)).problems, []);
  t.is((await repo.git.run(['fsck', '--strict', '--no-dangling'])).status, 0);
  await changeGoal(testWriter(store, testWorld({seed: 9})), goal, addTodo({title: 'one more'}));
  t.is(await packWhenDue(repository, store, world, {dueEvents: 1}), 'packed');
  t.deepEqual(await counted(repo), {loose: 3, packs: 2}, 'only what is new');
});

test('writers and readers work on while it packs, and lose nothing (trap 11)', async t => {
  const {repo, store, goal, repository, world} = await begun(t, 2);
  let writing = 3;
  const writers = Array.from({length: writing}, async (_, index) => {
    const own = await testGitStore(t, repo);
    const writer = testWriter(own, {...testWorld({seed: 50 + index}), now: Date.now}, `claude@m${index}`);
    for (let n = 0; n < 12; n += 1) await changeGoal(writer, goal, addTodo({title: `todo ${index} ${n}`}));
    writing -= 1;
  });
  let packs = 0;
  while (writing > 0) {
    if ((await packWhenDue(repository, store, world, {dueEvents: 1})) === 'packed') packs += 1;
    const tip = (await store.tip(goal))!;
    t.true((await store.paths(tip, 'todos')).length > 0);
  }

  await Promise.all(writers);
  t.true(packs > 1);
  const {events, problems} = await fsckGoal(store, (await store.tip(goal))!);
  t.deepEqual({events, problems}, {events: 2 + 36, problems: []});
  t.is((await repo.git.run(['fsck', '--strict', '--no-dangling'])).status, 0);
});

test('only one packs at a time, and a lock that was left by a dead one is taken over (trap 32)', async t => {
  const {repo, store, repository, world} = await begun(t, 2);
  const lock = join(repo.dir, '.git/loopx/locks/packing');
  await writeFile(lock, '');
  t.is(await packWhenDue(repository, store, world, {dueEvents: 1}), 'elsewhere');
  const longAgo = new Date(Date.now() - 120_000);
  await utimes(lock, longAgo, longAgo);
  t.is(await packWhenDue(repository, store, world, {dueEvents: 1}), 'packed');
});

test('a partial clone is left to git itself, and borrowed objects are not copied', async t => {
  const {repo, store, goal, repository, world} = await begun(t, 3);
  await repo.git.text(['config', 'remote.origin.promisor', 'true']);
  t.is(await packWhenDue(repository, store, world, {dueEvents: 1}), 'partial-clone');

  const borrower = join(dirname(repo.dir), 'borrower');
  await repo.git.text(['clone', '-q', '--shared', repo.dir, borrower]);
  const there = await openRepository(borrower, repo.env);
  await there.git.text(['fetch', '-q', 'origin', '+refs/loopx/goals/*:refs/loopx/goals/*']);
  const theirs = await testGitStore(t, {dir: borrower, env: repo.env});
  await changeGoal(testWriter(theirs, testWorld({seed: 7})), goal, addTodo({title: 'over there'}));
  t.is(await packWhenDue(there, theirs, world, {dueEvents: 1}), 'packed');
  const inPack = /^in-pack: (\d+)$/m.exec(await there.git.text(['count-objects', '-v']))?.[1];
  t.true(Number(inPack) < 8, `${inPack} objects are its own`);
  await rm(join(borrower, '.git'), {recursive: true});
});
