import test from 'ava';
import {openGit} from '../../lib/git/command.ts';
import {appendNoteLines, readNotes} from '../../lib/git/notes.ts';
import {openRepository} from '../../lib/git/repository.ts';
import {realWorld} from '../loop/real-world.ts';
import {tempRepo} from '../support/repo.ts';

const identity = {name: 'loopx', mail: 'loopx@loopx.invalid', seconds: 1_767_268_800};

async function writerOf(dir: string, env: Record<string, string>) {
  const {git, gitDir} = await openRepository(dir, env);
  return {git, gitDir, world: realWorld, identity};
}

test('lines are added to what a commit has, once each, and git shows them (trap 59)', async t => {
  const {dir, git, env, commit} = await tempRepo(t);
  const writer = await writerOf(dir, env);
  const [one, two] = [await commit('one'), await commit('two')];
  t.deepEqual(await readNotes(git, [one]), new Map());
  t.is(
    await appendNoteLines(
      writer,
      new Map([
        [one, ['a=1', 'a=1']],
        [two, ['b=2']],
      ]),
    ),
    2,
  );
  t.is(await appendNoteLines(writer, new Map([[one, ['a=1', 'c="3 ü"']]])), 1);
  t.is(await appendNoteLines(writer, new Map([[one, ['a=1']]])), 0);
  t.deepEqual(
    await readNotes(git, [one, two]),
    new Map([
      [one, ['a=1', 'c="3 ü"']],
      [two, ['b=2']],
    ]),
  );
  t.is(await git.text(['log', '--notes=loopx', '--format=%N', '-1', one]), 'a=1\nc="3 ü"\n');
});

test('twenty writers at once lose nothing (trap 1)', async t => {
  const {dir, git, env, commit} = await tempRepo(t);
  const writer = await writerOf(dir, env);
  const commits = [await commit('one'), await commit('two')];
  const writers = Array.from({length: 20}, (_, n) => appendNoteLines(writer, new Map([[commits[n % 2]!, [`n=${n}`]]])));
  t.deepEqual(await Promise.all(writers), Array(20).fill(1));
  const notes = await readNotes(git, commits);
  t.is(new Set([...notes.values()].flat()).size, 20);
});

test('hundreds of notes, which git keeps in folders, and those of git in between stay one a commit (trap 50)', async t => {
  const {dir, git, env} = await tempRepo(t);
  const writer = await writerOf(dir, env);
  const stream = Array.from({length: 400}, (_, n) => {
    return `commit refs/heads/many\ncommitter a <a@b> ${n} +0000\ndata 1\nx\n`;
  });
  await git.text(['fast-import', '--quiet'], {input: stream.join('')});
  const commits = (await git.text(['rev-list', 'refs/heads/many'])).split('\n');
  t.is(await appendNoteLines(writer, new Map(commits.map(commit => [commit, ['first=1']]))), 400);
  await git.text(['notes', '--ref=loopx', 'append', '-m', 'by=git', commits[7]!]);
  t.is(await appendNoteLines(writer, new Map(commits.map(commit => [commit, ['second=2']]))), 400);
  const notes = await readNotes(git, commits);
  t.deepEqual(notes.get(commits[7]!), ['first=1', 'by=git', 'second=2']);
  t.true(commits.every(commit => commit === commits[7] || notes.get(commit)?.join() === 'first=1,second=2'));
  t.is((await git.text(['notes', '--ref=loopx', 'list'])).split('\n').length, 400);
});

test('a commit that is not here is passed over, and the note that is already on it stays (trap 12)', async t => {
  const {dir, git, env, commit} = await tempRepo(t);
  const writer = await writerOf(dir, env);
  const here = await commit('here');
  const gone = 'f'.repeat(40);
  t.is(
    await appendNoteLines(
      writer,
      new Map([
        [here, ['a=1']],
        [gone, ['a=1']],
      ]),
    ),
    1,
  );
  t.deepEqual([...(await readNotes(git, [gone, here])).keys()], [here]);
});

test('what the user has set for notes and logs changes nothing', async t => {
  const {dir, git, env, commit} = await tempRepo(t);
  const writer = await writerOf(dir, env);
  const one = await commit('one');
  await git.text(['notes', 'add', '-m', 'mine', one]);
  await git.text(['notes', '--ref=other', 'add', '-m', 'other', one]);
  for (const [key, value] of [
    ['notes.displayRef', 'refs/notes/*'],
    ['log.showSignature', 'true'],
    ['color.ui', 'always'],
    ['format.pretty', 'oneline'],
    ['core.notesRef', 'refs/notes/other'],
  ]) {
    await git.text(['config', key!, value!]);
  }

  await appendNoteLines(writer, new Map([[one, ['a=1']]]));
  t.deepEqual(await readNotes(git, [one]), new Map([[one, ['a=1']]]));
  t.is(await git.text(['notes', '--ref=commits', 'show', one]), 'mine');
});

test('a lock that git left behind is named, and nothing is lost (trap 32)', async t => {
  const {dir, git, env, commit, write} = await tempRepo(t);
  const writer = await writerOf(dir, env);
  const one = await commit('one');
  await appendNoteLines(writer, new Map([[one, ['a=1']]]));
  await write('.git/refs/notes/loopx.lock', '');
  const error = await t.throwsAsync(appendNoteLines(writer, new Map([[one, ['b=2']]])), {code: 'git-locked'});
  t.regex(String((error as {hint?: string}).hint), /loopx\.lock/);
  t.deepEqual(await readNotes(git, [one]), new Map([[one, ['a=1']]]));
});

test('what git itself joins in a squash is read line by line (trap 14)', async t => {
  const {git, commit} = await tempRepo(t);
  const one = await commit('one');
  await git.text(['notes', '--ref=loopx', 'add', '-m', 'a=1\n\na=1\n\nb=2', one]);
  t.deepEqual(await readNotes(openGit(git.dir, git.env), [one]), new Map([[one, ['a=1', 'a=1', 'b=2']]]));
});
