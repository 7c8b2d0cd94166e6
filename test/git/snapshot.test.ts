import {mkdirSync, readdirSync, renameSync, rmSync, symlinkSync, utimesSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import test from 'ava';
import fc from 'fast-check';
import {type Git, openGit} from '../../lib/git/command.ts';
import {pathFromBytes, pathToBytes} from '../../lib/git/path-text.ts';
import {readSnapshot, takeSnapshot} from '../../lib/git/snapshot.ts';
import {formatNotes, parseNotes} from '../../lib/git/snapshot-message.ts';
import {describeRepository, listFolder} from '../support/listing.ts';
import {type TempRepo, tempRepo} from '../support/repo.ts';

const options = {maxFileSizeBytes: 1000, message: 'A test'};

test('all that a snapshot says can be read back from its commit, and from its ref', async t => {
  const {git, ...repo} = await tempRepo(t);
  const head = await repo.commit('Line ends', {'.gitattributes': '*.txt text\n', 'a.txt': '1\r\n2\n'});
  await repo.write('large', 'x'.repeat(1001));
  await repo.write('git~1', 'a name that git refuses');
  await git.text(['init', '-q', 'nested']);
  const ref = 'refs/loopx/live/goal/claude@mbp';

  const message = 'Checkpoint\n\nWith a text of\n\n{"snapshot":1}';
  const snapshot = await takeSnapshot(git, {...options, message, ref: {name: ref, expect: null}});

  t.like(snapshot, {head, branch: 'main', partial: ['git~1'], nested: [{path: 'nested', head: null}]});
  t.deepEqual(
    snapshot.raw.map(file => file.path),
    ['a.txt'],
  );
  t.is(await git.text(['cat-file', 'blob', snapshot.raw[0]!.blob]), '1\r\n2');
  t.like(snapshot.large[0], {path: 'large', sizeBytes: 1001});
  t.deepEqual(await readSnapshot(git, snapshot.commit), snapshot);
  t.deepEqual(await readSnapshot(git, ref), snapshot);
  const format = '%an <%ae> %cn <%ce>%n%B';
  const shown = await git.text(['log', '-1', `--format=${format}`, ref]);
  t.true(shown.startsWith('loopx <loopx@loopx.invalid> loopx <loopx@loopx.invalid>\nCheckpoint\n'), shown);
});

test('the commit reaches HEAD, the index and what the caller adds', async t => {
  const {git, ...repo} = await tempRepo(t);
  const first = await git.text(['rev-parse', 'HEAD']);
  const head = await repo.commit('Second');
  await repo.write('staged', 's');
  await git.text(['add', 'staged']);
  rmSync(join(repo.dir, 'staged'));

  const snapshot = await takeSnapshot(git, {...options, parents: [first, head]});
  const parents = (await git.text(['log', '-1', '--format=%P', snapshot.commit])).split(' ');
  t.is(parents[0], head);
  t.is(await git.text(['rev-parse', `${parents[1]}^{tree}`]), snapshot.indexTree!);
  t.is(await git.text(['ls-tree', '--name-only', parents[1]!, 'staged']), 'staged');
  t.deepEqual(parents.slice(2), [first], 'a parent is named once');
});

test('a ref that is not where it was expected stays there', async t => {
  const {git, ...repo} = await tempRepo(t);
  const name = 'refs/loopx/live/goal/claude@mbp';
  const first = await takeSnapshot(git, {...options, ref: {name, expect: null}});
  await repo.write('a', 'a');
  const again = {...options, ref: {name, expect: null}};
  await t.throwsAsync(takeSnapshot(git, again), {code: 'ref-moved'});
  t.is(await git.text(['rev-parse', name]), first.commit);
  const second = await takeSnapshot(git, {...options, ref: {name, expect: first.commit}});
  const third = await takeSnapshot(git, {...options, message: 'Whatever it was', ref: {name}});
  t.not(second.commit, third.commit);
  t.is(await git.text(['rev-parse', name]), third.commit);
});

test('where there is no working tree, there is no snapshot', async t => {
  const repo = await tempRepo(t);
  const bare = await tempRepo(t, {commit: false, init: ['--bare']});
  await t.throwsAsync(takeSnapshot(bare.git, options), {code: 'git-failed', message: /no working tree/});
  const inside = openGit(join(repo.dir, '.git'), repo.env);
  await t.throwsAsync(takeSnapshot(inside, options), {code: 'git-failed', message: /no working tree/});
  const outside = openGit(join(repo.dir, '..'), repo.env);
  await t.throwsAsync(takeSnapshot(outside, options), {code: 'not-a-repository'});
  await t.throwsAsync(readSnapshot(repo.git, 'HEAD'), {code: 'nothing-to-restore'});
  await t.throwsAsync(readSnapshot(repo.git, 'refs/loopx/snapshots/none'), {code: 'nothing-to-restore'});
});

test('nobody is asked to sign (trap 33)', async t => {
  const {git} = await tempRepo(t);
  await git.text(['config', 'commit.gpgSign', 'true']);
  await git.text(['config', 'gpg.program', 'false']);
  const {commit} = await takeSnapshot(git, options);
  t.notRegex(await git.text(['cat-file', 'commit', commit]), /gpgsig/);
});

test('a large file is saved only as far as it is unchanged in HEAD', async t => {
  const {git, ...repo} = await tempRepo(t);
  await repo.commit('Large', {same: 's'.repeat(2000), changed: 'c'.repeat(2000)});
  await repo.write('changed', 'd'.repeat(1500));
  const snapshot = await takeSnapshot(git, options);
  t.deepEqual(
    snapshot.large.map(({path, sizeBytes}) => [path, sizeBytes]),
    [['changed', 1500]],
  );
  t.is(await git.text(['ls-tree', '--name-only', snapshot.tree]), 'README.md\nsame');
});

test('tracked files behind a folder that became a symlink are not taken for files', async t => {
  const {git, ...repo} = await tempRepo(t);
  await repo.commit('More', {'d/x': 'x', '.gitignore': '/d\n'});
  await git.text(['add', '-f', 'd/x']);
  await git.text(['commit', '-qm', 'Tracked though ignored']);
  renameSync(join(repo.dir, 'd'), join(repo.dir, 'e'));
  symlinkSync('e', join(repo.dir, 'd'));
  const snapshot = await takeSnapshot(git, options);
  t.is(await git.text(['ls-tree', '-r', '--name-only', snapshot.tree]), '.gitignore\nREADME.md\ne/x');
});

test('a lock that somebody holds on the index does not matter (trap 31)', async t => {
  const {git, ...repo} = await tempRepo(t);
  await repo.write('.git/index.lock', '');
  await repo.write('a', 'a');
  const snapshot = await takeSnapshot(git, options);
  t.is(await git.text(['ls-tree', '--name-only', snapshot.tree]), 'README.md\na');
});

test('a submodule that moved is in the tree by its HEAD, and named when it is dirty', async t => {
  const {git, ...repo} = await tempRepo(t);
  const other = await tempRepo(t);
  const add = ['-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add'];
  for (const name of ['clean', 'dirty', 'moved']) await git.text([...add, other.dir, name]);
  await repo.commit('Submodules');
  await repo.write('dirty/new', 'n');
  const inner = openGit(join(repo.dir, 'moved'), repo.env);
  await inner.text(['-c', 'user.name=A', '-c', 'user.email=a@b', 'commit', '-q', '--allow-empty', '-m', 'Moved']);
  const [head, moved] = [await other.git.text(['rev-parse', 'HEAD']), await inner.text(['rev-parse', 'HEAD'])];

  const snapshot = await takeSnapshot(git, options);
  t.deepEqual(snapshot.nested, [
    {path: 'dirty', head, dirty: true},
    {path: 'moved', head: moved},
  ]);
  t.true((await git.text(['ls-tree', snapshot.tree, 'moved'])).includes(moved));
});

test('a nested repository is named with its HEAD, and a broken one is part of the tree', async t => {
  const {git, ...repo} = await tempRepo(t);
  const inner = join(repo.dir, 'nested');
  await git.text(['clone', '-q', '.', 'nested']);
  await repo.write('nested/README.md', 'changed');
  await repo.write('broken/.git/config', '');
  await repo.write('broken/file', 'f');
  const snapshot = await takeSnapshot(git, options);
  const head = await openGit(inner, repo.env).text(['rev-parse', 'HEAD']);
  t.deepEqual(snapshot.nested, [{path: 'nested', head, dirty: true}]);
  t.is(await git.text(['ls-tree', '-r', '--name-only', snapshot.tree]), 'README.md\nbroken/file');
});

// Calls `before` ahead of each git call that reads files into the index.
function meddle(git: Git, before: () => void): Git {
  return {
    ...git,
    run: (args, options) => {
      if (args.includes('--add')) before();
      return git.run(args, options);
    },
  };
}

test('a file that vanishes while we look is simply not there', async t => {
  const {git, ...repo} = await tempRepo(t);
  await repo.commit('More', {tracked: 't'});
  await repo.write('tracked', 'changed');
  await repo.write('new', 'n');
  await repo.write('other', 'o');
  const vanishing = meddle(git, () => {
    for (const path of ['tracked', 'new']) rmSync(join(repo.dir, path), {force: true});
  });
  const snapshot = await takeSnapshot(vanishing, options);
  t.deepEqual(snapshot.partial, []);
  t.is(await git.text(['ls-tree', '--name-only', snapshot.tree]), 'README.md\nother');
});

test('a file that becomes a folder while we look is looked at again', async t => {
  const {git, ...repo} = await tempRepo(t);
  await repo.write('changing', 'c');
  await repo.write('other', 'o');
  const changing = meddle(git, () => {
    rmSync(join(repo.dir, 'changing'), {recursive: true});
    mkdirSync(join(repo.dir, 'changing'));
    writeFileSync(join(repo.dir, 'changing/inside'), 'i');
  });
  const snapshot = await takeSnapshot(changing, options);
  t.deepEqual(snapshot.partial, []);
  t.is(await git.text(['ls-tree', '-r', '--name-only', snapshot.tree]), 'README.md\nchanging/inside\nother');
});

test('what can not be read in two tries is named, everything else is saved, and no old version takes its place', async t => {
  const {git, ...repo} = await tempRepo(t);
  await repo.commit('More', {'d/tracked': 'old'});
  for (let n = 0; n < 9; n++) await repo.write(`new-${n}`, 'n');
  await repo.write('d/tracked', 'changed');
  await repo.write('moved/tracked', 'changed');
  const dir = join(repo.dir, 'd');
  // While git reads, the folder is a symlink, which git refuses to go through.
  const flickering: Git = {
    ...git,
    run: async (args, options) => {
      if (!args.includes('--add')) return git.run(args, options);
      rmSync(dir, {recursive: true, force: true});
      symlinkSync('moved', dir);
      const result = await git.run(args, options);
      rmSync(dir);
      mkdirSync(dir);
      writeFileSync(join(dir, 'tracked'), 'changed');
      return result;
    },
  };

  const snapshot = await takeSnapshot(flickering, options);
  t.deepEqual(snapshot.partial, ['d/tracked']);
  const names = (await git.text(['ls-tree', '-r', '--name-only', snapshot.tree])).split('\n');
  t.deepEqual(names, ['README.md', 'moved/tracked', ...Array.from({length: 9}, (_, n) => `new-${n}`)]);
});

// Counts git's calls, and lets the nth fail.
function count(git: Git, failAt = 0): {git: Git; calls: string[]} {
  const calls: string[] = [];
  const note = (args: readonly string[]) => {
    calls.push(args.filter(arg => !arg.startsWith('-') && !arg.includes('='))[0] ?? '');
    if (calls.length === failAt) throw new Error('fault');
  };
  const counted: Git = {
    ...git,
    run: async (args, options) => {
      note(args);
      return git.run(args, options);
    },
    text: async (args, options) => {
      note(args);
      return git.text(args, options);
    },
    bytes: async (args, options) => {
      note(args);
      return git.bytes(args, options);
    },
  };
  return {git: counted, calls};
}

async function busyRepository(repo: TempRepo): Promise<void> {
  await repo.write('.gitattributes', '*.txt text\n');
  await repo.commit('More', {'a.txt': '1\r\n', b: 'b', c: 'c'});
  await repo.write('b', 'changed');
  await repo.write('d.txt', '1\r\n2\n');
  rmSync(join(repo.dir, 'c'));
}

test('whichever git call fails, the repository stays as it was and nothing is left over', async t => {
  const repo = await tempRepo(t);
  await busyRepository(repo);
  const before = await describeRepository(repo.git);
  const listing = listFolder(repo.dir);
  let failures = 0;
  for (let failAt = 1; ; failAt++) {
    const failing = count(repo.git, failAt);
    const ref = {name: 'refs/loopx/live/goal/claude@mbp', expect: null};
    const failed = await takeSnapshot(failing.git, {...options, ref}).then(
      () => false,
      () => true,
    );
    if (!failed) break;
    failures++;
    t.deepEqual(await describeRepository(repo.git), before);
    t.deepEqual(listFolder(repo.dir), listing);
    const left = readdirSync(join(repo.dir, '.git'), {recursive: true, encoding: 'utf8'});
    t.deepEqual(
      left.filter(name => /tmp-|\.lock$/.test(name)),
      [],
    );
  }

  t.true(failures > 10);
});

test('an interrupted snapshot says so and leaves nothing over', async t => {
  const {git, ...repo} = await tempRepo(t);
  const controller = new AbortController();
  const interrupted = takeSnapshot(
    meddle(git, () => controller.abort()),
    {...options, signal: controller.signal},
  );
  await repo.write('new', 'n');
  await t.throwsAsync(interrupted, {code: 'interrupted'});
  t.deepEqual(readdirSync(join(repo.dir, '.git/loopx')), []);
});

test('what a killed process left is removed a day later', async t => {
  const {git, ...repo} = await tempRepo(t);
  await repo.write('.git/loopx/tmp-old/index', '');
  await repo.write('.git/loopx/tmp-young/index', '');
  utimesSync(join(repo.dir, '.git/loopx/tmp-old'), 1_000_000_000, 1_000_000_000);
  await takeSnapshot(git, options);
  t.deepEqual(readdirSync(join(repo.dir, '.git/loopx')), ['tmp-young']);
});

test('an unchanged tree costs a dozen git processes, and no file is checked out to try it', async t => {
  const repo = await tempRepo(t);
  const plain = count(repo.git);
  await takeSnapshot(plain.git, options);
  t.true(plain.calls.length <= 12, plain.calls.join(' '));

  await repo.commit('Attributes', {'.gitattributes': '* text=auto\n', a: 'a\n'});
  const past = new Date(Date.now() - 60_000);
  for (const path of ['.gitattributes', 'README.md', 'a']) utimesSync(join(repo.dir, path), past, past);
  // The time of change can't be set, so the disk has to get older.
  await new Promise(resolve => setTimeout(resolve, 2100));
  const first = count(repo.git);
  await takeSnapshot(first.git, options);
  t.true(first.calls.includes('checkout-index'));
  const second = count(repo.git);
  await takeSnapshot(second.git, options);
  t.false(second.calls.includes('checkout-index'), second.calls.join(' '));
  rmSync(join(repo.dir, '.git/loopx'), {recursive: true});
  await takeSnapshot(repo.git, options);
});

test('a path leads to text and back to the same bytes, whatever they are', t => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.uint8Array({maxLength: 20}),
        fc.string({unit: 'binary'}).map(text => Buffer.from(text)),
      ),
      bytes => {
        t.deepEqual(pathToBytes(pathFromBytes(Buffer.from(bytes))), Buffer.from(bytes));
      },
    ),
  );
  t.is(pathFromBytes(Buffer.from('ü💀')), 'ü💀');
  t.deepEqual(pathToBytes(pathFromBytes(Buffer.from('💀\x80', 'latin1'))), Buffer.from('💀\x80', 'latin1'));
});

test('the notes of a snapshot survive their message', t => {
  const path = fc.uint8Array({minLength: 1, maxLength: 9}).map(bytes => pathFromBytes(Buffer.from(bytes)));
  const oid = fc.constantFrom('a'.repeat(40), 'b'.repeat(64));
  const head = fc.option(oid);
  const text = fc.option(fc.string());
  const notes = fc.record({
    head,
    branch: text,
    indexTree: head,
    maxFileSizeBytes: fc.nat(),
    lineEnds: fc.record({autocrlf: text, eol: text}),
    partial: fc.array(path),
    raw: fc.array(fc.record({path, blob: oid})),
    nested: fc.array(fc.record({path, head, dirty: fc.constant(true as const)}, {requiredKeys: ['path', 'head']})),
    large: fc.array(fc.record({path, sizeBytes: fc.nat(), sha256: oid})),
  });
  fc.assert(
    fc.property(fc.string({unit: 'binary'}), notes, (message, notes) => {
      t.deepEqual(parseNotes(formatNotes(message, notes), 'x'), notes);
    }),
  );
});
