import {chmod, mkdir, readdir, readFile, rm, stat, symlink, writeFile} from 'node:fs/promises';
import {dirname, join} from 'node:path';
import test, {type ExecutionContext} from 'ava';
import fc from 'fast-check';
import {openRepository} from '../../lib/git/repository.ts';
import {applyConnect, planConnect} from '../../lib/hosts/connect.ts';
import {insertBlock, isShellScript, lineByHand} from '../../lib/hosts/git-hook-block.ts';
import {planHookRemoval, planHooks} from '../../lib/hosts/git-hooks.ts';
import {applyHooks} from '../../lib/hosts/hook-files.ts';
import {removeBlock} from '../../lib/hosts/marked-block.ts';
import {tempRepo} from '../support/repo.ts';

async function setUp(t: ExecutionContext) {
  const repo = await tempRepo(t);
  const repository = await openRepository(repo.dir, repo.env);
  const hooks = join(repo.dir, '.git/hooks');
  const spool = async () => (await readFile(join(repo.dir, '.git/loopx/spool'), 'utf8').catch(() => '')).split('\n');
  return {
    ...repo,
    repository,
    hooks,
    spool,
    connect: async () => applyConnect(repository, await planConnect(repository)),
    remove: async () => applyHooks(await planHookRemoval(repository)),
    hook: async (name: string, script: string, mode = 0o755) => {
      await writeFile(join(hooks, name), Buffer.from(script, 'latin1'));
      await chmod(join(hooks, name), mode);
    },
  };
}

test("somebody else's hook keeps its work, its bytes and its mode, before and after (trap 23)", async t => {
  const {connect, remove, hook, hooks, git, read, spool} = await setUp(t);
  const script = '#!/bin/sh -eu\n# caf\xe9\necho "ran $# $(cat)" >>"$GIT_INDEX_FILE.log"\nexec true\n';
  await hook('post-commit', script, 0o754);
  await connect();
  await connect();
  t.is((await stat(join(hooks, 'post-commit'))).mode & 0o777, 0o754);
  await git.text(['commit', '-q', '--allow-empty', '-m', 'x']);
  t.is((await read('.git/index.log')).toString(), 'ran 0 \n');
  t.is((await spool()).length, 2);

  await remove();
  t.is((await readFile(join(hooks, 'post-commit'))).toString('latin1'), script);
  t.is((await stat(join(hooks, 'post-commit'))).mode & 0o777, 0o754);
  t.deepEqual(
    (await readdir(hooks)).filter(name => !name.endsWith('.sample')),
    ['post-commit'],
  );
});

test('a post-rewrite of somebody else still gets from git what was rewritten', async t => {
  const {connect, hook, git, read, spool} = await setUp(t);
  await hook('post-rewrite', '#!/bin/sh\ncat >rewritten.txt\n');
  await connect();
  await git.text(['commit', '-q', '--amend', '-m', 'x']);
  t.regex((await read('rewritten.txt')).toString(), /^[0-9a-f]{40} [0-9a-f]{40}\n$/);
  t.deepEqual(
    (await spool()).map(line => line.split(' ').length),
    [4, 4, 1],
  );
});

test('a post-rewrite of somebody else that fails in a rebase does so as before, and the rebase ends on the branch (C47)', async t => {
  const {connect, hook, git, commit} = await setUp(t);
  await git.text(['checkout', '-q', '-b', 'side']);
  await commit('a', {a: 'a'});
  await git.text(['checkout', '-q', 'main']);
  await commit('b', {b: 'b'});
  await hook('post-rewrite', '#!/bin/sh\nexit 1\n');
  await git.text(['checkout', '-q', '-b', 'again', 'side']);
  const without = await git.run(['rebase', '-q', 'main', 'again']);
  await connect();
  const beside = await git.run(['rebase', '-q', 'main', 'side']);
  t.deepEqual([beside.status, beside.stderr], [without.status, without.stderr]);
  t.is(await git.text(['symbolic-ref', 'HEAD']), 'refs/heads/side');
});

test('hooks that are no shell script, not executable or a link are left alone, and the line to add is told', async t => {
  const {dir, repository, hook, hooks} = await setUp(t);
  await hook('post-commit', '#!/usr/bin/env node\n');
  await hook('post-merge', '#!/bin/sh\n', 0o644);
  await writeFile(join(dir, 'rewrite.sh'), '#!/bin/sh\n', {mode: 0o755});
  await symlink('../../rewrite.sh', join(hooks, 'post-rewrite'));
  await symlink('../../nowhere.sh', join(hooks, 'post-applypatch'));
  const plan = await planHooks(repository);
  t.deepEqual(
    plan.steps.flatMap(step => (step.kind === 'by-hand' ? [step.because.split(',')[0]] : [])),
    ['it is no shell script', 'it is not executable', 'it is a symbolic link', 'it is a symbolic link'],
  );
  await applyHooks(plan);
  t.is(await readFile(join(dir, 'rewrite.sh'), 'utf8'), '#!/bin/sh\n');
});

test('a folder of core.hooksPath is not touched, and a line put in by hand is found and works (traps 21, 22)', async t => {
  const {dir, git, repository, connect, spool, hooks} = await setUp(t);
  await mkdir(join(dir, '.husky'));
  await git.text(['config', 'core.hooksPath', '.husky']);
  const config = await readFile(join(dir, '.git/config'));
  const {steps} = await planHooks(repository);
  t.true(steps.every(step => step.kind === 'by-hand' && /part of the project/.test(step.because)));
  await connect();
  t.deepEqual(await readdir(join(dir, '.husky')), []);
  t.deepEqual((await readFile(join(dir, '.git/config'))).subarray(0, config.length), config);

  const script = `#!/bin/sh -e\n${lineByHand('post-commit')}\n`;
  await writeFile(join(dir, '.husky/post-commit'), script, {mode: 0o755});
  await git.text(['commit', '-q', '--allow-empty', '-m', 'x']);
  t.regex((await spool())[0]!, /^post-commit - - [0-9a-f]{40}$/);
  t.is((await planHooks(repository)).steps[0]?.kind, 'present');
  t.deepEqual(
    (await planHookRemoval(repository)).steps.map(step => `${step.kind} ${step.hook}`),
    ['by-hand post-commit'],
  );

  await git.text(['config', 'core.hooksPath', join(dirname(dir), 'home')]);
  const global = (await planHooks(repository)).steps[0]!;
  t.true(global.kind === 'by-hand' && /outside of the repository/.test(global.because));
  await git.text(['config', 'core.hooksPath', hooks]);
  t.is((await planHooks(repository)).steps[0]?.kind, 'create');
});

test('a repository without a folder for hooks gets one, and one that was moved keeps working (trap 24)', async t => {
  const {dir, hooks, connect, env} = await setUp(t);
  await rm(hooks, {recursive: true});
  await connect();
  const {rename} = await import('node:fs/promises');
  const moved = join(dirname(dir), 'moved with ü');
  await rename(dir, moved);
  const {git} = await openRepository(moved, env);
  await git.text(['commit', '-q', '--allow-empty', '-m', 'x']);
  t.regex(await readFile(join(moved, '.git/loopx/spool'), 'utf8'), /^post-commit - - [0-9a-f]{40}\n$/);
});

test('a hook that was changed after the plan is not written over', async t => {
  const {repository, hook, hooks} = await setUp(t);
  await hook('post-commit', '#!/bin/sh\n');
  const plan = await planHooks(repository);
  await hook('post-commit', '#!/bin/sh\necho new\n');
  await t.throwsAsync(applyHooks(plan), {code: 'io-failed'});
  t.is(await readFile(join(hooks, 'post-commit'), 'utf8'), '#!/bin/sh\necho new\n');
});

test('lines that somebody added to a hook of ours stay when ours go', async t => {
  const {connect, remove, hooks} = await setUp(t);
  await connect();
  const file = join(hooks, 'post-merge');
  await writeFile(file, `${await readFile(file, 'utf8')}echo mine\n`);
  await remove();
  t.is(await readFile(file, 'utf8'), '#!/bin/sh\necho mine\n');
});

test('taking our lines out of any script gives it back byte for byte, however often they went in', t => {
  const lines = fc.array(fc.constantFrom('#!/bin/sh', '#!/bin/bash -e', 'exit 0', '', '# \xff', 'a\r', '\r'), {
    maxLength: 5,
  });
  fc.assert(
    fc.property(lines, fc.boolean(), (lines, isEnded) => {
      const script = lines.join('\n') + (isEnded ? '\n' : '');
      const once = insertBlock(script, 'post-commit');
      t.is(removeBlock(once), script);
      t.is(insertBlock(once, 'post-commit'), once);
      t.is(removeBlock(script), script);
    }),
  );
});

test('shells are told from other interpreters by the first line', t => {
  const shells = [
    '#!/bin/sh',
    '#! /bin/bash -e',
    '#!/usr/bin/env bash',
    '#!/usr/bin/env -S bash -eu',
    '#!/bin/busybox sh',
  ];
  for (const line of [...shells, '#!/bin/sh\r', 'echo no shebang', '']) t.true(isShellScript(`${line}\n`), line);
  const others = [
    '#!/usr/bin/env node',
    '#!/usr/bin/python3',
    '#!/usr/bin/env fish',
    '#!/usr/bin/perl sh',
    '\x7fELF\0',
  ];
  for (const line of others) t.false(isShellScript(`${line}\n`), line);
});
