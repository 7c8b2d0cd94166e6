import test, {type ExecutionContext} from 'ava';
import {openGit} from '../../lib/git/command.ts';
import {appendNoteLines, notesRef, readNotes} from '../../lib/git/notes.ts';
import {mergeNotes} from '../../lib/git/notes-merge.ts';
import {openRepository} from '../../lib/git/repository.ts';
import {type TempRepo, tempRepo} from '../support/repo.ts';
import {testWorld} from '../support/world.ts';

const world = testWorld();
const identity = {name: 'Ada', mail: 'ada@example.org', seconds: 1_767_268_800};

async function setUp(t: ExecutionContext, options: Parameters<typeof tempRepo>[1] = {}) {
  const repo = await tempRepo(t, options);
  const {git, gitDir} = await openRepository(repo.dir, repo.env);
  const add = (lines: Record<string, readonly string[]>, seconds = identity.seconds) =>
    appendNoteLines({git, gitDir, world, identity: {...identity, seconds}}, new Map(Object.entries(lines)));
  const at = (commit: string | undefined) =>
    commit ? git.text(['update-ref', notesRef, commit]) : git.text(['update-ref', '-d', notesRef]);
  const tip = () => git.text(['rev-parse', notesRef]);
  const merge = (theirs: string) => mergeNotes(git, gitDir, theirs, world);
  return {...repo, git, add, at, tip, merge};
}

/** Merges both ways round and returns the one commit that comes of it. */
async function mergeBoth(t: ExecutionContext, repo: Awaited<ReturnType<typeof setUp>>, one: string, other: string) {
  await repo.at(one);
  const {tip} = await repo.merge(other);
  await repo.at(other);
  t.is((await repo.merge(one)).tip, tip, 'the other way round makes the same commit');
  t.deepEqual(await repo.merge(one), {tip, isNew: false}, 'what was taken in is there');
  return tip;
}

test('notes of two machines are united line by line, by the same commit on both (traps 1, 7)', async t => {
  const repo = await setUp(t);
  const [a, b, c] = [await repo.commit('a'), await repo.commit('b'), await repo.commit('c')];
  await repo.add({[a]: ['common=1']});
  const base = await repo.tip();
  await repo.add({[a]: ['mine=1'], [b]: ['mine=2']});
  const ours = await repo.tip();
  await repo.at(base);
  await repo.add({[a]: ['theirs=1'], [c]: ['theirs=3']}, identity.seconds + 60);
  const theirs = await repo.tip();
  const merged = await mergeBoth(t, repo, ours, theirs);
  t.deepEqual(
    await readNotes(repo.git, [a, b, c]),
    new Map([
      [a, ['common=1', 'mine=1', 'theirs=1']],
      [b, ['mine=2']],
      [c, ['theirs=3']],
    ]),
  );
  t.deepEqual((await repo.git.text(['show', '-s', '--format=%P%n%an <%ae> %at%n%cn %ct%n%s', merged])).split('\n'), [
    [ours, theirs].sort().join(' '),
    `loopx <loopx@loopx.invalid> ${identity.seconds + 60}`,
    `loopx ${identity.seconds + 60}`,
    'merge two histories of notes',
  ]);
});

test('notes are taken over where there are none, and forwarded where the other side is ahead', async t => {
  const repo = await setUp(t);
  const a = await repo.commit('a');
  await repo.add({[a]: ['one=1']});
  const first = await repo.tip();
  await repo.add({[a]: ['two=2']});
  const second = await repo.tip();
  await repo.at(undefined);
  t.deepEqual(await repo.merge(first), {tip: first, isNew: true});
  t.deepEqual(await repo.merge(second), {tip: second, isNew: true});
  t.deepEqual(await repo.merge(first), {tip: second, isNew: false});
});

test('notes that began independently of each other are united, too (trap 8)', async t => {
  const repo = await setUp(t, {init: ['--object-format=sha256']});
  const a = await repo.commit('a');
  await repo.add({[a]: ['one=1']});
  const one = await repo.tip();
  await repo.at(undefined);
  await repo.add({[a]: ['two=2']});
  await mergeBoth(t, repo, one, await repo.tip());
  t.deepEqual([...(await readNotes(repo.git, [a])).values()], [['one=1', 'two=2']]);
});

test('thousands of notes are united in no time, also where their folders differ (trap 50)', async t => {
  const repo = await setUp(t);
  const objects = await manyObjects(repo, 3000);
  const lines = (from: number, to: number, text: string) =>
    Object.fromEntries(objects.slice(from, to).map(id => [id, [text]]));
  const write = (notes: Record<string, string[]>) => importFlat(repo, notes);
  // One side keeps all of them in one folder, as other writers do; the other in as many as git makes.
  const flat = await write(lines(0, 2000, 'flat=1'));
  await repo.at(undefined);
  for (const [id, [text]] of Object.entries(lines(1000, 1001, 'deep=1'))) await repo.add({[id]: [text!]});
  await repo.git.text(['notes', '--ref', notesRef, 'copy', '--stdin'], {
    input: objects
      .slice(1001, 3000)
      .map(id => `${objects[1000]} ${id}\n`)
      .join(''),
  });
  const deep = await repo.tip();
  const startedMs = Date.now();
  const merged = await mergeBoth(t, repo, flat, deep);
  t.true(Date.now() - startedMs < 15_000);
  const listed = (await repo.git.text(['notes', '--ref', notesRef, 'list']))
    .split('\n')
    .map(line => line.split(' ')[1]);
  t.is(new Set(listed).size, 3000);
  t.is(listed.length, 3000, 'no object has two notes');
  const show = (index: number) => repo.git.text(['notes', '--ref', notesRef, 'show', objects[index]!]);
  t.deepEqual([await show(5), await show(1500), await show(2500)], ['flat=1', 'deep=1\nflat=1', 'deep=1']);
  t.is(await repo.tip(), merged);
});

for (const turn of [1, 2, 3, 4]) {
  // Which parent comes first hangs on their ids.
  test(`a note of bytes that are no text of ours is kept where only one side has it: ${turn}`, async t => {
    const repo = await setUp(t);
    const [a, b] = [await repo.commit('a'), await repo.commit('b')];
    const blob = await repo.git.text(['hash-object', '-w', '--stdin'], {input: Buffer.from([0xff, 0xfe, 0x0a])});
    await repo.git.text(['notes', '--ref', notesRef, 'add', '-C', blob, a]);
    const one = await repo.tip();
    await repo.at(undefined);
    await repo.add({[b]: [`two=${turn}`]});
    await mergeBoth(t, repo, one, await repo.tip());
    t.is(await repo.git.text(['notes', '--ref', notesRef, 'list', a]), blob);
  });
}

async function manyObjects(repo: TempRepo, count: number): Promise<readonly string[]> {
  const stream = ['feature done\n'];
  for (let index = 1; index <= count; index += 1) {
    stream.push(`commit refs/heads/many\nmark :${index}\ncommitter A <a@b> ${index} +0000\ndata 1\nx\n`);
  }

  await openGit(repo.dir, repo.env).text(['fast-import', '--quiet', '--date-format=raw'], {
    input: `${stream.join('')}done\n`,
  });
  return (await repo.git.text(['rev-list', 'refs/heads/many'])).split('\n');
}

async function importFlat(repo: TempRepo, notes: Record<string, readonly string[]>): Promise<string> {
  const files = Object.entries(notes).map(
    ([id, [text = '']]) => `M 100644 inline ${id}\ndata ${text.length + 1}\n${text}\n\n`,
  );
  await repo.git.text(['fast-import', '--quiet', '--date-format=raw'], {
    input: `feature done\ncommit ${notesRef}\ncommitter A <a@b> 5 +0000\ndata 1\nx\n${files.join('')}done\n`,
  });
  return repo.git.text(['rev-parse', notesRef]);
}
