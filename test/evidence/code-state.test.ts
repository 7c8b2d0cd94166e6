import {appendFile, chmod, mkdir, rm, utimes, writeFile} from 'node:fs/promises';
import {dirname, join} from 'node:path';
import test from 'ava';
import {codeState} from '../../lib/evidence/code-state.ts';
import {openRepository} from '../../lib/git/repository.ts';
import {tempRepo} from '../support/repo.ts';

test('the fingerprint changes with each change of the code, and is back when the code is', async t => {
  const {dir, env, git, commit, write} = await tempRepo(t);
  await commit('start', {'a.txt': 'a\n', 'ä b.txt': 'x', '.gitignore': 'out/\n', 'run.sh': 'x'});
  const repository = await openRepository(dir, env);
  const clean = await codeState(repository);
  t.is(clean.head, await git.text(['rev-parse', 'HEAD']));
  t.deepEqual([clean.dirty, clean.fingerprint], [false, await git.text(['rev-parse', 'HEAD^{tree}'])]);

  const seen = new Set([clean.fingerprint]);
  const changes: [string, () => Promise<unknown>][] = [
    ['a change', () => write('a.txt', 'b\n')],
    ['another change of the same size', () => write('a.txt', 'c\n')],
    ['a name with spaces', () => write('ä b.txt', 'y')],
    ['a new file', () => write('new/deep/file', '1')],
    ['a change in a new folder', () => write('new/deep/file', '2')],
    ['a mode', () => chmod(join(dir, 'run.sh'), 0o755)],
    ['a removal', () => rm(join(dir, 'README.md'))],
  ];
  for (const [what, change] of changes) {
    await change();
    const state = await codeState(repository);
    t.true(state.dirty);
    t.false(seen.has(state.fingerprint), what);
    seen.add(state.fingerprint);
  }

  const before = await codeState(repository);
  await git.text(['add', '-A']);
  await utimes(join(dir, 'a.txt'), 1, 1);
  await write('out/log', 'ignored');
  t.is(
    (await codeState(repository)).fingerprint,
    before.fingerprint,
    'staging, touching and ignored files change nothing',
  );

  await git.text(['reset', '-q', '--hard']);
  await git.text(['clean', '-qfd']);
  t.deepEqual(await codeState(repository), clean);
});

test('there is a state before the first commit, in a bare repository and in a linked worktree', async t => {
  const empty = await tempRepo(t, {commit: false});
  const none = await codeState(await openRepository(empty.dir, empty.env));
  t.deepEqual(none, {head: undefined, tree: undefined, dirty: false, changed: [], fingerprint: 'no-commit'});
  await empty.write('a', '1');
  const dirty = await codeState(await openRepository(empty.dir, empty.env));
  t.true(dirty.dirty && dirty.fingerprint !== 'no-commit');

  const {dir, env, git} = await tempRepo(t);
  const [bare, linked] = [join(dirname(dir), 'bare.git'), join(dirname(dir), 'linked')];
  await git.text(['clone', '-q', '--bare', dir, bare]);
  await git.text(['worktree', 'add', '-q', linked]);
  const states = await Promise.all([dir, bare, linked].map(async dir => codeState(await openRepository(dir, env))));
  t.deepEqual(states[1], states[0]);
  t.deepEqual(states[2], states[0]);
});

test('a submodule that moves on, and one that holds changes, changes the fingerprint', async t => {
  const {dir, env, git, commit} = await tempRepo(t);
  await git.text(['-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', dir, 'sub']);
  await commit('submodule');
  const repository = await openRepository(dir, env);
  const sub = (await openRepository(join(dir, 'sub'), env)).git;
  const seen = [(await codeState(repository)).fingerprint];
  for (let n = 0; n < 2; n += 1) {
    await sub.text(['-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '-q', '--allow-empty', '-m', `${n}`]);
    seen.push((await codeState(repository)).fingerprint);
  }

  await appendFile(join(dir, 'sub/README.md'), 'more');
  seen.push((await codeState(repository)).fingerprint);
  t.is(new Set(seen).size, 4);
});

test('five thousand files are looked at in well under a second', async t => {
  const {dir, env, git} = await tempRepo(t);
  for (let folder = 0; folder < 50; folder += 1) {
    await mkdir(join(dir, `f${folder}`));
    await Promise.all(Array.from({length: 100}, (_, n) => writeFile(join(dir, `f${folder}/${n}.txt`), `${n}`)));
  }

  await git.text(['add', '-A']);
  await git.text(['commit', '-qm', 'many']);
  await Promise.all(Array.from({length: 100}, (_, n) => writeFile(join(dir, `f1/${n}.txt`), `changed ${n}`)));
  const repository = await openRepository(dir, env);
  const start = performance.now();
  await codeState(repository);
  const tookMs = performance.now() - start;
  t.log(`${tookMs.toFixed(0)} ms`);
  t.true(tookMs < 1000);
});
