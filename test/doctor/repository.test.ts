import {chmod, mkdir, readFile, rm, utimes, writeFile} from 'node:fs/promises';
import {dirname, join} from 'node:path';
import test from 'ava';
import {good} from '../../lib/doctor/finding.ts';
import {readSpool} from '../../lib/evidence/spool.ts';
import {openRepository} from '../../lib/git/repository.ts';
import {insertBlock, lineByHand} from '../../lib/hosts/git-hook-block.ts';
import {liveRef, snapshotRef} from '../../lib/loop/live.ts';
import {claimRunning} from '../../lib/loop/running.ts';
import {runJson, startGoal} from '../support/cli.ts';
import {testNowMs, testWorld} from '../support/world.ts';
import {laterMs, openWard} from './patient.ts';

const arrived = good('Commits are heard of: a probe of the hook post-commit has arrived.');

test('the repository is named with its form, and a bare one has no room for an agent', async t => {
  const ward = await openWard(t);
  const {dir, git} = ward;
  const root = dirname(dir);
  await ward.commit('Second');
  await git.text(['worktree', 'add', '-q', join(root, 'linked')]);
  await git.text(['clone', '-q', '--depth=1', '--sparse', `file://${dir}`, join(root, 'shallow')]);
  await git.text(['clone', '-q', '--bare', dir, join(root, 'bare.git')]);
  const at = (name: string) => ward.examine('repository', {cwd: join(root, name)});
  t.deepEqual(await at('linked'), [good(`The repository opens: ${root}/linked (linked worktree of ${dir}/.git).`)]);
  t.deepEqual(await at('shallow'), [
    good(`The repository opens: ${root}/shallow (shallow: its history is cut, sparse checkout).`),
  ]);
  t.deepEqual(await at('bare.git'), [
    good(`The repository opens: ${root}/bare.git (bare).`),
    {state: 'warn', message: 'No agent can work in a bare repository.', mend: 'git worktree add ../bare-work'},
  ]);
});

test('without an identity no agent can commit', async t => {
  const ward = await openWard(t);
  await ward.git.text(['config', '--unset', 'user.name']);
  await ward.git.text(['config', 'user.useConfigOnly', 'true']);
  const [none] = await ward.examine('identity', {env: {GIT_COMMITTER_NAME: ''}});
  t.is(none?.state, 'bad');
  t.regex(none!.mend!, /^git config --global user.name /);
});

test('what a connection has lost since is told of, and connecting again mends it', async t => {
  const ward = await openWard(t);
  const {git, dir} = ward;
  await git.text(['remote', 'add', 'origin', 'https://example.org/a.git']);
  await ward.loopx(['connect']);
  t.deepEqual(await ward.examine('connection'), [good('The repository is connected.')]);

  await git.text(['config', '--unset-all', 'notes.rewriteRef']);
  await git.text(['remote', 'rename', 'origin', 'up']);
  await rm(join(dir, '.git/loopx/hook'));
  const signs = await ward.examine('connection');
  t.deepEqual(
    signs.map(({message}) => message),
    [
      'Fetches from up bring no goals.',
      'Notes of loopx stay behind when git amends or rebases: notes.rewriteRef lacks them.',
      `The script that hooks run is missing or of another loopx: ${dir}/.git/loopx/hook.`,
      "Fetches from up write to refs/loopx/remotes/origin, the remote's former name.",
    ],
  );
  t.regex((await ward.examine('hooks'))[0]!.message, /did not reach .*: it wrote nothing\.$/);
  t.is((await ward.examine('hooks'))[0]!.mend, 'loopx connect');

  const [unset] = signs.at(-1)!.mend!.split(' && ');
  await git.text(unset!.split(' ').slice(1));
  await ward.loopx(['connect']);
  t.deepEqual(await ward.examine('connection'), [good('The repository is connected.')]);
});

test('hooks are proven by a probe, also in a linked worktree, which counts as no commit (traps 21, 24)', async t => {
  const ward = await openWard(t);
  const {git, dir, env} = ward;
  await git.text(['worktree', 'add', '-q', '../linked']);
  await ward.loopx(['connect']);
  const head = await git.text(['rev-parse', 'HEAD']);
  const both = [good('Commits are heard of: probes of the hook post-commit have arrived from 2 worktrees.')];
  t.deepEqual(await ward.examine('hooks'), both);
  t.deepEqual(await ward.examine('hooks', {cwd: join(dirname(dir), 'linked')}), both);
  t.is(await git.text(['rev-parse', 'HEAD']), head);
  const {commonDir} = await openRepository(dir, env);
  t.is((await readFile(join(commonDir, 'loopx/spool'), 'utf8')).split('\n').length, 5);
  t.deepEqual(await readSpool(commonDir), []);

  await rm(join(dir, '.git/hooks/post-merge'));
  t.deepEqual((await ward.examine('hooks')).slice(1), [
    {state: 'warn', message: 'Hooks are missing or old: post-merge.', mend: 'loopx connect'},
  ]);
  await rm(join(dir, '.git/loopx/spool'));
  await mkdir(join(dir, '.git/loopx/spool'));
  const [unheard] = await ward.examine('hooks');
  t.is(unheard?.state, 'bad');
  t.is(unheard?.mend, `See what hinders it: sh -x ${dir}/.git/hooks/post-commit`);
});

test("of somebody else's hook only our lines are run", async t => {
  const ward = await openWard(t);
  await ward.loopx(['connect']);
  const file = join(ward.dir, '.git/hooks/post-commit');
  await writeFile(file, insertBlock('#!/bin/sh\ntouch deployed\n', 'post-commit'), {mode: 0o755});
  t.deepEqual(await ward.examine('hooks'), [arrived]);
  await t.throwsAsync(ward.read('deployed'));
  t.deepEqual(await readSpool(join(ward.dir, '.git')), []);
});

test('hooks that core.hooksPath switches off are told of with the line to add, which is then proven (trap 21)', async t => {
  const ward = await openWard(t);
  const {dir, git} = ward;
  await ward.loopx(['connect']);
  await git.text(['config', 'core.hooksPath', '.husky']);
  const [off, ...others] = await ward.examine('hooks');
  t.deepEqual(others, []);
  t.is(off?.state, 'warn');
  t.is(
    off?.message,
    'Hooks are installed but not running: post-commit, post-merge, post-rewrite, post-applypatch, ' +
      `pre-push in ${dir}/.husky, since its folder is part of the project, where others would find the change.`,
  );
  const line = /^Add this line to \S+\/\.husky\/post-commit: (.*) # likewise/.exec(off!.mend!)![1]!;
  await ward.write('.husky/post-commit', `#!/bin/sh\ntouch deployed\n${line}\n`);
  await chmod(join(dir, '.husky/post-commit'), 0o755);
  const [proven, rest] = await ward.examine('hooks');
  t.deepEqual(proven, arrived);
  t.regex(rest!.message, /: post-merge, post-rewrite, post-applypatch, pre-push in /);
  await t.throwsAsync(ward.read('deployed'));
});

test("husky's own folder leads to the hooks around it (trap 23)", async t => {
  const ward = await openWard(t);
  await ward.loopx(['connect']);
  await ward.git.text(['config', 'core.hooksPath', '.husky/_']);
  await ward.write('.husky/_/h', 'sh -e "${0%/_/*}/${0##*/}" "$@"\n');
  for (const hook of ['post-commit', 'post-merge', 'post-rewrite', 'post-applypatch', 'pre-push'] as const) {
    await ward.write(`.husky/_/${hook}`, '#!/usr/bin/env sh\n. "${0%/*}/h"\n');
    await ward.write(`.husky/${hook}`, `${lineByHand(hook)}\n`);
  }

  t.deepEqual(await ward.examine('hooks'), [arrived]);
});

test('a goal that cannot be read is told of beside those that can', async t => {
  const ward = await openWard(t);
  await startGoal(t, ward);
  await ward.git.text(['update-ref', 'refs/loopx/goals/odd-1234', 'HEAD']);
  const [readable, odd] = await ward.examine('goals');
  t.is(readable?.state, 'good');
  t.is(odd?.state, 'bad');
  t.regex(odd!.message, /^The state of goal odd-1234 /);
});

test('what stops several examinations for one cause is told once', async t => {
  const ward = await openWard(t);
  await startGoal(t, ward);
  await ward.write('.git/refs/loopx/goals/broken-1234', 'nothing\n');
  const {stdout} = await ward.loopx(['doctor', '--json']);
  const bad = JSON.parse(stdout).findings.filter(({state}: {state: string}) => state === 'bad');
  t.is(bad.length, 1);
  t.regex(bad[0].message, /broken-1234/);
});

test('a goal of a later loopx is only read, and a commit by hand on top of a goal is named', async t => {
  const ward = await openWard(t);
  const {git} = ward;
  const goal = await startGoal(t, ward);
  const ref = `refs/loopx/goals/${goal}`;
  const begin = await git.text(['rev-parse', ref]);
  const put = async (message: string) => {
    const commit = await git.text(['commit-tree', `${begin}^{tree}`, '-p', begin], {input: message});
    await git.text(['update-ref', ref, commit]);
  };
  const body = (await git.text(['log', '-1', '--format=%B', begin])).replaceAll('goal.created', 'goal.teleported');
  await put(body);
  t.deepEqual(await ward.examine('goals'), [
    {
      state: 'bad',
      message: `Goal ${goal} was written by a later loopx, so this one only reads it.`,
      mend: 'npm install -g loopx@latest',
    },
  ]);
  await put('By hand\n\n- event: {\n');
  t.is((await ward.examine('goals'))[0]?.mend, `loopx fsck --goal ${goal}`);
});

test('checks that nobody has trusted on this machine will not run', async t => {
  const ward = await openWard(t);
  const goal = await startGoal(t, ward, 'Port it', ['--check', 'npm test']);
  t.deepEqual(await ward.examine('trust'), []);
  await rm(join(ward.dir, '.git/loopx/trusted'));
  await ward.write('.loopx.yaml', 'executors: {own: {command: "sh agent.sh"}}\n');
  t.deepEqual(await ward.examine('trust'), [
    {
      state: 'warn',
      message: `1 check of goal ${goal} will not run: not trusted yet.`,
      mend: `loopx trust --goal ${goal}`,
    },
    {
      state: 'warn',
      message: 'The command of executor own comes from the project and is not trusted yet.',
      mend: 'loopx trust',
    },
  ]);
});

test('a round whose process is gone is told of', async t => {
  const ward = await openWard(t);
  const goal = await startGoal(t, ward);
  const repository = await openRepository(ward.dir, ward.env);
  const running = {
    ...{goal, agent: 'claude@test', attempt: 'a', machine: 'test', pid: 999_999, startTime: 'x', round: 'r-abcd1234'},
    ...{gitDir: repository.gitDir, top: ward.dir, startedAtMs: testNowMs, seenAtMs: testNowMs},
  };
  await claimRunning(repository, running, testWorld());
  t.deepEqual(await ward.examine('rounds'), [
    {
      state: 'warn',
      message: `The process of round r-abcd1234 by claude@test on ${goal} is gone; \`loopx status\` records that.`,
      mend: `loopx status --goal ${goal}`,
    },
  ]);
});

test('a clock that is more than an hour ahead is told of', async t => {
  const ward = await openWard(t);
  const goal = await startGoal(t, ward);
  t.deepEqual(await ward.examine('clock', {nowMs: testNowMs - 3_600_000}), []);
  const [ahead] = await ward.examine('clock', {nowMs: testNowMs - 3_600_001});
  t.is(ahead?.state, 'warn');
  t.is(
    ahead?.message,
    `A clock is off: Ada Test <ada@example.org> wrote to goal ${goal} at 2026-01-01T12:00:00.000Z, and here it is 2026-01-01T10:59:59.999Z.`,
  );
});

test("git's locks are told of with their age and never removed, a young one as being in use (trap 32)", async t => {
  const ward = await openWard(t);
  const {dir} = ward;
  const put = async (path: string, atMs: number) => {
    await ward.write(path, '');
    await utimes(join(dir, path), atMs / 1000, atMs / 1000);
    return join(dir, path);
  };
  const old = await put('.git/refs/loopx/goals/a b.lock', testNowMs - 3 * 3_600_000);
  const young = await put('.git/index.lock', testNowMs - 1000);
  t.deepEqual(await ward.examine('locks', {nowMs: testNowMs}), [
    {
      state: 'warn',
      message: `A lock of git is there, and may be in use: ${young}.`,
      mend: `If no git command is running: rm ${young}`,
    },
    {
      state: 'bad',
      message: `A lock of git is in the way, 3 h old: ${old}.`,
      mend: `If no git command is running: rm '${old}'`,
    },
  ]);
  t.is((await ward.read('.git/index.lock')).length, 0);
});

test('what killed imports have left is counted once it is old', async t => {
  const ward = await openWard(t);
  const {dir} = ward;
  await ward.write('.git/fast_import_crash_123', 'report');
  await ward.write('.git/objects/pack/tmp_pack_a', 'four');
  await ward.write('.git/objects/pack/tmp_idx_b', 'four');
  const nowMs = Date.now();
  t.deepEqual(await ward.examine('leftovers', {nowMs}), []);
  t.deepEqual(await ward.examine('leftovers', {nowMs: nowMs + 2 * 3_600_000}), [
    {
      state: 'warn',
      message: `Reports of crashes of git fast-import are left over: 1 file, 6 bytes, in ${dir}/.git.`,
      mend: `find ${dir}/.git -maxdepth 1 -name 'fast_import_crash_*' -mmin +60 -delete`,
    },
    {
      state: 'warn',
      message: `Packs that were never finished are left over: 2 files, 8 bytes, in ${dir}/.git/objects/pack.`,
      mend: `find ${dir}/.git/objects/pack -maxdepth 1 -name 'tmp_*' -mmin +60 -delete`,
    },
  ]);
});

test('snapshots that no checkpoint names are told of once they are old, and the mend removes just these', async t => {
  const ward = await openWard(t);
  const {git} = ward;
  const goal = await startGoal(t, ward);
  const {checkpoint} = await runJson<{checkpoint: {id: string}}>(t, ward, ['checkpoint', 'save']);
  const kept = snapshotRef(goal, checkpoint.id);
  const orphans = [
    liveRef(goal, 'claude@test'),
    snapshotRef(goal, 'c-zzzzzzzz'),
    snapshotRef('gone-1234', 'c-yyyyyyyy'),
  ];
  for (const ref of orphans) await git.text(['update-ref', ref, 'HEAD']);
  t.deepEqual(await ward.examine('refs', {nowMs: testNowMs}), [], 'they may be of a round that is just beginning');

  const nowMs = Math.max(laterMs, Date.now() + 24 * 3_600_000);
  const [found] = await ward.examine('refs', {nowMs});
  t.is(found?.state, 'warn');
  t.true(orphans.every(ref => found!.message.includes(ref)));
  for (const command of found!.mend!.split(' && ')) await git.text(command.split(' ').slice(1));
  t.deepEqual(await ward.examine('refs', {nowMs}), []);
  t.is(await git.text(['for-each-ref', '--format=%(refname)', 'refs/loopx/live', 'refs/loopx/snapshots']), kept);
});
