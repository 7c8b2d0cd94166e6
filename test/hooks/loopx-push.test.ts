// The script that the hook pre-push goes on in, by itself: who it takes for a push, and what it starts.
import {execFile} from 'node:child_process';
import {existsSync} from 'node:fs';
import {cp, mkdir, readFile, rm, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {promisify} from 'node:util';
import test, {type ExecutionContext} from 'ava';
import {tempRepo} from '../support/repo.ts';

const execute = promisify(execFile);
const hooks = new URL('../../hooks/', import.meta.url);

const shells = [['sh'], ['bash'], ['dash'], ['busybox', 'sh'], ['ksh'], ['mksh'], ['zsh']].flatMap(
  ([name, ...args]) => {
    const file = (process.env.PATH ?? '').split(':').map(folder => join(folder, name!)).find(path => existsSync(path)); // biome-ignore format: one thought
    return file ? [[file, ...args]] : [];
  },
);

/** A folder as connect makes it, where the hook starts a program that writes down its arguments. */
async function setUp(t: ExecutionContext) {
  const {dir} = await tempRepo(t, {commit: false});
  const folder = join(dir, '.git/loopx');
  await mkdir(join(folder, 'sync/remotes/team'), {recursive: true});
  await cp(new URL('loopx-hook', hooks), join(folder, 'hook'));
  await cp(new URL('loopx-push', hooks), join(folder, 'push'));
  const started = join(folder, 'started');
  await writeFile(join(folder, 'record'), `#!/bin/sh\necho "$@" >>'${started}'\ncat\necho talk\necho talk >&2\n`, {
    mode: 0o755,
  });
  await writeFile(join(folder, 'launch'), `${join(folder, 'record')}\na b\n`);
  await writeFile(join(folder, 'sync/remotes/origin'), 'nothing\n');
  await writeFile(join(folder, 'sync/remotes/team/fork'), 'nothing\n');
  // A program by the name of git, whose arguments are those of the user; it runs the hook in the shell that is named.
  const hook = `loopx_hook=pre-push; loopx_dir='${folder}'; . "$loopx_dir/hook"; echo "after $#" >&2`;
  await writeFile(join(folder, 'run'), hook);
  await cp('/bin/sh', join(folder, 'git'), {dereference: true});
  const push = async (
    shell: readonly string[],
    args: readonly string[],
    remote = ['origin', 'https://example.org/x'],
    env = {},
  ) => {
    await rm(started, {force: true});
    const script = `${shell.join(' ')} ${join(folder, 'run')} ${remote.join(' ')} </dev/null; exit $?`;
    const options = {cwd: dir, env: {PATH: process.env.PATH!, ...env}};
    const said = await execute(join(folder, 'git'), ['-c', script, 'git', ...args], options);
    t.deepEqual([said.stdout, said.stderr], ['', `after ${remote.length}\n`], shell.join(' '));
    return (await readFile(started, 'utf8').catch(() => '')).trimEnd();
  };
  return {folder, push};
}

test('in every shell, a push starts loopx for the remote, without input, and what it says goes to a log (trap 4)', async t => {
  const {folder, push} = await setUp(t);
  for (const shell of shells) {
    const wanted = `a b sync origin --from-hook --no-input --project ${folder}/..`;
    t.is(await push(shell, ['push', 'origin', 'main']), wanted, shell.join(' '));
    t.is(await readFile(join(folder, 'sync.log'), 'utf8'), 'talk\ntalk\n');
    t.is(await push([...shell, '-eu'], ['push']), wanted, shell.join(' '));
    t.regex(await push(shell, ['push'], ['team/fork', 'x']), /^a b sync team\/fork /);
  }
});

test('a dry run, our own push, and what nobody recorded start nothing', async t => {
  const {push, folder} = await setUp(t);
  for (const shell of shells) {
    for (const args of [['push', '-n'], ['push', '--dry-run'], ['push', '-qnf'], ['push', '--dry'], ['status']]) {
      t.is(await push(shell, args), '', `${shell.join(' ')} ${args.join(' ')}`);
    }

    t.not(await push(shell, ['-c', 'a.n=1', 'push', '-u', '--no-verify', '-ofoo-n', '--', '-n']), '');
    t.is(await push(shell, ['push'], ['https://x.org/x', 'https://x.org/x']), '');
    t.is(await push(shell, ['push'], ['other', 'https://x.org/x']), '');
    t.is(await push(shell, ['push'], undefined, {LOOPX_SYNC: '1'}), '');
  }

  await writeFile(join(folder, 'sync/remotes/origin'), 'refused\n');
  t.is(await push(shells[0]!, ['push']), '');
  await writeFile(join(folder, 'sync/remotes/origin'), 'abc\n');
  await writeFile(join(folder, 'sync/changed'), 'abc\n');
  t.is(await push(shells[0]!, ['push']), '', 'all is sent');
});
