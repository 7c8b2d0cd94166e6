import {execFile} from 'node:child_process';
import {existsSync} from 'node:fs';
import {mkdir, readFile, rm} from 'node:fs/promises';
import {dirname, join} from 'node:path';
import {promisify} from 'node:util';
import test, {type ExecutionContext} from 'ava';
import {openGit} from '../../lib/git/command.ts';
import {openRepository} from '../../lib/git/repository.ts';
import {applyConnect, planConnect} from '../../lib/hosts/connect.ts';
import {tempRepo} from '../support/repo.ts';

const execute = promisify(execFile);
const body = new URL('../../hooks/loopx-hook', import.meta.url);

/** The POSIX shells of this machine. */
async function shells(): Promise<[string, ...string[]][]> {
  const known: [string, ...string[]][] = [['sh'], ['bash'], ['dash'], ['busybox', 'sh'], ['ksh'], ['mksh'], ['zsh']];
  const folders = process.env.PATH?.split(':') ?? [];
  return known.flatMap(([name, ...args]) => {
    const file = folders.map(folder => join(folder, name)).find(file => existsSync(file));
    return file ? [[file, ...args] as [string, ...string[]]] : [];
  });
}

async function connected(t: ExecutionContext, options: Parameters<typeof tempRepo>[1] = {}) {
  const repo = await tempRepo(t, options);
  const repository = await openRepository(repo.dir, repo.env);
  await applyConnect(repository, await planConnect(repository));
  const spool = async () => {
    const text = await readFile(join(repository.commonDir, 'loopx/spool'), 'utf8').catch(() => '');
    return text === '' ? [] : text.trimEnd().split('\n');
  };
  return {...repo, repository, spool};
}

test('a commit leaves one line: hook, worktree, round and commit', async t => {
  const {git, spool} = await connected(t);
  await git.text(['commit', '-q', '--allow-empty', '-m', 'x'], {env: {LOOPX_ROUND: 'r-8w2fz6qk'}});
  const head = await git.text(['rev-parse', 'HEAD']);
  t.deepEqual(await spool(), [`post-commit - r-8w2fz6qk ${head}`]);
});

test('a line is left from a detached HEAD, a branch in folders, with GIT_DIR set, and by a merge', async t => {
  const {dir, git, env, spool} = await connected(t);
  const commit = ['commit', '-q', '--allow-empty', '-m'];
  await git.text(['checkout', '-q', '--detach']);
  await git.text([...commit, 'one']);
  await git.text(['checkout', '-q', '-b', 'deep/er/branch']);
  await git.text([...commit, 'two']);
  const outside = openGit(dirname(dir), env);
  await outside.text([...commit, 'three'], {env: {GIT_DIR: 'repo/.git', GIT_WORK_TREE: 'repo'}});
  await git.text(['checkout', '-q', 'main']);
  await git.text(['merge', '-q', 'deep/er/branch']);
  const commits = (await git.text(['log', '--format=%H', '-3'])).split('\n').reverse();
  t.deepEqual(await spool(), [...commits.map(id => `post-commit - - ${id}`), `post-merge - - ${commits[2]}`]);
});

test('rewriting tells the old and the new commits, and a rebase also each pick (traps 13, 18)', async t => {
  const {git, commit, spool} = await connected(t);
  await git.text(['checkout', '-q', '-b', 'side']);
  const old = [await commit('a', {a: 'a'}), await commit('b', {b: 'b'})];
  await git.text(['checkout', '-q', 'main']);
  await commit('c', {c: 'c'});
  await git.text(['rebase', '-q', 'main', 'side']);
  const rewritten = (await spool()).filter(line => line.split(' ').length === 6).map(line => line.split(' ').slice(4));
  const now = (await git.text(['log', '--format=%H', '-2'])).split('\n').reverse();
  t.deepEqual(rewritten, [
    [old[0], now[0]],
    [old[1], now[1]],
  ]);
  t.is((await spool()).filter(line => line.startsWith('post-commit')).length, 5);
});

test('a linked worktree, a submodule and a repository of SHA-256 write to their own spools (traps 24, 39)', async t => {
  const {dir, git, env, spool} = await connected(t, {init: ['--object-format=sha256']});
  const linked = join(dirname(dir), 'a linked ü');
  await git.text(['worktree', 'add', '-q', '--detach', linked]);
  await openGit(linked, env).text(['commit', '-q', '--allow-empty', '-m', 'x']);
  t.regex((await spool()).join(), /^post-commit a-linked-\S+ - [0-9a-f]{64}$/);

  const outer = await tempRepo(t);
  await outer.git.text(['-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', outer.dir, 'sub']);
  const inner = await openRepository(join(outer.dir, 'sub'), outer.env);
  await applyConnect(inner, await planConnect(inner));
  await inner.git.text(['-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '-q', '--allow-empty', '-m', 'x']);
  t.regex(await readFile(join(outer.dir, '.git/modules/sub/loopx/spool'), 'utf8'), /^post-commit - - [0-9a-f]{40}\n$/);
});

test('nothing is written or said once the local folder is gone, or when it cannot be written', async t => {
  const {dir, git} = await connected(t);
  await rm(join(dir, '.git/loopx/spool'), {force: true});
  await mkdir(join(dir, '.git/loopx/spool'));
  const said = await git.run(['commit', '-q', '--allow-empty', '-m', 'x']);
  t.deepEqual([said.status, said.stdout.toString(), said.stderr], [0, '', '']);
  await rm(join(dir, '.git/loopx'), {recursive: true});
  const after = await git.run(['commit', '-q', '--allow-empty', '-m', 'x']);
  t.deepEqual([after.status, after.stderr], [0, '']);
});

test('no process is started, nothing fails and nothing is said, whatever the environment and the input (traps 25, 26)', async t => {
  const {dir, git, repository} = await connected(t);
  const hook = join(dir, '.git/hooks/post-rewrite');
  const spool = join(repository.commonDir, 'loopx/spool');
  const odd = {LOOPX_ROUND: 'x y\nz', GIT_DIR: '', PATH: '/nowhere', SHLVL: '1'};
  for (const [shell, ...first] of await shells()) {
    for (const args of [
      ['-eu', hook],
      ['-c', '. "$0"', hook],
    ]) {
      await rm(spool, {force: true});
      const running = execute(shell, [...first, ...args], {cwd: dir, env: odd});
      running.child.stdin?.on('error', () => {});
      running.child.stdin?.end(`junk\n\n${`${'a'.repeat(40)} ${'b'.repeat(40)}\n`.repeat(300)}`);
      const said = await running;
      t.deepEqual([said.stdout, said.stderr], ['', ''], shell);
      const lines = (await readFile(spool, 'utf8')).trimEnd().split('\n');
      t.is(lines.length, 201, 'what was rewritten is bounded');
      t.is(lines[0], `post-rewrite - - ${await git.text(['rev-parse', 'HEAD'])}`);
    }
  }
});

test('hooks that run at the same time do not mix their lines', async t => {
  const {dir, spool} = await connected(t);
  const hook = join(dir, '.git/hooks/post-commit');
  await Promise.all(Array.from({length: 40}, () => execute(hook, [], {cwd: dir})));
  t.is((await spool()).filter(line => /^post-commit - - [0-9a-f]{40}$/.test(line)).length, 40);
});

test('the script starts no subshell, no substitution and no program in the background (traps 27, 30)', async t => {
  const text = (await readFile(body, 'utf8')).replace(/^\s*#.*$/gm, '');
  t.notRegex(text, /`|\$\((?!\()|^\s*\((?!\()|[^&|]&$|\b(git|cat|date|sed|mkdir|dirname|node|exec|eval)\s/m);
});

test('the hook needs no program but sh: with nothing on PATH it still leaves its line (traps 25, 26)', async t => {
  const {dir, git, spool} = await connected(t);
  const head = await git.text(['rev-parse', 'HEAD']);
  const hook = join(dir, '.git/hooks/post-commit');
  for (const [shell, ...args] of await shells()) {
    const {stdout, stderr} = await execute(shell, [...args, hook], {cwd: dir, env: {PATH: join(dir, 'nothing')}});
    t.is(stdout + stderr, '', shell);
    t.is((await spool()).at(-1), `post-commit - - ${head}`, shell);
  }
});
