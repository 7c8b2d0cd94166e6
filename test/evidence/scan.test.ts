import {appendFile, readFile, rm} from 'node:fs/promises';
import {join} from 'node:path';
import test, {type ExecutionContext} from 'ava';
import {scanCommits} from '../../lib/evidence/scan.ts';
import {appendNoteLines} from '../../lib/git/notes.ts';
import {openRepository} from '../../lib/git/repository.ts';
import {applyConnect, planConnect} from '../../lib/hosts/connect.ts';
import {tempRepo} from '../support/repo.ts';
import {testWorld} from '../support/world.ts';

async function setUp(t: ExecutionContext, options: Parameters<typeof tempRepo>[1] = {}) {
  const repo = await tempRepo(t, options);
  const repository = await openRepository(repo.dir, repo.env);
  const world = testWorld();
  const note = (...commits: string[]) => {
    const identity = {name: 'loopx', mail: 'loopx@loopx.invalid', seconds: 0};
    const lines = new Map(commits.map(commit => [commit, ['goal=a round=r agent=b outcome=progress']]));
    return appendNoteLines({git: repo.git, gitDir: repository.gitDir, world, identity}, lines);
  };
  return {...repo, repository, note, scan: () => scanCommits(repository, world)};
}

test('commits after connecting that no round knows are counted, also those made past the hooks (traps 4, 19)', async t => {
  const {repository, git, commit, note, scan} = await setUp(t);
  await git.text(['branch', 'older']);
  await commit('before');
  await applyConnect(repository, await planConnect(repository));
  const tracked = await commit('tracked');
  await note(tracked);
  await commit('untracked');
  const tree = await git.text(['rev-parse', 'HEAD^{tree}']);
  const plumbed = await git.text(['commit-tree', tree, '-p', 'HEAD', '-m', 'plumbed']);
  await git.text(['update-ref', 'HEAD', plumbed]);
  const {untracked, latest} = await scan();
  t.is(untracked, 2);
  t.deepEqual(
    latest.map(({subject}) => subject),
    ['plumbed', 'untracked'],
  );
  t.is((await scan()).untracked, 2, 'looking does not make them known');

  await git.text(['checkout', '-q', 'older']);
  t.is((await scan()).untracked, 0, 'what was on other branches before is not counted');
});

test('a commit of a running round is not counted, nor is what a remote has', async t => {
  const {dir, git, commit, scan} = await setUp(t);
  t.deepEqual(await scan(), {untracked: 0, latest: []});
  const running = await commit('running');
  t.is((await scan()).untracked, 1);
  await appendFile(join(dir, '.git/loopx/spool'), `post-commit - r-x ${running}\n`);
  t.is((await scan()).untracked, 0);
  const theirs = await commit('theirs');
  t.is((await scan()).untracked, 1);
  await git.text(['update-ref', 'refs/remotes/origin/main', theirs]);
  t.is((await scan()).untracked, 0);
});

test('the first sight may come before the first commit, in a bare repository, and after a loss of the local folder', async t => {
  const empty = await setUp(t, {commit: false});
  t.is((await empty.scan()).untracked, 0);
  t.is((await empty.scan()).untracked, 0);
  await empty.commit('first');
  t.is((await empty.scan()).untracked, 1);
  await rm(join(empty.dir, '.git/loopx'), {recursive: true});
  t.is((await empty.scan()).untracked, 0);

  const bare = await setUp(t, {commit: false, init: ['--bare']});
  t.is((await bare.scan()).untracked, 0);
  t.is((await bare.scan()).untracked, 0);
});

test('a mark that was collected as garbage, and what the user has set, do no harm', async t => {
  const {dir, git, commit, note, scan} = await setUp(t);
  await scan();
  await appendFile(join(dir, '.git/loopx/seen'), `${'f'.repeat(40)}\nhalf`);
  await note(await commit('tracked'));
  await commit('untracked');
  await git.text(['notes', 'add', '-m', 'mine']);
  for (const [key, value] of [
    ['notes.displayRef', 'refs/notes/*'],
    ['log.showSignature', 'true'],
    ['color.ui', 'always'],
  ]) {
    await git.text(['config', key!, value!]);
  }

  t.is((await scan()).untracked, 1);
});

test('a look at thousands of commits takes one git log, and the next starts where all were known', async t => {
  const {dir, git, note, scan} = await setUp(t);
  await scan();
  const start = await git.text(['rev-parse', 'HEAD']);
  const stream = Array.from({length: 3000}, (_, n) => {
    const from = n === 0 ? `from ${start}\n` : '';
    return `commit refs/heads/main\ncommitter a <a@b> ${n} +0000\ndata 1\nx\n${from}\n`;
  });
  await git.text(['fast-import', '--quiet'], {input: stream.join('')});
  const begin = performance.now();
  t.is((await scan()).untracked, 1000);
  const tookMs = performance.now() - begin;
  t.log(`${tookMs.toFixed(0)} ms`);
  t.true(tookMs < 500);

  await note(...(await git.text(['rev-list', `${start}..HEAD`])).split('\n'));
  t.is((await scan()).untracked, 0);
  t.true((await readFile(join(dir, '.git/loopx/seen'), 'utf8')).endsWith(`${await git.text(['rev-parse', 'HEAD'])}\n`));
});
