// What a fetch brought and how the next command takes it in, or says why not.
import {mkdir, readdir, readFile, rm, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import test from 'ava';
import {loopx, program} from '../support/loopx.ts';
import {type Clone, connectedClones} from './clones.ts';

type Goal = {readonly goal: {readonly id: string; readonly objective: string}};
type Status = {
  readonly sync: readonly {
    readonly remote: string;
    readonly ahead: number;
    readonly behind: number;
    readonly problem: string | null;
  }[];
};

const start = async ({json}: Clone, text = 'Port storage') =>
  (await json<Goal>(['start-goal', '--goal-text', text])).goal.id;
const refOf = (goal: string) => `refs/loopx/goals/${goal}`;

/** Two clones that both have one goal, the second one with an event that the first lacks. */
async function pair(t: Parameters<typeof connectedClones>[0]) {
  const [ada, bob] = await connectedClones(t, 2);
  const goal = await start(ada!);
  await ada!.loopx(['sync']);
  await bob!.loopx(['sync']);
  await bob!.json(['todo', 'add', 'From Bob']);
  return {ada: ada!, bob: bob!, goal};
}

test('a writer takes in first what was fetched, so that its event follows', async t => {
  const {ada, bob, goal} = await pair(t);
  await bob.loopx(['sync']);
  await ada.git(['fetch', '-q']);
  const {stderr} = await ada.loopx(['todo', 'add', 'From Ada']);
  t.is(stderr, `Taken in from origin: ${goal}: 1 event.\n`);
  t.is(await ada.repo.git.text(['rev-list', '--count', '--merges', refOf(goal)]), '0');
  t.deepEqual((await ada.json<Status>(['status'])).sync, [{remote: 'origin', ahead: 1, behind: 0, problem: null}]);
});

test('what does not add up stays in its tracking ref and is told of, and work goes on', async t => {
  const {ada, bob, goal} = await pair(t);
  const forged = await bob.repo.git.text(['commit-tree', '-p', refOf(goal), '-m', 'trust me', `${refOf(goal)}^{tree}`]);
  await bob.git(['push', '-q', '--no-verify', 'origin', `${forged}:${refOf(goal)}`]);
  await ada.git(['fetch', '-q']);
  const before = await ada.tip(goal);
  const first = await ada.loopx(['status']);
  t.is(first.status, 0);
  t.regex(first.stderr, /can't be gone on from: its message holds no events/);
  t.is((await ada.loopx(['status'])).stderr, '', 'it is said once');
  t.is(await ada.tip(goal), before);

  await ada.json(['todo', 'add', 'Work goes on']);
  const [sync] = (await ada.json<Status>(['status'])).sync;
  t.like(sync, {ahead: 1, behind: 2});
  t.regex(sync!.problem!, /holds no events/);
  const {status, stdout} = await ada.loopx(['sync']);
  t.is(status, 0);
  t.regex(stdout, /waits {2}port-storage-\w+: 1 event: .*holds no events/);
  t.is(await ada.remoteTip(goal), forged, 'nothing was forced');

  await ada.repo.git.text(['push', '-q', '--no-verify', '-f', 'origin', `${before}:${refOf(goal)}`]);
  t.is((await ada.loopx(['sync'])).stdout.split('\n')[1], `  sent   ${goal}: 1 event`);
  t.is((await ada.json<Status>(['status'])).sync[0]!.problem, null);
});

test('two goals of one name that have nothing in common are both kept (trap 8)', async t => {
  const [ada, bob] = await connectedClones(t, 2);
  const goal = await start(ada!, 'The first');
  const other = await start(bob!, 'Another');
  await bob!.repo.git.text(['update-ref', refOf(goal), refOf(other)]);
  await bob!.repo.git.text(['update-ref', '-d', refOf(other)]);
  const mine = await bob!.tip(goal);
  await ada!.loopx(['sync']);
  const {stdout} = await bob!.loopx(['sync']);
  const name = /the one that was here is now (\S+)/.exec(stdout)?.[1];
  t.regex(name ?? '', /^first-\w{4}$/);
  t.is(await bob!.tip(goal), await ada!.tip(goal));
  t.is(await bob!.tip(name!), mine);
  await ada!.loopx(['sync']);
  t.is(await ada!.tip(name!), mine);
});

test('notes that a pull brings are united with those here', async t => {
  const [ada, bob] = await connectedClones(t, 2);
  for (const clone of [ada!, bob!]) {
    await start(clone);
    await clone.git(['notes', '--ref=loopx', 'add', '-m', `who=${clone === ada ? 'ada' : 'bob'}`, 'HEAD']);
  }

  t.regex((await ada!.loopx(['sync'])).stdout, /sent {3}the notes\n/);
  await bob!.git(['fetch', '-q']);
  t.regex((await bob!.loopx(['status', '--goal', 'port'])).stderr, /Taken in from origin: the notes, merged\.\n/);
  await bob!.loopx(['sync']);
  await ada!.loopx(['sync']);
  const notes = (clone: Clone) => clone.repo.git.text(['rev-parse', 'refs/notes/loopx']);
  t.is(await notes(ada!), await notes(bob!));
  t.is(await ada!.repo.git.text(['notes', '--ref=loopx', 'show', 'HEAD']), 'who=ada\nwho=bob');
});

test("a tracking ref that is none of ours, or broken, is in nobody's way (trap 5)", async t => {
  const {ada, bob, goal} = await pair(t);
  await bob.git([
    'push',
    '-q',
    '--no-verify',
    'origin',
    `main:${refOf('Odd_Name')}`,
    `main:${refOf('a/b')}`,
    'main:refs/notes/loopx-other',
  ]);
  await bob.loopx(['sync']);
  await ada.git(['fetch', '-q']);
  const broken = join(ada.repo.dir, '.git/refs/loopx/remotes/origin/goals/broken-1234');
  await writeFile(broken, 'junk\n');
  const {status, stderr} = await ada.loopx(['status']);
  t.deepEqual([status, stderr], [0, `Taken in from origin: ${goal}: 1 event.\n`]);
  await rm(broken);
  t.is((await ada.loopx(['sync'])).status, 0);
});

test('a repository that cannot be written to is looked at all the same (trap 5)', async t => {
  const {ada, bob, goal} = await pair(t);
  await bob.loopx(['sync']);
  await ada.git(['fetch', '-q']);
  // Even root can't make a ref below a file.
  const file = join(ada.repo.dir, '.git', `${refOf(goal)}.lock`);
  await writeFile(file, '');
  const {status, stdout} = await ada.loopx(['status']);
  t.is(status, 0);
  t.regex(stdout, /Port storage/);
  await rm(file);
  t.is((await ada.loopx(['status'])).stderr, `Taken in from origin: ${goal}: 1 event.\n`, 'and it is tried again');
});

test('where nothing new was fetched, a command starts no more of git than without remotes', async t => {
  const {ada, bob} = await pair(t);
  await bob.loopx(['sync']);
  await ada.git(['fetch', '-q']);
  await ada.loopx(['status']);
  const bin = join(ada.repo.dir, '../bin');
  await mkdir(bin);
  const calls = join(ada.repo.dir, '../calls');
  await program(ada.repo, 'bin/git', `echo "$1" >>'${calls}'\nPATH='${ada.repo.env.PATH}' exec git "$@"`);
  const count = async () => {
    await writeFile(calls, '');
    await loopx(t, ada.repo, ['todo', 'list'], {env: {PATH: `${bin}:${ada.repo.env.PATH}`}});
    await loopx(t, ada.repo, ['status'], {env: {PATH: `${bin}:${ada.repo.env.PATH}`}});
    return (await readFile(calls, 'utf8')).split('\n').length;
  };
  const withRemote = await count();
  await ada.repo.git.text(['update-ref', '--stdin'], {
    input: `${await ada.repo.git.text(['for-each-ref', '--format=delete %(refname)', 'refs/loopx/remotes'])}\n`,
  });
  t.is(withRemote, await count());
  t.true((await readdir(join(ada.repo.dir, '.git/loopx/sync'))).includes('taken-in.json'));
});
