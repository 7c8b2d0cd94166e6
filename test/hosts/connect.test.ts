import {existsSync} from 'node:fs';
import {mkdir, readdir, readFile, writeFile} from 'node:fs/promises';
import {dirname, join} from 'node:path';
import test from 'ava';
import {openGit} from '../../lib/git/command.ts';
import {openRepository} from '../../lib/git/repository.ts';
import {
  applyConnect,
  applyDisconnect,
  connectLines,
  isConnected,
  planConnect,
  planDisconnect,
} from '../../lib/hosts/connect.ts';
import {tempRepo} from '../support/repo.ts';

async function connect(dir: string, env: Record<string, string>) {
  const repository = await openRepository(dir, env);
  await applyConnect(repository, await planConnect(repository));
  return repository;
}

test('connecting and disconnecting leaves each byte of config and hooks as it was (traps 13, 22)', async t => {
  const {dir, git, env} = await tempRepo(t);
  await git.text(['remote', 'add', 'origin', 'https://example.org/a.git']);
  await git.text(['remote', 'add', 'team/fork.x', 'https://example.org/b.git']);
  await git.text(['config', 'notes.rewriteRef', 'refs/notes/commits']);
  const config = join(dir, '.git/config');
  await writeFile(config, `${await readFile(config, 'utf8')}# a comment\n[core]\n\tabbrev = 12\n`);
  const before = await readFile(config);
  const hooks = await readdir(join(dir, '.git/hooks'));

  const repository = await openRepository(dir, env);
  const plan = await planConnect(repository);
  t.deepEqual(
    plan.settings.map(({key, value}) => `${key} ${value}`),
    [
      'remote.origin.fetch +refs/loopx/goals/*:refs/loopx/remotes/origin/goals/*',
      'remote.origin.fetch +refs/notes/loopx*:refs/loopx/remotes/origin/notes/loopx*',
      'remote.team/fork.x.fetch +refs/loopx/goals/*:refs/loopx/remotes/team/fork.x/goals/*',
      'remote.team/fork.x.fetch +refs/notes/loopx*:refs/loopx/remotes/team/fork.x/notes/loopx*',
      'notes.rewriteref refs/notes/loopx*',
      'loopx.connect.version 1',
    ],
  );
  t.deepEqual(await readFile(config), before, 'a plan changes nothing');
  await applyConnect(repository, plan);
  t.true(await isConnected(repository));
  t.deepEqual(connectLines(await planConnect(repository)), [], 'connecting again has nothing to do');

  await applyDisconnect(repository, await planDisconnect(repository));
  t.is((await readFile(config)).toString(), before.toString());
  t.deepEqual(await readdir(join(dir, '.git/hooks')), hooks);
  t.false(existsSync(join(dir, '.git/loopx')));
  t.false(await isConnected(repository));
});

test('a value that the user had before stays after disconnecting', async t => {
  const {dir, git, env} = await tempRepo(t);
  await git.text(['config', '--add', 'notes.rewriteRef', 'refs/notes/loopx*']);
  const repository = await connect(dir, env);
  await applyDisconnect(repository, await planDisconnect(repository));
  t.is(await git.text(['config', '--get-all', 'notes.rewriteRef']), 'refs/notes/loopx*');
});

test('refspecs are taken back from a remote that was renamed meanwhile', async t => {
  const {dir, git, env} = await tempRepo(t);
  await git.text(['remote', 'add', 'origin', 'https://example.org/a.git']);
  const repository = await connect(dir, env);
  await git.text(['remote', 'rename', 'origin', 'upstream']);
  await applyDisconnect(repository, await planDisconnect(repository));
  t.is(await git.text(['config', '--get-all', 'remote.upstream.fetch']), '+refs/heads/*:refs/remotes/upstream/*');
  t.notRegex((await readFile(join(dir, '.git/config'))).toString(), /loopx/);
});

test('a fetch goes on working while the remote has nothing of loopx, and brings goals once it has (traps 2, 3, 48)', async t => {
  const {dir, git, env} = await tempRepo(t);
  const clone = join(dirname(dir), 'clone');
  await git.text(['clone', '-q', dir, clone]);
  await connect(clone, env);
  const there = openGit(clone, env);
  await there.text(['config', 'fetch.prune', 'true']);
  await there.text(['fetch', '-q']);

  await git.text(['update-ref', 'refs/loopx/goals/a-1234', 'HEAD']);
  await git.text(['update-ref', 'refs/notes/loopx', 'HEAD']);
  await there.text(['update-ref', 'refs/loopx/goals/mine-1234', 'HEAD']);
  await there.text(['fetch', '-q']);
  t.deepEqual((await there.text(['for-each-ref', '--format=%(refname)', 'refs/loopx', 'refs/notes'])).split('\n'), [
    'refs/loopx/goals/mine-1234',
    'refs/loopx/remotes/origin/goals/a-1234',
    'refs/loopx/remotes/origin/notes/loopx',
  ]);
});

test('a mirror is not connected, since each fetch would overwrite its goals (trap 2)', async t => {
  const {dir, git, env} = await tempRepo(t);
  await git.text(['clone', '-q', '--mirror', dir, join(dirname(dir), 'mirror.git')]);
  const mirror = await openRepository(join(dirname(dir), 'mirror.git'), env);
  await t.throwsAsync(planConnect(mirror), {code: 'config-invalid'});
});

test('connecting in a linked worktree connects them all, and disconnecting ends the rounds of all (traps 24, 37)', async t => {
  const {dir, git, env} = await tempRepo(t);
  const linked = join(dirname(dir), 'linked');
  await git.text(['worktree', 'add', '-q', linked]);
  await git.text(['config', 'extensions.worktreeConfig', 'true']);
  const before = await readFile(join(dir, '.git/config'));
  await connect(linked, env);
  const repository = await openRepository(dir, env);
  t.true(await isConnected(repository));
  await openGit(linked, env).text(['commit', '-q', '--allow-empty', '-m', 'x']);
  t.regex((await readFile(join(dir, '.git/loopx/spool'))).toString(), /^post-commit linked - [0-9a-f]{40}\n$/);

  await writeFile(join(dir, '.git/worktrees/linked/loopx-round'), 'r-x\n');
  await applyDisconnect(repository, await planDisconnect(repository));
  t.deepEqual(await readFile(join(dir, '.git/config')), before);
  t.false(existsSync(join(dir, '.git/worktrees/linked/loopx-round')));
});

test('a host that takes branches only is served through the prefix of its remote', async t => {
  const {dir, git, env} = await tempRepo(t, {commit: false, init: ['--bare']});
  await git.text(['remote', 'add', 'origin', 'https://example.org/a.git']);
  await git.text(['config', 'remote.origin.loopxPrefix', 'refs/heads/loopx/']);
  const {settings} = await planConnect(await openRepository(dir, env));
  t.is(settings[0]?.value, '+refs/heads/loopx/goals/*:refs/loopx/remotes/origin/goals/*');
  t.is(settings[1]?.value, '+refs/heads/loopx/notes/loopx*:refs/loopx/remotes/origin/notes/loopx*');
});

test('what a crash in the middle of connecting left is completed, and taken back whole', async t => {
  const {dir, git, env} = await tempRepo(t);
  await git.text(['remote', 'add', 'origin', 'https://example.org/a.git']);
  const before = await readFile(join(dir, '.git/config'));
  const repository = await openRepository(dir, env);
  const {settings, ...rest} = await planConnect(repository);
  await applyConnect(repository, {...rest, settings: settings.slice(0, 1), body: undefined});
  await connect(dir, env);
  await mkdir(join(dir, '.git/loopx/logs'), {recursive: true});
  await applyDisconnect(repository, await planDisconnect(repository));
  t.deepEqual(await readFile(join(dir, '.git/config')), before);
});
