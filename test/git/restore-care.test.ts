import {chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import test from 'ava';
import {type Git, openGit} from '../../lib/git/command.ts';
import {restoreSnapshot} from '../../lib/git/restore.ts';
import {takeSnapshot} from '../../lib/git/snapshot.ts';
import {listFolder} from '../support/listing.ts';
import {tempRepo} from '../support/repo.ts';

const options = {maxFileSizeBytes: 1000, message: 'A test'};

test('only the asked paths are restored', async t => {
  const {git, ...repo} = await tempRepo(t);
  await repo.commit('More', {'a/one': '1', 'a/two': '2', ab: 'b', c: 'c'});
  const snapshot = await takeSnapshot(git, options);
  for (const path of ['a/one', 'ab', 'c', 'a/new', 'new']) await repo.write(path, 'changed');
  rmSync(join(repo.dir, 'a/two'));

  const restored = await restoreSnapshot(git, snapshot, {paths: ['./a/', 'c']});
  t.deepEqual(restored, {written: ['a/one', 'a/two', 'c'], removed: ['a/new'], kept: []});
  t.is((await repo.read('ab')).toString(), 'changed');
  t.is((await repo.read('new')).toString(), 'changed');
  const nowhere = restoreSnapshot(git, snapshot, {paths: ['c', 'nowhere']});
  await t.throwsAsync(nowhere, {code: 'nothing-to-restore', message: /nowhere/});
});

test('nothing is written or removed behind a symlink that leads out of the worktree', async t => {
  const {git, ...repo} = await tempRepo(t);
  await repo.commit('More', {'.gitignore': '/linked\n', 'd/a': 'a', 'd/e/b': 'b', 'linked/x': 'x'});
  await repo.write('d/new', 'n');
  await git.text(['add', '-f', 'linked/x']);
  const snapshot = await takeSnapshot(git, options);

  const outside = join(repo.dir, '../outside');
  mkdirSync(join(outside, 'e'), {recursive: true});
  for (const path of ['a', 'new', 'later', 'e/b', 'x']) writeFileSync(join(outside, path), 'outside');
  const before = listFolder(outside);
  await repo.write('d/later', 'l');
  await git.text(['add', '.']);
  for (const path of ['d', 'linked']) {
    rmSync(join(repo.dir, path), {recursive: true});
    symlinkSync(outside, join(repo.dir, path));
  }

  const restored = await restoreSnapshot(git, snapshot);
  t.deepEqual(listFolder(outside), before);
  t.is((await repo.read('d/e/b')).toString(), 'b');
  t.deepEqual(restored.kept, [{path: 'linked/x', reason: 'linked is in the way'}]);
});

test('what was ignored then or is ignored now is not removed', async t => {
  const {git, ...repo} = await tempRepo(t);
  await repo.commit('Ignore', {'.gitignore': 'then\n', 'sub/.gitignore': '/then\n'});
  for (const path of ['then', 'sub/then', 'now', 'new']) await repo.write(path, path);
  const snapshot = await takeSnapshot(git, options);
  await repo.write('.gitignore', 'now\nlater\n');
  rmSync(join(repo.dir, 'sub/.gitignore'));
  for (const path of ['later', 'unwanted']) await repo.write(path, path);

  const {kept} = await restoreSnapshot(git, snapshot);
  t.deepEqual(kept, []);
  t.deepEqual(Object.keys(listFolder(repo.dir)).sort(), [
    '.gitignore', 'README.md', 'later', 'new', 'now', 'sub/.gitignore', 'sub/then', 'then',
  ]); // biome-ignore format: a list reads better dense
});

test('large files are neither replaced nor removed, and it is said if they are not as they were', async t => {
  const {git, ...repo} = await tempRepo(t);
  const large = 'x'.repeat(2000);
  await repo.commit('Small', {grown: 's', tracked: large});
  for (const path of ['same', 'changed', 'gone', 'shrunk']) await repo.write(path, large);
  const snapshot = await takeSnapshot(git, options);
  await repo.write('changed', `y${large.slice(1)}`);
  await repo.write('shrunk', 'small');
  await repo.write('grown', large);
  await repo.write('new', large);
  await repo.write('tracked', `${large}!`);
  rmSync(join(repo.dir, 'gone'));
  const before = listFolder(repo.dir);

  const {kept, ...changed} = await restoreSnapshot(git, snapshot);
  t.deepEqual(changed, {written: [], removed: []});
  t.deepEqual(listFolder(repo.dir), before);
  const reasons = kept.map(({path, reason}) => `${path}: ${reason}`).sort();
  t.deepEqual(reasons, [
    'changed: it has changed, and was too large to have been saved',
    'gone: it is gone, and was too large to have been saved',
    'grown: it is too large to have been saved',
    'new: it is too large to have been saved',
    'shrunk: it has changed, and was too large to have been saved',
    'tracked: it is too large to have been saved',
  ]);
});

test('what a snapshot could not read is not removed', async t => {
  const {git, ...repo} = await tempRepo(t);
  await repo.write('git~1', 'refused');
  const snapshot = await takeSnapshot(git, options);
  const {kept} = await restoreSnapshot(git, snapshot);
  t.deepEqual(kept, [{path: 'git~1', reason: 'it could not be read when the snapshot was taken'}]);
  t.is((await repo.read('git~1')).toString(), 'refused');
});

test('nested repositories are left alone: those in the way, new ones, and those that are gone or elsewhere', async t => {
  const {git, ...repo} = await tempRepo(t);
  await repo.commit('More', {'folder/a': 'a', file: 'f'});
  for (const path of ['moves', 'goes', 'opens']) await git.text(['clone', '-q', '.', path]);
  const snapshot = await takeSnapshot(git, options);
  const head = await git.text(['rev-parse', 'HEAD']);

  for (const path of ['goes', 'folder', 'file']) rmSync(join(repo.dir, path), {recursive: true});
  for (const path of ['folder', 'file', 'new']) await git.text(['init', '-q', path]);
  await repo.write('folder/a', 'theirs');
  await openGit(join(repo.dir, 'moves'), repo.env).text(['checkout', '-q', 'HEAD~']);
  rmSync(join(repo.dir, 'opens/.git'), {recursive: true});
  const before = listFolder(repo.dir);

  const {kept, ...changed} = await restoreSnapshot(git, snapshot);
  t.deepEqual(changed, {written: [], removed: []});
  t.deepEqual(listFolder(repo.dir), before);
  t.deepEqual(kept.map(({path, reason}) => `${path}: ${reason}`).sort(), [
    'file: another repository is in its place',
    'folder/a: folder is another repository',
    `goes: another repository, which was at ${head}`,
    `moves: another repository, which was at ${head}`,
    'new: another repository, which the snapshot does not know',
    `opens: another repository, which was at ${head}`,
  ]);
});

test('a folder that holds ignored files is not removed for a file', async t => {
  const {git, ...repo} = await tempRepo(t);
  await repo.commit('More', {'.gitignore': '*.log\n', file: 'f', other: 'o'});
  const snapshot = await takeSnapshot(git, options);
  for (const path of ['file', 'other']) rmSync(join(repo.dir, path));
  await repo.write('file/x.log', 'ignored');
  await repo.write('file/y', 'y');
  mkdirSync(join(repo.dir, 'other/empty/folders'), {recursive: true});

  const {kept} = await restoreSnapshot(git, snapshot);
  const reason = 'a folder with files that are not in the snapshot is in its place';
  t.deepEqual(kept, [{path: 'file', reason}]);
  t.is((await repo.read('file/x.log')).toString(), 'ignored');
  t.is((await repo.read('other')).toString(), 'o');
});

test('attributes and settings that changed since do not change the bytes', async t => {
  const {git, ...repo} = await tempRepo(t);
  await repo.commit('Ends', {'.gitattributes': '*.bat eol=crlf\n', 'a.bat': '1\r\n', 'b.txt': '1\n'});
  await git.text(['config', 'core.autocrlf', 'true']);
  await repo.write('c.txt', '1\r\n');
  const before = listFolder(repo.dir);
  const snapshot = await takeSnapshot(git, options);

  await git.text(['config', '--unset', 'core.autocrlf']);
  await repo.write('.gitattributes', '*.bat eol=lf\n*.txt eol=lf\n');
  for (const path of ['a.bat', 'c.txt']) await repo.write(path, '1\n');
  await restoreSnapshot(git, snapshot, {paths: ['a.bat']});
  t.is((await repo.read('a.bat')).toString(), '1\r\n', 'whatever attributes lie in the worktree');
  await repo.write('a.bat', '1\n');
  const {written} = await restoreSnapshot(git, snapshot);
  t.deepEqual(listFolder(repo.dir), before);
  t.deepEqual(written, ['.gitattributes', 'a.bat', 'c.txt'], 'b.txt was compared and left');
});

test('a file whose filter fails stays as it is, and it is said', async t => {
  const {git, ...repo} = await tempRepo(t);
  await repo.write('.gitattributes', '*.rot filter=rot\n');
  await git.text(['config', 'filter.rot.clean', 'tr a-z n-za-m']);
  await git.text(['config', 'filter.rot.smudge', 'tr a-z n-za-m']);
  await repo.write('a.rot', 'secret');
  const snapshot = await takeSnapshot(git, options);
  t.deepEqual(snapshot.raw, []);
  await git.text(['config', 'filter.rot.smudge', 'no-such-program-here']);
  await git.text(['config', 'filter.rot.required', 'true']);
  await repo.write('a.rot', 'changed');
  await repo.write('b', 'new');

  const restored = await restoreSnapshot(git, snapshot);
  t.deepEqual(restored, {written: [], removed: ['b'], kept: [{path: 'a.rot', reason: 'git could not make the file'}]});
  t.is((await repo.read('a.rot')).toString(), 'changed');
});

test('a restore that was broken off can be run again, wherever it stopped', async t => {
  const {git, ...repo} = await tempRepo(t);
  await repo.commit('More', {'.gitattributes': '*.txt text\n', 'a.txt': '1\r\n2\n', '.gitignore': 'i\n', 'd/e': 'e'});
  await repo.write('i', 'ignored');
  const before = listFolder(repo.dir);
  const snapshot = await takeSnapshot(git, options);
  for (let failAt = 1, failed = true; failed; failAt++) {
    for (const path of ['a.txt', 'd/e', '.gitignore', '.gitattributes']) rmSync(join(repo.dir, path), {force: true});
    rmSync(join(repo.dir, 'd'), {recursive: true, force: true});
    await repo.write('d', 'in the way');
    await repo.write('new/file', 'n');
    failed = await restoreSnapshot(failing(git, failAt), snapshot).then(
      () => false,
      () => true,
    );
    t.deepEqual(
      readdirSync(join(repo.dir, '.git')).filter(name => name.endsWith('.lock')),
      [],
    );
    await restoreSnapshot(git, snapshot);
    t.deepEqual(listFolder(repo.dir), before, `after the call ${failAt}`);
  }
});

function failing(git: Git, failAt: number): Git {
  let calls = 0;
  const maybe = <T>(call: () => Promise<T>): Promise<T> => {
    return ++calls === failAt ? Promise.reject(new Error('fault')) : call();
  };
  return {
    ...git,
    run: (args, options) => maybe(() => git.run(args, options)),
    text: (args, options) => maybe(() => git.text(args, options)),
    bytes: (args, options) => maybe(() => git.bytes(args, options)),
  };
}

test('a worktree on another disk than its repository is restored as well', async t => {
  const {git, ...repo} = await tempRepo(t);
  let linked: string;
  try {
    linked = mkdtempSync('/dev/shm/loopx-test-');
    await git.text(['worktree', 'add', '-q', '--detach', linked]);
  } catch {
    t.pass('this machine has no second disk');
    return;
  }

  t.teardown(() => rmSync(linked, {recursive: true, force: true}));
  writeFileSync(join(linked, 'tool'), 't');
  chmodSync(join(linked, 'tool'), 0o755);
  symlinkSync('tool', join(linked, 'link'));
  const before = listFolder(linked);
  const there = openGit(linked, repo.env);
  const snapshot = await takeSnapshot(there, options);
  for (const path of ['tool', 'link', 'README.md']) rmSync(join(linked, path));
  await restoreSnapshot(there, snapshot);
  t.deepEqual(listFolder(linked), before);
});
