import {rm} from 'node:fs/promises';
import {join} from 'node:path';
import test from 'ava';
import {planReattach} from '../../lib/evidence/reattach.ts';
import {reattachNew} from '../../lib/evidence/reattach-new.ts';
import {openRepository} from '../../lib/git/repository.ts';
import {runCli, runJson, says} from '../support/cli.ts';
import {noEditor, roundRepo} from '../support/rounds.ts';
import {testGitStore} from '../support/store.ts';

test('what is new is looked at once: code that came, and rounds that came after their code', async t => {
  const repo = await roundRepo(t);
  const {sh, store, repository, world, side, env} = repo;
  const look = () => reattachNew(store, repository, world);
  await sh(['checkout', '-q', '-b', 'feature']);
  const round = await repo.round(() => repo.commit('Work', {work: '1\n'}));
  t.like(await look(), {copies: [], commits: 1}, 'the first commit came in the second in which the round began');
  await sh(['checkout', '-q', 'main']);
  await repo.commit('By a person', {own: '1\n'});
  t.like(await look(), {copies: [], commits: 1});
  t.like(await look(), {copies: [], commits: 0}, 'nothing is new');
  await sh(['cherry-pick', 'feature']);
  t.like(await look(), {commits: 1});
  t.deepEqual(await repo.keysOn('main'), {[round]: 'patch'});

  await sh(['clone', '-q', '--single-branch', '--branch=main', repo.dir, side]);
  const there = await testGitStore(t, {dir: side, env}, world);
  const clone = await openRepository(side, env);
  t.like(await reattachNew(there, clone, world), {copies: [], commits: 0}, 'no goal is here yet');
  await sh(['fetch', '-q', 'origin', '+refs/loopx/goals/*:refs/loopx/goals/*'], side);
  const {copies} = await reattachNew(there, clone, world);
  t.deepEqual(
    copies.map(({via, commit}) => [via, commit]),
    [['patch', await sh(['rev-parse', 'main'])]],
  );

  await rm(join(side, '.git/loopx'), {recursive: true});
  t.like(await reattachNew(there, clone, world), {copies: []}, 'the memory may be lost');
});

test('five thousand commits of others are looked at in seconds, and new ones in no time', async t => {
  const repo = await roundRepo(t);
  const {sh, git, store, repository, world} = repo;
  await sh(['checkout', '-q', '-b', 'feature']);
  const round = await repo.round(() => repo.commit('Work', {work: '1\n'}));
  const at = world.now() / 1000 + 60;
  const start = await sh(['rev-parse', 'main']);
  const stream = Array.from({length: 5000}, (_, n) => {
    const text = `${n}\n`;
    const from = n === 0 ? `from ${start}\n` : '';
    const file = `M 100644 inline dir-${n % 50}/file-${n % 500}\ndata ${text.length}\n${text}`;
    return `commit refs/heads/main\ncommitter a <a@b> ${at + n} +0000\ndata 1\nx\n${from}${file}\n`;
  });
  await git.text(['fast-import', '--quiet'], {input: stream.join('')});
  await sh(['checkout', '-q', 'main']);
  await sh(['cherry-pick', 'feature']);
  const ms = async (work: () => Promise<unknown>) => {
    const begin = performance.now();
    await work();
    return Math.round(performance.now() - begin);
  };
  const newMs = await ms(() => reattachNew(store, repository, world));
  t.deepEqual(await repo.keysOn('main'), {[round]: 'patch'});
  const oneMs = await ms(() => planReattach(store, repository, {only: new Set([start])}));
  const allMs = await ms(() => planReattach(store, repository));
  const againMs = await ms(() => reattachNew(store, repository, world));
  t.log(`first look ${newMs} ms, one commit ${oneMs} ms, all ${allMs} ms, nothing new ${againMs} ms`);
  t.true(allMs < 20_000);
  t.true(againMs < 1000);
});

test('evidence show and reattach say by which key, also what is unclear (C44)', async t => {
  const repo = await roundRepo(t);
  const {sh, goal} = repo;
  await sh(['checkout', '-q', '-b', 'feature']);
  const rounds = [];
  for (const n of [1, 2, 3]) rounds.push(await repo.round(() => repo.commit(`Step ${n}`, {[`step-${n}`]: `${n}\n`})));
  const tip = await sh(['rev-parse', 'feature']);
  await sh(['checkout', '-q', 'main']);
  await repo.commit('Main goes on', {other: '1\n'});
  await sh(['merge', '-q', '--squash', 'feature']);
  await repo.git.text(['commit', '-q', '--no-edit'], {env: noEditor});
  const commit = await sh(['rev-parse', 'main']);

  const dry = await runJson<{copies: {round: string; via: string}[]; commits: number}>(t, repo, [
    'evidence',
    'reattach',
    '--dry-run',
  ]);
  t.deepEqual(
    dry.copies.map(({round, via}) => [round, via]),
    rounds.toReversed().map(round => [round, 'squash']),
  );
  t.deepEqual(await repo.keysOn('main'), {});

  const from = await Promise.all([2, 1, 0].map(back => sh(['rev-parse', '--short=12', `feature~${back}`])));
  const lines = rounds.map((round, index) => [
    `  ${round} of ${goal}, by claude@test: progress`,
    `    copy of ${from[index]}: the patch is that of several commits in one`,
  ]);
  await says(
    t,
    repo,
    ['evidence', 'show', 'main'],
    [`${commit.slice(0, 12)} was made by:`, ...lines.toReversed().flat(), `  More: loopx round show ${rounds[2]}`],
  );
  await says(
    t,
    repo,
    ['evidence', 'show', tip],
    [
      `${tip.slice(0, 12)} was made by:`,
      `  ${rounds[2]} of ${goal}, by claude@test: progress`,
      `  More: loopx round show ${rounds[2]}`,
    ],
  );

  await sh(['checkout', '-q', '-b', 'again', 'main~1']);
  const again = await repo.round(() => sh(['cherry-pick', 'feature~1']));
  await sh(['checkout', '-q', '-b', 'release', 'main~2']);
  await repo.commit('Release', {version: '2\n'});
  await sh(['cherry-pick', 'feature~1']);
  const picked = await sh(['rev-parse', '--short=12', 'HEAD']);
  const {stdout} = await runCli(t, repo, ['evidence', 'show', 'HEAD']);
  t.regex(
    stdout,
    new RegExp(
      `^No round is known to have made ${picked}\\.\n  The patch is like that of (${rounds[1]}|${again}) of .* and .*, and tells not of which\\.\n$`,
    ),
  );
  const {unclear} = await runJson<{unclear: {rounds: {round: string}[]}[]}>(t, repo, ['evidence', 'show', 'HEAD']);
  t.deepEqual(unclear[0]!.rounds.map(({round}) => round).sort(), [rounds[1]!, again].sort());
  const told = await runCli(t, repo, ['evidence', 'reattach']);
  t.true(told.stdout.startsWith(`Nothing to note: `), told.stdout);
  t.true(told.stdout.includes(`  ${picked}  The patch is like that of `), told.stdout);
});

test('a note of a round that nobody has recorded is shown as what it is (trap 20)', async t => {
  const repo = await roundRepo(t);
  const line = 'goal=port-1234 round=r-00000000 agent=claude@mbp outcome=done';
  await repo.sh(['notes', '--ref=loopx', 'add', '-m', line, 'HEAD']);
  const {rounds} = await runJson<{rounds: object[]}>(t, repo, ['evidence', 'show', 'HEAD']);
  t.like(rounds, [{round: 'r-00000000', via: 'note'}]);
});
