// In every form of repository a goal is played from connect to disconnect: each step succeeds, or is refused with a
// sentence that says why, and nothing of the user's is touched. `npm run forms` prints what the README says of it.
import {readFile} from 'node:fs/promises';
import {join} from 'node:path';
import test from 'ava';
import {loopx, loopxJson} from '../support/loopx.ts';
import {forms} from './forms.ts';
import {cloneOf, withRemote} from './place.ts';
import {playForm} from './play.ts';
import {formsTable, promised} from './table.ts';

/** The traps of which a form is the test. */
const traps: Readonly<Record<string, string>> = {
  'a linked worktree': 'traps 24, 37',
  'a worktree of a bare repository': 'traps 24, 38, C54',
  'a submodule': 'traps 24, 41',
  'SHA-256': 'trap 39',
  'reftable (git 2.45 or newer)': 'trap 39',
  'worktrees with settings of their own (`extensions.worktreeConfig`)': 'trap 39',
  "called by another repository's hook (`GIT_DIR`)": 'trap 28',
  'somebody holds `index.lock`': 'trap 31, C51',
  'commits signed by a program that never answers': 'trap 33, C50',
  'nobody told git a name': 'trap 42',
  'line ends that git converts': 'C49',
};

for (const form of forms) {
  if (form.missing) {
    process.stderr.write(`${form.name}: not tried. ${form.missing}\n`);
    continue;
  }

  const why = traps[form.name];
  test(why ? `${form.name} (${why})` : form.name, async t => {
    const {cells, harm} = await playForm(t, form);
    t.deepEqual({cells, harm: [...harm]}, {cells: promised(form).cells, harm: []});
  });
}

test('the README has the table of repositories', async t => {
  const readme = await readFile(new URL('../../README.md', import.meta.url), 'utf8');
  t.true(readme.includes(`\n${formsTable(forms.map(promised))}`), 'Print it with `npm run forms`.');
});

test("fetching a goal's history leaves the code as shallow as it was (traps 12, 51)", async t => {
  const repo = await withRemote(t);
  await loopx(t, repo, ['connect']);
  await loopxJson(t, repo, ['start-goal', '--goal-text', 'Travel']);
  for (const title of ['One', 'Two']) await loopxJson(t, repo, ['todo', 'add', title]);
  await loopxJson(t, repo, ['sync']);

  for (const [name, args, events] of [
    ['shallow', ['--depth=1'], 3],
    ['partial', ['--depth=1', '--filter=blob:none'], 4],
  ] as const) {
    const clone = await cloneOf(repo, args, name);
    const shallow = async () => readFile(join(clone.dir, '.git/shallow'), 'utf8');
    const before = await shallow();
    await loopx(t, clone, ['connect']);
    await clone.git.text(['fetch', '-q']);
    await loopxJson(t, clone, ['sync']);
    t.is(await shallow(), before, name);
    t.is(await clone.git.text(['rev-list', '--count', 'HEAD']), '1');
    t.like(await loopxJson(t, clone, ['fsck']), {ok: true, goals: 1, events});
    await loopxJson(t, clone, ['todo', 'add', `From ${name}`]);
    await loopxJson(t, clone, ['sync']);
    t.is(await shallow(), before, name);
  }

  await loopxJson(t, repo, ['sync']);
  t.like(await loopxJson(t, repo, ['status']), {todos: {open: 4}});
});
