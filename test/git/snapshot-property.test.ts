// Random work, a snapshot, random damage, a restore: every saved byte is back, and nothing else is left but what is
// ignored. Names are few, so that files meet folders and links; contents are those that line ends and attributes change.
import {chmodSync, lstatSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync} from 'node:fs';
import {dirname, join} from 'node:path';
import test from 'ava';
import fc from 'fast-check';
import {restoreSnapshot} from '../../lib/git/restore.ts';
import {takeSnapshot} from '../../lib/git/snapshot.ts';
import {describeRepository, listFolder} from '../support/listing.ts';
import {type TempRepo, tempRepo} from '../support/repo.ts';

const path = fc.constantFrom('a', 'b.txt', 'd', 'd/a', 'd/b.txt', 'd/e', 'd/e/c', 'ü', 'i/x', 'd/i');
const content = fc.constantFrom('', '1\n', '2\n', '1\r\n2\r\n', '1\r\n2\n', '1\r\r\n', '\r', '$Id$\n', '\0\r\n', 'ä\n');
const operation = fc.oneof(
  {weight: 6, arbitrary: fc.record({kind: fc.constant('write' as const), path, content})},
  {weight: 2, arbitrary: fc.record({kind: fc.constant('delete' as const), path})},
  {weight: 2, arbitrary: fc.record({kind: fc.constant('chmod' as const), path})},
  {weight: 2, arbitrary: fc.record({kind: fc.constant('rename' as const), path, to: path})},
  {
    weight: 2,
    arbitrary: fc.record({kind: fc.constant('link' as const), path, to: fc.constantFrom('d', 'a', '..', 'no')}),
  },
  {weight: 2, arbitrary: fc.record({kind: fc.constant('stage' as const), path})},
  {weight: 1, arbitrary: fc.record({kind: fc.constant('unstage' as const), path})},
  {weight: 1, arbitrary: fc.record({kind: fc.constant('commit' as const)})},
  {
    weight: 1,
    arbitrary: fc.record({kind: fc.constant('autocrlf' as const), to: fc.constantFrom('true', 'input', 'false')}),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('attributes' as const),
      to: fc.constantFrom('* text=auto\n', '*.txt text eol=crlf\n', '* ident\n', '* -text\n', ''),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({kind: fc.constant('ignore' as const), to: fc.constantFrom('i\n', '/d\n', 'a\n', '')}),
  },
);
type Operation = typeof operation extends fc.Arbitrary<infer T> ? T : never;

test('random work survives random damage', async t => {
  const operations = fc.array(operation, {minLength: 1, maxLength: 12});
  await fc.assert(
    fc.asyncProperty(operations, operations, async (work, damage) => {
      const repo = await tempRepo(t, {commit: false});
      for (const step of work) await play(repo, step);
      const ignored = await listIgnored(repo);
      const before = listFolder(repo.dir);
      const state = await describeRepository(repo.git);
      const snapshot = await takeSnapshot(repo.git, {maxFileSizeBytes: 1000, message: 'Before the damage'});
      if (snapshot.partial.length > 0) throw new Error(`not read: ${snapshot.partial}`);
      same(await describeRepository(repo.git), state);
      same(listFolder(repo.dir), before);

      for (const step of damage) await play(repo, step);
      const mayStay = new Set([...ignored, ...(await listIgnored(repo))]);
      const stateAfter = await describeRepository(repo.git);
      const {kept} = await restoreSnapshot(repo.git, snapshot);
      for (const name of await listIgnored(repo)) mayStay.add(name);
      same(await describeRepository(repo.git), stateAfter);
      const mayMiss = new Set(kept.map(({path}) => path));
      if (mayStay.size === 0) same(kept, []);
      const saved = (name: string) => !ignored.has(name) && !mayMiss.has(name);
      const after = listFolder(repo.dir);
      same(
        pick(after, name => name in before && saved(name)),
        pick(before, saved),
      );
      same(
        Object.keys(after).filter(name => !(name in before) && !mayStay.has(name)),
        [],
      );
      rmSync(repo.dir, {recursive: true});
    }),
    {numRuns: 25},
  );
  t.pass();
});

function same(actual: unknown, expected: unknown): void {
  const [one, other] = [JSON.stringify(actual, null, 1), JSON.stringify(expected, null, 1)];
  if (one !== other) throw new Error(`${one}\nis not\n${other}`);
}

function pick(listing: Record<string, string>, chosen: (name: string) => boolean): [string, string][] {
  return Object.entries(listing)
    .filter(([name]) => chosen(name))
    .sort(([one], [other]) => (one < other ? -1 : 1));
}

async function listIgnored({git}: TempRepo): Promise<Set<string>> {
  const output = await git.bytes(['ls-files', '-z', '-o', '-i', '--exclude-standard']);
  return new Set(output.toString('latin1').split('\0').filter(Boolean));
}

async function play({dir, git, ...repo}: TempRepo, step: Operation): Promise<void> {
  const at = 'path' in step ? join(dir, step.path) : dir;
  switch (step.kind) {
    case 'write':
      clearWay(dir, step.path);
      return writeFileSync(at, step.content);
    case 'delete':
      if (isThere(dir, step.path)) rmSync(at, {recursive: true});
      return;
    case 'chmod':
      if (isThere(dir, step.path) && lstatSync(at).isFile()) chmodSync(at, lstatSync(at).mode ^ 0o111);
      return;
    case 'rename': {
      if (!isThere(dir, step.path) || `${step.to}/`.startsWith(`${step.path}/`)) return;
      const aside = join(dir, '../aside');
      renameSync(at, aside);
      clearWay(dir, step.to);
      return renameSync(aside, join(dir, step.to));
    }
    case 'link':
      clearWay(dir, step.path);
      return symlinkSync(step.to, at);
    case 'stage':
      await git.run(['add', '-f', '--', step.path]);
      return;
    case 'unstage':
      await git.run(['rm', '-rq', '--cached', '--', step.path]);
      return;
    case 'commit':
      await repo.commit();
      return;
    case 'autocrlf':
      await git.text(['config', 'core.autocrlf', step.to]);
      return;
    case 'attributes':
      return writeFileSync(join(dir, '.gitattributes'), step.to);
    case 'ignore':
      return writeFileSync(join(dir, '.gitignore'), step.to);
  }
}

function isThere(dir: string, path: string): boolean {
  const parent = dirname(path);
  if (parent !== '.' && !isFolder(dir, parent)) return false;
  return lstatSync(join(dir, path), {throwIfNoEntry: false}) !== undefined;
}

function isFolder(dir: string, path: string): boolean {
  return isThere(dir, path) && lstatSync(join(dir, path)).isDirectory();
}

// Makes room for a new file, so that the folders above it are folders.
function clearWay(dir: string, path: string): void {
  const parent = dirname(path);
  if (parent !== '.' && !isFolder(dir, parent)) {
    clearWay(dir, parent);
    mkdirSync(join(dir, parent));
  }

  if (isThere(dir, path)) rmSync(join(dir, path), {recursive: true});
}
