import {appendFile, rm} from 'node:fs/promises';
import {join} from 'node:path';
import test, {type ExecutionContext} from 'ava';
import {applyConnect, planConnect} from '../../lib/hosts/connect.ts';
import {runJson} from '../support/cli.ts';
import {featureRepo, makeFeature, type RoundRepo, roundSizes, sharedLines} from '../support/rounds.ts';

// The first test makes it, all of them go on from a copy.
let kept: Promise<string> | undefined;
test.after.always(async () => rm((await kept) ?? '', {recursive: true, force: true}));

async function start(t: ExecutionContext) {
  kept ??= makeFeature(t);
  return featureRepo(t, await kept);
}

const all = (rounds: readonly string[], via: string) => Object.fromEntries(rounds.map(round => [round, via]));

/** Returns what the notes on `feature`'s commits say, the oldest first. */
async function keysOnBranch({sh, keysOn}: RoundRepo, from: string, to = 'HEAD') {
  const commits = (await sh(['rev-list', '--reverse', `${from}..${to}`])).split('\n');
  return Promise.all(commits.map(keysOn));
}

const eachOnce = (rounds: readonly string[], via: string) =>
  rounds.flatMap((round, index) => Array.from({length: roundSizes[index]!}, () => ({[round]: via})));

/** Moves main on, in another file and at another place of the shared one. */
async function moveMain({sh, commit}: RoundRepo) {
  await sh(['checkout', '-q', 'main']);
  return commit('Main goes on', {'other.txt': 'other\n', 'shared.txt': sharedLines([], 'Heading')});
}

test('a rebased branch keeps the rounds of each commit, known by its patch, without hook and settings (trap 13)', async t => {
  const repo = await start(t);
  const {rounds} = repo;
  const main = await moveMain(repo);
  await repo.sh(['rebase', '-q', 'main', 'feature']);
  const {copies, unclear} = await repo.reattach();
  t.is(copies.length, 12);
  t.deepEqual(unclear, []);
  t.deepEqual(await keysOnBranch(repo, main), eachOnce(rounds, 'patch'));
  t.deepEqual((await repo.reattach()).copies, [], 'once');
});

test('a cherry-pick to a release branch, and git am, are known by their patches (trap 15)', async t => {
  const repo = await start(t);
  const {rounds, base} = repo;
  const main = await moveMain(repo);
  await repo.sh(['checkout', '-q', '-b', 'release']);
  const release = await repo.commit('Release', {version: '2\n'});
  await repo.sh(['cherry-pick', 'feature~11', 'feature~6', 'feature']);
  await repo.reattach();
  t.deepEqual(await keysOnBranch(repo, release), [
    {[rounds[0]!]: 'patch'},
    {[rounds[2]!]: 'patch'},
    {[rounds[4]!]: 'patch'},
  ]);

  await repo.sh(['checkout', '-q', '-b', 'mailed', 'main']);
  const mails = await repo.sh(['format-patch', '--stdout', `${base}..feature`]);
  await repo.git.text(['am', '-q'], {input: `${mails}\n`});
  await repo.reattach();
  t.deepEqual(await keysOnBranch(repo, main), eachOnce(rounds, 'patch'));
});

test('an amended message is known by the tree, an amended change only by what git told', async t => {
  const repo = await start(t);
  const {rounds} = repo;
  await repo.sh(['commit', '-q', '--amend', '-m', 'Better words']);
  await repo.reattach();
  t.deepEqual(await repo.keysOn('HEAD'), {[rounds[4]!]: 'tree'});

  await repo.write('step-12.txt', 'changed by hand\n');
  await repo.sh(['commit', '-qa', '--amend', '-m', 'Better']);
  await repo.reattach();
  t.deepEqual(await repo.keysOn('HEAD'), {});
});

test('a squash merge on the server names all rounds, while main stood still or went on (trap 16, C43)', async t => {
  for (const moves of [false, true]) {
    const repo = await start(t);
    const {rounds} = repo;
    if (moves) await moveMain(repo);
    await squashOnServer(repo);
    await repo.reattach();
    t.deepEqual(await repo.keysOn('origin/main'), all(rounds, 'squash'), String(moves));
  }
});

test('it does so after the branch was deleted and its commits were collected as garbage', async t => {
  for (const moves of [false, true]) {
    const repo = await start(t);
    const {rounds} = repo;
    if (moves) await moveMain(repo);
    await squashOnServer(repo);
    const tip = await collect(repo);
    await t.throwsAsync(repo.sh(['cat-file', '-e', tip]), undefined, 'it is gone');
    await repo.reattach();
    t.deepEqual(await repo.keysOn('origin/main'), all(rounds, 'squash'), String(moves));
  }
});

test('a squash with a change besides is nobody’s, and neither is one of an unfinished branch with more', async t => {
  const repo = await start(t);
  await squashOnServer(repo, clone => appendFile(join(clone, 'step-3.txt'), 'by hand\n'));
  const {copies, unclear} = await repo.reattach();
  t.deepEqual([copies, unclear], [[], []]);
});

test('what was squashed in two parts, from one branch, is told apart', async t => {
  const repo = await start(t);
  const {rounds} = repo;
  await repo.sh(['checkout', '-q', 'main']);
  for (const part of ['feature~6', 'feature']) {
    await repo.sh(['checkout', '-q', '-b', `on-${part.length}`, 'main']);
    await repo.sh(['merge', '-q', '--squash', part]);
    await repo.sh(['commit', '-qm', part]);
    await repo.sh(['branch', '-q', '-f', 'main', 'HEAD']);
    await repo.sh(['checkout', '-q', 'main']);
    await repo.sh(['rebase', '-q', '--onto', 'main', part, 'feature']);
    await repo.reattach();
  }

  t.deepEqual(await repo.keysOn('main~1'), all(rounds.slice(0, 3), 'squash'));
  t.deepEqual(await repo.keysOn('main'), all(rounds.slice(3), 'squash'));
});

for (const [how, prepare] of [
  ['notes.rewriteRef and the hook', async () => {}],
  ['the hook alone', ({sh}: RoundRepo) => sh(['config', '--unset-all', 'notes.rewriteRef'])],
  ['notes.rewriteRef alone', ({sh}: RoundRepo) => sh(['config', 'core.hooksPath', '/dev/null'])],
] as const) {
  test(`a fixup that is squashed in leaves the commit with both rounds, by ${how} (traps 13, 14)`, async t => {
    const repo = await start(t);
    const {rounds, base} = repo;
    await applyConnect(repo.repository, await planConnect(repo.repository));
    await prepare(repo);
    const fix = await repo.round(() => repo.commit('fixup! Step 3', {'step-3.txt': 'step 3, mended\n'}));
    await repo.sh(['rebase', '-q', '-i', '--autosquash', base]);
    await repo.reattach();
    const via = how === 'the hook alone' ? 'rewrite' : 'plain';
    const wanted = eachOnce(rounds, via);
    // What came before the commit that was changed stayed as it was.
    wanted.splice(0, 3, {[rounds[0]!]: 'plain'}, {[rounds[0]!]: 'plain'}, {[rounds[1]!]: via, [fix]: via});
    t.deepEqual(await keysOnBranch(repo, base), wanted);
  });
}

test('rebased, amended, autosquashed, picked, squashed on the server, deleted and collected: show names all rounds', async t => {
  const repo = await start(t);
  await applyConnect(repo.repository, await planConnect(repo.repository));
  const fix = await repo.round(() => repo.commit('fixup! Step 3', {'step-3.txt': 'step 3, mended\n'}));
  const rounds = [...repo.rounds, fix];
  await moveMain(repo);
  await repo.sh(['rebase', '-q', '-i', '--autosquash', 'main', 'feature']);
  await repo.sh(['commit', '-q', '--amend', '-m', 'Step 12, in better words']);
  await repo.sh(['checkout', '-q', '-b', 'release', repo.base]);
  await repo.commit('Release', {version: '2\n'});
  await repo.sh(['cherry-pick', 'feature~9', 'feature']);
  t.deepEqual(await shown(t, repo, 'release~1'), {[rounds[1]!]: 'patch', [fix]: 'patch'});
  t.deepEqual(await shown(t, repo, 'release'), {[rounds[4]!]: 'patch'});

  await squashOnServer(repo);
  await collect(repo);
  t.deepEqual(await shown(t, repo, 'origin/main'), all(rounds, 'squash'));
  t.deepEqual(await shown(t, repo, 'release'), {[rounds[4]!]: 'patch'});
});

/** Returns what `loopx evidence show` tells of a commit. */
async function shown(t: ExecutionContext, repo: RoundRepo, revision: string) {
  const {rounds} = await runJson<{rounds: {round: string; via: string}[]}>(t, repo, ['evidence', 'show', revision]);
  return Object.fromEntries(rounds.map(({round, via}) => [round, via]));
}

/** Deletes the branch, and lets git collect its commits. */
async function collect(repo: RoundRepo) {
  const tip = await repo.sh(['rev-parse', 'feature']);
  await repo.sh(['checkout', '-q', 'main']);
  await repo.sh(['branch', '-q', '-D', 'feature']);
  await repo.sh(['update-ref', '-d', 'refs/remotes/origin/feature']);
  await repo.sh(['reflog', 'expire', '--expire=now', '--expire-unreachable=now', '--all']);
  await repo.sh(['gc', '-q', '--prune=now']);
  return tip;
}

/** Pushes, merges by squash in another clone, as servers do, and fetches. */
async function squashOnServer({sh, dir, side}: RoundRepo, change?: (clone: string) => Promise<unknown>) {
  const bare = `${side}.git`;
  await sh(['clone', '-q', '--bare', dir, bare]);
  await sh(['remote', 'add', 'origin', bare]);
  await sh(['clone', '-q', bare, side]);
  await sh(['checkout', '-q', 'main'], side);
  await sh(['config', 'user.name', 'Server'], side);
  await sh(['config', 'user.email', 'server@example.org'], side);
  await sh(['merge', '-q', '--squash', 'origin/feature'], side);
  await change?.(side);
  await sh(['commit', '-qam', 'Feature (#1)'], side);
  await sh(['push', '-q', 'origin', 'main'], side);
  await sh(['fetch', '-q', 'origin']);
}
