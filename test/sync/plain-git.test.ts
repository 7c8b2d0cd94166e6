// Ordinary `git push` and `git pull` of the user's, with the hooks that connect installs and a loopx of its own process.
import {chmod, mkdir, readFile, rm, writeFile} from 'node:fs/promises';
import {dirname, join} from 'node:path';
import test from 'ava';
import {loopx, loopxJson} from '../support/loopx.ts';
import {type Clone, connectedClones, countStarts} from './clones.ts';

type Status = {sync: {remote: string; ahead: number; behind: number; problem: string | null}[]};
type Goal = {goal: {id: string}};

const start = async (t: Parameters<typeof loopx>[0], {repo}: Clone, text = 'Port storage') =>
  (await loopxJson<Goal>(t, repo, ['start-goal', '--goal-text', text])).goal.id;

test('a goal travels by git push and git pull, and both machines end with one commit', async t => {
  const [ada, bob] = await connectedClones(t, 2);
  const goal = await start(t, ada!);
  await loopx(t, ada!.repo, ['todo', 'add', 'Move the parser']);
  t.like((await loopxJson<Status>(t, ada!.repo, ['status'])).sync, [{remote: 'origin', ahead: 2, behind: 0}]);
  await ada!.repo.commit('Work', {'a.txt': 'a'});
  const pushed = await ada!.git(['push', 'origin', 'main']);
  t.is(pushed.status, 0);
  t.notRegex(pushed.stderr + pushed.stdout, /refs\/loopx|sync/);
  t.is(await ada!.remoteTip(goal), await ada!.tip(goal));
  t.like((await loopxJson<Status>(t, ada!.repo, ['status'])).sync, [{remote: 'origin', ahead: 0, problem: null}]);

  t.is((await bob!.git(['pull', '-q'])).status, 0);
  const status = await loopx(t, bob!.repo, ['status']);
  t.is(status.stderr, `Taken in from origin: ${goal}: 2 events, new here.\n`);
  t.is((await loopx(t, bob!.repo, ['status'])).stderr, '');

  await loopx(t, bob!.repo, ['todo', 'add', 'From Bob']);
  await loopx(t, ada!.repo, ['todo', 'add', 'From Ada']);
  await bob!.git(['push', 'origin', 'main']);
  await ada!.git(['push', 'origin', 'main']);
  t.is(await ada!.remoteTip(goal), await ada!.tip(goal), 'the second push merged first');
  await bob!.git(['pull', '-q']);
  await loopx(t, bob!.repo, ['status']);
  t.is(await bob!.tip(goal), await ada!.tip(goal));
});

test('two answers that did not see each other become a question that quotes both', async t => {
  const [ada, bob] = await connectedClones(t, 2);
  await start(t, ada!);
  const {gate} = await loopxJson<{gate: {id: string}}>(t, ada!.repo, [
    ...['gate', 'ask', 'Which port shall the server listen on?', '--option', '80', '--option', '8080'],
  ]);
  await ada!.git(['push', '-q', 'origin', 'main']);
  await bob!.git(['pull', '-q']);
  await loopxJson(t, bob!.repo, ['status']);
  await loopxJson(t, ada!.repo, ['gate', 'answer', gate.id, '80']);
  await loopxJson(t, bob!.repo, ['gate', 'answer', gate.id, '8080']);
  await ada!.git(['push', '-q', 'origin', 'main']);
  await bob!.git(['push', '-q', 'origin', 'main']);
  await ada!.git(['pull', '-q']);
  const {gates} = await loopxJson<{gates: {options: string[]; kind: string}[]}>(t, ada!.repo, ['status']);
  t.like(
    gates.find(({kind}) => kind === 'contested'),
    {options: ['80', '8080']},
  );
});

test('the hook starts no process where nothing waits, and once it does it sends once', async t => {
  const [ada] = await connectedClones(t, 1);
  const goal = await start(t, ada!);
  const starts = await countStarts(ada!);
  await ada!.git(['push', '-q', 'origin', 'main']);
  t.is(await starts(), 1);
  await ada!.repo.commit('More', {'b.txt': 'b'});
  await ada!.git(['push', '-q', 'origin', 'main']);
  await ada!.git(['push', '-q', 'origin', 'main']);
  t.is(await starts(), 1);
  await loopx(t, ada!.repo, ['todo', 'add', 'x']);
  await ada!.git(['push', '-q', 'origin', 'main']);
  t.is(await starts(), 2);
  t.is(await ada!.remoteTip(goal), await ada!.tip(goal));
});

test('a dry run sends nothing, however it is spelled, and neither does --no-verify', async t => {
  const [ada] = await connectedClones(t, 1);
  await start(t, ada!);
  await ada!.repo.git.text(['config', 'alias.try', 'push -n']);
  const starts = await countStarts(ada!);
  const dry = [['push', '--dry-run'], ['push', '-n'], ['push', '-vn'], ['push', '-nu'], ['push', '--dry'], ['try']];
  for (const args of [...dry, ['-c', 'a.b=push', 'push', '-qn'], ['push', '--no-verify']]) {
    t.is((await ada!.git([...args, 'origin', 'main'])).status, 0, args.join(' '));
  }

  t.is(await starts(), 0);
  t.is(await ada!.remoteRefs(), '');
  t.like((await loopxJson<Status>(t, ada!.repo, ['status'])).sync, [{remote: 'origin', ahead: 1}]);
  t.regex((await loopx(t, ada!.repo, ['status'])).stdout, /Sync +1 event waits for origin: loopx sync\n/);
  await ada!.git(['push', '-q', '-o', 'notify', 'origin', 'main']);
  t.is(await starts(), 1, 'an option with a value is no dry run');
  await loopx(t, ada!.repo, ['todo', 'add', 'x']);
  await ada!.git(['-c', 'alias.p=push', 'p', '-q', 'origin', 'main']);
  t.is(await starts(), 2);
});

test('a push to an address, or to a remote that is not connected, sends nothing', async t => {
  const [ada] = await connectedClones(t, 1);
  await start(t, ada!);
  const other = join(dirname(ada!.repo.dir), 'other.git');
  await ada!.repo.git.text(['init', '-q', '--bare', other]);
  await ada!.repo.git.text(['remote', 'add', 'other', other]);
  const starts = await countStarts(ada!);
  for (const to of [ada!.remote, other, 'other']) t.is((await ada!.git(['push', '-q', to, 'main'])).status, 0);
  t.is(await starts(), 0);
});

test("another's pre-push keeps its input and its say, and ours sends beside it", async t => {
  const [ada] = await connectedClones(t, 1, {connect: false});
  const hook = join(ada!.repo.dir, '.git/hooks/pre-push');
  await mkdir(dirname(hook), {recursive: true});
  await writeFile(hook, '#!/bin/sh\nset -eu\ncat >../refs.txt\necho "$@" >../args.txt\n[ ! -e ../forbid ]\n');
  await chmod(hook, 0o755);
  await ada!.connect();
  const goal = await start(t, ada!);
  await ada!.repo.commit('Work', {'a.txt': 'a'});
  t.is((await ada!.git(['push', '-q', 'origin', 'main'])).status, 0);
  t.regex(
    await readFile(join(ada!.repo.dir, '../refs.txt'), 'utf8'),
    /^refs\/heads\/main [0-9a-f]{40} refs\/heads\/main /,
  );
  t.is(await readFile(join(ada!.repo.dir, '../args.txt'), 'utf8'), `origin ${ada!.remote}\n`);
  t.is(await ada!.remoteTip(goal), await ada!.tip(goal));
  await writeFile(join(ada!.repo.dir, '../forbid'), '');
  await ada!.repo.commit('Work', {'a.txt': 'b'});
  t.is((await ada!.git(['push', '-q', 'origin', 'main'])).status, 1);
  await rm(hook);
});

test('where loopx is gone, or its folder, a push goes on as before (trap 25)', async t => {
  const [ada] = await connectedClones(t, 1);
  await start(t, ada!);
  const folder = join(ada!.repo.dir, '.git/loopx');
  await writeFile(join(folder, 'launch'), '/nowhere/node\n/nowhere/loopx.js\n');
  const first = await ada!.git(['push', 'origin', 'main'], {env: {PATH: '/usr/bin:/bin'}});
  t.is(first.status, 0);
  t.notRegex(first.stderr, /loopx|nowhere|not found/);
  await rm(folder, {recursive: true});
  t.is((await ada!.git(['push', 'origin', 'main'])).status, 0);
});

test('a push from a linked worktree and from a bare repository carries goals along (traps 24, 37)', async t => {
  const [ada] = await connectedClones(t, 1);
  const goal = await start(t, ada!);
  const linked = join(dirname(ada!.repo.dir), 'linked ü');
  await ada!.repo.git.text(['worktree', 'add', '-q', '-b', 'side', linked]);
  t.is((await ada!.git(['push', '-q', 'origin', 'side'], {cwd: linked})).status, 0);
  t.is(await ada!.remoteTip(goal), await ada!.tip(goal));

  await loopx(t, ada!.repo, ['todo', 'add', 'x']);
  const outside = {cwd: dirname(linked)};
  t.is((await ada!.git(['--git-dir', `${ada!.repo.dir}/.git`, 'push', '-q', 'origin', 'side'], outside)).status, 0);
  t.is(await ada!.remoteTip(goal), await ada!.tip(goal));
});
