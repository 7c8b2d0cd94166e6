import * as nodeFs from 'node:fs';
import {mkdir, readdir, readFile, rm, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import test from 'ava';
import git from 'isomorphic-git';
import {amendGoal} from '../../lib/change/goal.ts';
import {addTodo} from '../../lib/change/todo.ts';
import {Failure} from '../../lib/failure.ts';
import {openRepository} from '../../lib/git/repository.ts';
import type {Todo} from '../../lib/model/todo.ts';
import {changeGoal, type Writer} from '../../lib/store/append.ts';
import {fsckGoal} from '../../lib/store/fsck.ts';
import {openGitStore} from '../../lib/store/git-store.ts';
import type {GoalStore} from '../../lib/store/goal-store.ts';
import {memoryStore} from '../../lib/store/memory-store.ts';
import {mergeGoal} from '../../lib/store/merge.ts';
import {viewGoal} from '../../lib/store/view.ts';
import {type TempRepo, tempRepo} from '../support/repo.ts';
import {testGitStore, testGoal, testWriter, treesOf} from '../support/store.ts';
import {testWorld} from '../support/world.ts';

/** Fails the next `times` writes. */
function failingWrites(store: GoalStore, times: number, before: () => Promise<void> | void): GoalStore {
  let left = times;
  return {
    ...store,
    write: async commit => {
      if (left > 0) {
        left -= 1;
        await before();
      }

      return store.write(commit);
    },
  };
}

test('whoever loses a race looks again and writes what still holds', async t => {
  const store = memoryStore();
  const rival = testWriter(store, testWorld({seed: 2}));
  const {goal} = await testGoal(rival);
  const lost = failingWrites(store, 3, async () => void (await changeGoal(rival, goal, addTodo({title: 'rival'}))));
  let looked = 0;
  const {tip} = await changeGoal(testWriter(lost), goal, (view, draw) => {
    looked += 1;
    return addTodo({title: `mine after ${view.goal.totals.todos}`})(view, draw);
  });
  t.is(looked, 4);
  const todos = await (await viewGoal(store, goal, tip)).all<Todo>('todos');
  t.deepEqual(todos.map(({title}) => title).sort(), ['mine after 3', 'rival', 'rival', 'rival']);
  t.deepEqual((await fsckGoal(store, tip)).problems, []);
});

test('whoever keeps losing gives up in the end, and nothing of it is written', async t => {
  const store = memoryStore();
  const rival = testWriter(store, testWorld({seed: 2}));
  const {goal} = await testGoal(rival);
  const lost = failingWrites(store, 1000, async () => void (await changeGoal(rival, goal, amendGoal('rival'))));
  await t.throwsAsync(changeGoal(testWriter(lost), goal, amendGoal('mine')), {code: 'ref-moved'});
  const {goal: state} = await viewGoal(store, goal, (await store.tips()).get(goal)!);
  t.true(state.amendments.every(({text}) => text === 'rival'));
});

test('a failure that is no lost race is not tried again', async t => {
  const store = memoryStore();
  const {goal, tip} = await testGoal(testWriter(store));
  let writes = 0;
  const full = failingWrites(store, 1000, () => {
    writes += 1;
    throw new Failure('git-failed', 'git fast-import failed: No space left on device');
  });
  await t.throwsAsync(changeGoal(testWriter(full), goal, amendGoal('mine')), {code: 'git-failed', message: /No space/});
  t.is(writes, 1);
  t.is((await store.tips()).get(goal), tip);
});

test('there is no goal where none was made', async t => {
  await t.throwsAsync(changeGoal(testWriter(memoryStore()), 'none-0000', amendGoal('x')), {code: 'no-goal'});
});

async function gitGoal(t: Parameters<typeof tempRepo>[0], options: Parameters<typeof tempRepo>[1] = {commit: false}) {
  const repo = await tempRepo(t, options);
  const store = await testGitStore(t, repo);
  const writer = testWriter(store);
  const {goal, tip} = await testGoal(writer);
  return {repo, store, writer, goal, tip, ref: `refs/loopx/goals/${goal}`};
}

test('a lock that git left behind is named, with its file, and not removed (trap 32)', async t => {
  const {repo, writer, goal, tip, store, ref} = await gitGoal(t);
  const lock = join(repo.dir, '.git', `${ref}.lock`);
  await writeFile(lock, '');
  const error = await t.throwsAsync<Failure>(changeGoal(writer, goal, amendGoal('x')), {code: 'git-locked'});
  t.true(error?.hint?.includes(lock), error?.hint);
  t.is((await readFile(lock)).length, 0, 'the lock is still there');
  t.is((await store.tips()).get(goal), tip);
  await t.throwsAsync(store.forward(goal, tip, tip), {code: 'git-locked'});
  await rm(lock);
  await t.notThrowsAsync(changeGoal(writer, goal, amendGoal('x')));
  t.deepEqual(
    (await readdir(join(repo.dir, '.git'))).filter(name => /crash/.test(name)),
    [],
  );
});

test('where git cannot write, nothing has happened and the failure says so', async t => {
  const {repo, writer, goal, tip, store} = await gitGoal(t);
  // A file in the place of a folder stops root as well.
  await rm(join(repo.dir, '.git', 'objects', 'pack'), {recursive: true});
  await writeFile(join(repo.dir, '.git', 'objects', 'pack'), '');
  const error = await t.throwsAsync<Failure>(changeGoal(writer, goal, amendGoal('x')), {code: 'git-failed'});
  t.regex(error?.message ?? '', /Not a directory/, 'the cause, not where git put its report');
  t.is((await store.tips()).get(goal), tip);
  t.deepEqual(
    (await readdir(join(repo.dir, '.git'))).filter(name => /crash/.test(name)),
    [],
  );
});

test('a write that git gives up in the middle leaves no report behind and says why', async t => {
  const {repo, goal, tip, store} = await gitGoal(t);
  const who = {name: 'x', mail: 'y', seconds: 0};
  const commit = {goal, expected: tip, parents: [tip, 'f'.repeat(40)], base: 'parent' as const, files: new Map()};
  const write = store.write({...commit, message: 'm', author: who, committer: who});
  const error = await t.throwsAsync<Failure>(write, {code: 'git-failed'});
  t.regex(error?.message ?? '', /ffffffff/);
  t.is((await store.tips()).get(goal), tip);
  t.deepEqual(
    (await readdir(join(repo.dir, '.git'))).filter(name => /crash/.test(name)),
    [],
  );
});

test('a goal whose ref is broken is unreadable, not absent, and can be put back (trap 5)', async t => {
  const {repo, store, writer, goal, tip, ref} = await gitGoal(t);
  await testGoal(testWriter(store, testWorld({seed: 7})));
  await writeFile(join(repo.dir, '.git', ref), '');
  const error = await t.throwsAsync<Failure>(store.tips(), {code: 'state-unreadable', message: new RegExp(ref)});
  await t.throwsAsync(changeGoal(writer, goal, amendGoal('x')), {code: 'state-unreadable'});
  t.regex(error?.hint ?? '', /lost-found.*update-ref/);

  const {stdout} = await repo.git.run(['fsck', '--lost-found']);
  t.true(stdout.toString().includes(`dangling commit ${tip}`));
  await rm(join(repo.dir, '.git', ref));
  await repo.git.text(['update-ref', ref, tip]);
  await t.notThrowsAsync(changeGoal(writer, goal, amendGoal('x')));
});

/** Puts a commit on a goal as somebody with an editor would. */
async function commitByHand(
  repo: TempRepo,
  ref: string,
  files: Record<string, string>,
  message: string,
): Promise<string> {
  const tip = await repo.git.text(['rev-parse', ref]);
  const index = {GIT_INDEX_FILE: join(repo.dir, '.git', 'by-hand')};
  await repo.git.text(['read-tree', tip], {env: index});
  for (const [path, content] of Object.entries(files)) {
    const blob = await repo.git.text(['hash-object', '-w', '--stdin'], {input: content});
    await repo.git.text(['update-index', '--add', '--cacheinfo', `100644,${blob},${path}`], {env: index});
  }

  const tree = await repo.git.text(['write-tree'], {env: index});
  const commit = await repo.git.text(['commit-tree', tree, '-p', tip], {input: message});
  await repo.git.text(['update-ref', ref, commit]);
  return commit;
}

for (const [what, content] of Object.entries({
  'no YAML': 'format: [1\n',
  'a merge conflict': '<<<<<<< ours\nformat: 1\n=======\nformat: 1\n>>>>>>> theirs\n',
  empty: '',
  'another document': 'hello: world\n',
  'only half of it': 'format: 1\nid: x\nopen: []\n',
})) {
  test(`a goal.yaml that is ${what} is unreadable, never an empty goal, and nothing is written onto it (trap 5)`, async t => {
    const {repo, store, writer, goal, ref} = await gitGoal(t);
    const broken = await commitByHand(repo, ref, {'goal.yaml': content}, 'broke it');
    await t.throwsAsync(viewGoal(store, goal, broken), {code: 'state-unreadable'});
    await t.throwsAsync(changeGoal(writer, goal, amendGoal('x')), {code: 'state-unreadable'});
    t.is((await store.tips()).get(goal), broken);
  });
}

test('a record that somebody broke is unreadable, not absent (trap 5)', async t => {
  const {repo, store, writer, goal, ref} = await gitGoal(t);
  const {events} = await changeGoal(writer, goal, addTodo({title: 'one'}));
  const path = `todos/${events[0]!.todo}.yaml`;
  const broken = await commitByHand(repo, ref, {[path]: '}'}, 'broke it');
  const view = await viewGoal(store, goal, broken);
  await t.throwsAsync(view.all('todos'), {code: 'state-unreadable', message: new RegExp(path)});
  await t.throwsAsync(view.find('t', 't-'), {code: 'not-found'});
  await t.throwsAsync(view.find('t', String(events[0]!.todo)), {code: 'state-unreadable'});
});

test('a record whose object git has lost is unreadable, not absent (trap 5)', async t => {
  const {repo, store, writer, goal} = await gitGoal(t);
  const {tip, events} = await changeGoal(writer, goal, addTodo({title: 'one'}));
  const blob = await repo.git.text(['rev-parse', `${tip}:todos/${events[0]!.todo}.yaml`]);
  await rm(join(repo.dir, '.git', 'objects', blob.slice(0, 2), blob.slice(2)));
  const view = await viewGoal(store, goal, tip);
  await t.throwsAsync(view.all('todos'), {code: 'state-unreadable', message: /lost/});
  await t.throwsAsync(view.find('t', String(events[0]!.todo)), {code: 'state-unreadable'});
});

const foreign = (event: string, clock: number) =>
  `later\n\n- event: ${event}\n  id: 01JDZ5Q0M8V4AAAAAAAAAAAAAA\n  clock: ${clock}\n  at: 2026-01-01T12:00:00Z\n  by: x@y\n`;

test('a goal with an event of a later version can be read, not written', async t => {
  const {repo, store, writer, goal, tip, ref} = await gitGoal(t);
  const later = await commitByHand(repo, ref, {}, foreign('goal.exploded', 2));
  t.is((await viewGoal(store, goal, later)).goal.objective, 'Port storage to Python 3');
  await t.throwsAsync(changeGoal(writer, goal, amendGoal('x')), {code: 'state-newer'});
  t.is((await store.tips()).get(goal), later);
  t.like((await fsckGoal(store, later)).problems[0], {commit: later, code: 'unreadable'});

  await repo.git.text(['update-ref', ref, tip]);
  const {tip: ours} = await changeGoal(writer, goal, amendGoal('x'));
  await t.throwsAsync(mergeGoal(store, goal, ours, later), {code: 'state-newer'});
  t.is((await store.tips()).get(goal), ours);
});

test('a goal of a later format can be read, not written', async t => {
  const {repo, store, writer, goal, tip, ref} = await gitGoal(t);
  const yaml = (await store.read(tip, ['goal.yaml'])).get('goal.yaml')!;
  const later = await commitByHand(
    repo,
    ref,
    {'goal.yaml': `${yaml.replace('format: 1', 'format: 2')}novelty: {"a":[1]}\n`},
    foreign('goal.amended', 2).replace('by:', 'text: x\n  by:'),
  );
  t.is((await viewGoal(store, goal, later)).goal.format, 2);
  await t.throwsAsync(changeGoal(writer, goal, amendGoal('x')), {code: 'state-newer'});
  t.is((await store.tips()).get(goal), later);
});

test('a commit that holds no events is nothing to go on from', async t => {
  const {repo, writer, goal, ref} = await gitGoal(t);
  await commitByHand(repo, ref, {'notes.txt': 'hi'}, 'some notes');
  await t.throwsAsync(changeGoal(writer, goal, amendGoal('x')), {code: 'state-unreadable'});
});

test('a text of an agent is made well-formed, without secrets, and not too long (traps 52, 53, 54)', async t => {
  const store = memoryStore();
  const writer: Writer = {...testWriter(store), redact: text => text.replaceAll('hunter2', '[redacted]')};
  const {goal} = await testGoal(writer);
  const {events} = await changeGoal(writer, goal, amendGoal('a\0b \ud800 hunter2'));
  t.is(events[0]!.text, 'a\ufffdb \ufffd [redacted]');
  const {tip, events: long} = await changeGoal(writer, goal, amendGoal(`${'x'.repeat(70_000)} hunter2`));
  t.regex(String(long[0]!.text), /x… \[cut; 70011 bytes, sha256 [0-9a-f]{64}\]$/);
  t.deepEqual((await fsckGoal(store, tip)).problems, []);
});

/** Writes, reads and checks a goal, as every repository has to allow. */
async function works(t: Parameters<typeof tempRepo>[0], repo: {dir: string; env: Record<string, string>}, length = 40) {
  const store = await testGitStore(t, repo);
  const ada = testWriter(store, testWorld({seed: repo.dir.length}), 'Grüße Ünal <ü@example.org>');
  const {goal} = await testGoal(ada, {objective: 'Größe 世界 👩‍👧'});
  const {tip, events} = await changeGoal(ada, goal, addTodo({title: 'ß 世界', detail: 'zwei\nZeilen'}));
  t.is(tip.length, length);
  const view = await viewGoal(store, goal, tip);
  t.is(view.goal.objective, 'Größe 世界 👩‍👧');
  t.is((await view.find<Todo>('t', String(events[0]!.todo))).detail, 'zwei\nZeilen');
  const {tree, folded} = await treesOf(store, tip);
  t.is(tree, folded);
  t.deepEqual((await fsckGoal(store, tip)).problems, []);
  return {store, goal, tip, writer: ada};
}

test('it works in a SHA-256 repository (trap 39)', async t => {
  await works(t, await tempRepo(t, {commit: false, init: ['--object-format=sha256']}), 64);
});

test('it works in a bare repository', async t => {
  await works(t, await tempRepo(t, {commit: false, init: ['--bare']}));
});

test('it works in a linked worktree, whose goals are those of the repository (trap 37)', async t => {
  const repo = await tempRepo(t);
  const dir = join(repo.dir, '..', 'linked wörktree');
  await repo.git.text(['worktree', 'add', '-q', '--detach', dir]);
  const {goal, tip} = await works(t, {...repo, dir});
  t.is((await (await testGitStore(t, repo)).tips()).get(goal), tip);
});

test('it works in a folder below the top', async t => {
  const repo = await tempRepo(t);
  await mkdir(join(repo.dir, 'a b', 'ü'), {recursive: true});
  await works(t, {...repo, dir: join(repo.dir, 'a b', 'ü')});
});

test('it works whatever the user has configured', async t => {
  const repo = await tempRepo(t);
  const settings = {
    ...{'core.logAllRefUpdates': 'always', 'i18n.commitEncoding': 'latin1', 'i18n.logOutputEncoding': 'latin1'},
    ...{'log.showSignature': 'true', 'log.decorate': 'full', 'log.follow': 'true', 'log.showRoot': 'false'},
    ...{'log.date': 'relative', 'log.abbrevCommit': 'true', 'log.mailmap': 'true', 'log.diffMerges': 'on'},
    ...{'format.pretty': 'fuller', 'format.notes': 'true', 'color.ui': 'always', 'core.abbrev': '5'},
    ...{'core.quotePath': 'true', 'core.autocrlf': 'true', 'core.eol': 'crlf', 'commit.gpgSign': 'true'},
    ...{'core.pager': 'false', 'fastimport.unpackLimit': '1', 'transfer.unpackLimit': '1', 'core.commitGraph': 'true'},
    ...{'core.hooksPath': '/nowhere', 'diff.external': 'false', 'gpg.program': 'false', 'core.bigFileThreshold': '1'},
    ...{'core.compression': '0', 'pack.writeReverseIndex': 'true', 'feature.manyFiles': 'true'},
  };
  for (const [name, value] of Object.entries(settings)) await repo.git.text(['config', name, value]);
  const env = {...repo.env, LANG: 'tr_TR.UTF-8', LC_ALL: 'tr_TR.UTF-8', GIT_TRACE: '1', GIT_DIR: '/nowhere'};
  const {store, goal, tip, writer} = await works(t, {dir: repo.dir, env});

  await repo.git.text(['update-ref', 'refs/loopx/goals/other', `${tip}^`]);
  const {tip: side} = await changeGoal(writer, 'other', amendGoal('ä'));
  const merged = await mergeGoal(store, goal, tip, side);
  t.is(merged.kind, 'merged');
  t.deepEqual((await fsckGoal(store, merged.tip)).problems, []);
  t.is(await repo.git.text(['cat-file', 'commit', merged.tip]).then(text => /^encoding/m.test(text)), false);
});

test('it works after git has packed objects and refs under an open store', async t => {
  const repo = await tempRepo(t);
  const {store, goal, writer} = await works(t, repo);
  await repo.git.text(['pack-refs', '--all', '--prune']);
  await repo.git.text(['repack', '-a', '-d', '-q']);
  await repo.git.text(['prune-packed']);
  const {tip} = await changeGoal(writer, goal, amendGoal('after packing'));
  t.deepEqual((await fsckGoal(store, tip)).problems, []);
});

test('a merge makes the same commit whatever a repository configures', async t => {
  const tips: string[] = [];
  for (const encoding of ['utf-8', 'latin1']) {
    const repo = await tempRepo(t, {commit: false});
    await repo.git.text(['config', 'i18n.commitEncoding', encoding]);
    await repo.git.text(['config', 'user.name', encoding]);
    const store = await testGitStore(t, repo);
    const writer = testWriter(store);
    const {goal, tip: root} = await testGoal(writer);
    const {tip: ours} = await changeGoal(writer, goal, amendGoal('ä'));
    await store.forward('side-0000', root, undefined);
    const {tip: theirs} = await changeGoal(writer, 'side-0000', amendGoal('ö'));
    tips.push((await mergeGoal(store, goal, ours, theirs)).tip);
  }

  t.is(tips[0], tips[1]);
});

test('an independent reader of git sees the same goal', async t => {
  const {repo, store, writer, goal, ref} = await gitGoal(t);
  for (const title of ['one', 'zwei 世界']) await changeGoal(writer, goal, addTodo({title}));
  const tip = (await store.tips()).get(goal)!;
  const at = {fs: nodeFs, dir: repo.dir};
  t.is(await git.resolveRef({...at, ref}), tip);
  const {blob} = await git.readBlob({...at, oid: tip, filepath: 'goal.yaml'});
  t.is((await store.read(tip, ['goal.yaml'])).get('goal.yaml'), Buffer.from(blob).toString());
  const log = await git.log({...at, ref});
  const commits = await store.commits([tip], []);
  t.deepEqual(
    log.map(({oid}) => oid),
    commits.map(({commit}) => commit),
  );
  t.is(log[0]!.commit.message.split('\n')[0], commits[0]!.subject);
  t.regex(log[0]!.commit.message, /title: "zwei 世界"/);
  t.is(log[0]!.commit.author.name, 'Ada Test');
});

test('a closed store opens again when it is asked', async t => {
  const repo = await tempRepo(t, {commit: false});
  const world = testWorld();
  const store = openGitStore(await openRepository(repo.dir, repo.env), world);
  const {goal, tip} = await testGoal(testWriter(store, world));
  await viewGoal(store, goal, tip);
  store.close();
  t.is((await viewGoal(store, goal, tip)).id, goal);
  store.close();
});
