import {chmodSync, readdirSync, rmSync} from 'node:fs';
import {join} from 'node:path';
import test from 'ava';
import {takeSnapshot} from '../../lib/git/snapshot.ts';
import {diffSnapshot, patchSnapshot} from '../../lib/git/snapshot-diff.ts';
import {describeRepository} from '../support/listing.ts';
import {tempRepo} from '../support/repo.ts';

const options = {maxFileSizeBytes: 1000, message: 'A test'};

test('two snapshots differ by what was done in between, and so do one and the working tree', async t => {
  const {git, ...repo} = await tempRepo(t);
  const large = 'x'.repeat(2000);
  await repo.commit('More', {'a\nb': 'old\n', gone: 'g', tool: 't', same: 's'});
  for (const path of ['large-same', 'large-changed', 'large-gone', 'shrinks']) await repo.write(path, large);
  const first = await takeSnapshot(git, options);

  await repo.write('a\nb', 'new\n');
  await repo.write('ü', 'added');
  await repo.write('large-changed', `${large}!`);
  await repo.write('large-new', large);
  await repo.write('shrinks', 'small');
  await repo.write('same', large);
  for (const path of ['gone', 'large-gone']) rmSync(join(repo.dir, path));
  chmodSync(join(repo.dir, 'tool'), 0o755);
  const before = await describeRepository(git);

  const changes = await diffSnapshot(git, first, 'worktree');
  t.deepEqual(changes, [
    {path: 'a\nb', change: 'modified'},
    {path: 'gone', change: 'deleted'},
    {path: 'large-changed', change: 'modified'},
    {path: 'large-gone', change: 'deleted'},
    {path: 'large-new', change: 'added'},
    {path: 'same', change: 'modified'},
    {path: 'shrinks', change: 'modified'},
    {path: 'tool', change: 'modified'},
    {path: 'ü', change: 'added'},
  ]);
  t.deepEqual(await describeRepository(git), before);

  const second = await takeSnapshot(git, options);
  t.deepEqual(await diffSnapshot(git, first, second), changes);
  t.deepEqual(await diffSnapshot(git, second, 'worktree'), []);
  const back = await diffSnapshot(git, second, first);
  t.deepEqual(back.find(({path}) => path === 'same')?.change, 'modified');
});

test('the patch between two snapshots turns one tree into the other, whatever the user configured', async t => {
  const {git, ...repo} = await tempRepo(t);
  for (const [name, value] of [
    ['diff.external', 'false'],
    ['diff.noprefix', 'true'],
    ['color.diff', 'always'],
  ]) {
    await git.text(['config', name!, value!]);
  }

  const first = await takeSnapshot(git, options);
  await repo.write('README.md', '# Changed\n');
  await repo.write('binary', Buffer.from([0, 1, 2, 255]));
  const second = await takeSnapshot(git, options);
  const patch = await patchSnapshot(git, first, second);
  t.deepEqual(await patchSnapshot(git, first, 'worktree'), patch);
  t.true(patch.toString().includes('-# Example\n+# Changed\n'));

  await git.text(['checkout', '-q', '--', '.']);
  rmSync(join(repo.dir, 'binary'));
  await git.bytes(['apply'], {input: patch});
  t.deepEqual(await diffSnapshot(git, second, 'worktree'), []);
});

test('a large file is hashed again only when it has changed', async t => {
  const {git, ...repo} = await tempRepo(t);
  await repo.write('large', 'x'.repeat(2000));
  await new Promise(resolve => setTimeout(resolve, 2100));
  const first = await takeSnapshot(git, options);
  const [name] = readdirSync(join(repo.dir, '.git/loopx')).filter(name => name.startsWith('large-'));
  const remembered = (await repo.read(`.git/loopx/${name}`)).toString();
  await repo.write(`.git/loopx/${name}`, remembered.replace(/\w{64}/, 'f'.repeat(64)));
  t.is((await takeSnapshot(git, options)).large[0]!.sha256, 'f'.repeat(64), 'what is remembered counts');
  await repo.write('large', 'y'.repeat(2000));
  const changed = await takeSnapshot(git, options);
  t.not(changed.large[0]!.sha256, first.large[0]!.sha256);
  await repo.write('large', 'z'.repeat(2000));
  t.not((await takeSnapshot(git, options)).large[0]!.sha256, changed.large[0]!.sha256, 'also within one tick');
});
