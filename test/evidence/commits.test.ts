import {appendFile, mkdir, rm} from 'node:fs/promises';
import {dirname, join} from 'node:path';
import test from 'ava';
import {roundCommits} from '../../lib/evidence/commits.ts';
import {openGit} from '../../lib/git/command.ts';
import {patchIds} from '../../lib/git/patch-ids.ts';
import {openRepository} from '../../lib/git/repository.ts';
import {applyConnect, planConnect} from '../../lib/hosts/connect.ts';
import {tempRepo} from '../support/repo.ts';

const round = {round: 'r-8w2fz6qk', isDriven: true};
const subjects = (commits: readonly {subject?: string}[]) => commits.map(({subject}) => subject);

test('the commits of a round are told with tree and patch-id, the oldest first (trap 57)', async t => {
  const {dir, env, git, commit} = await tempRepo(t);
  const repository = await openRepository(dir, env);
  const start = await git.text(['rev-parse', 'HEAD']);
  t.deepEqual(await roundCommits(repository, start, round), []);
  const one = await commit('One ü', {a: '1\n'});
  await commit('Two');
  const made = await roundCommits(repository, start, round);
  t.deepEqual(subjects(made), ['One ü', 'Two']);
  t.is(made[0]!.commit, one);
  t.is(made[0]!.tree, await git.text(['rev-parse', `${one}^{tree}`]));
  t.regex(made[0]!.patch!, /^[0-9a-f]{40}$/);
  t.false('patch' in made[1]!, 'an empty commit has none');
  t.deepEqual(subjects(await roundCommits(repository, undefined, round)), ['First commit', 'One ü', 'Two']);
  t.deepEqual(
    await roundCommits(repository, 'f'.repeat(40), round),
    [],
    'a start that is gone tells nothing (trap 17)',
  );
});

test('the last commit tells what the round, and its branch so far, are as one patch (trap 16)', async t => {
  const {dir, env, git, commit} = await tempRepo(t);
  const repository = await openRepository(dir, env);
  const base = await git.text(['rev-parse', 'HEAD']);
  await git.text(['checkout', '-q', '-b', 'feature']);
  const start = await commit('Before', {a: '1\n'});
  t.false('ranges' in (await roundCommits(repository, base, round))[0]!, 'one commit is its own whole');
  await commit('One', {b: '1\n'});
  await commit('Two', {c: '1\n'});
  const [one, two] = await roundCommits(repository, start, round);
  t.false('ranges' in one!);
  t.deepEqual(
    two!.ranges!.map(range => range.base),
    [start, base],
  );
  await git.text(['checkout', '-q', 'main']);
  await commit('Main', {d: '1\n'});
  await git.text(['merge', '-q', '--squash', 'feature']);
  const squash = await commit('Squash');
  t.is((await patchIds(git, [squash])).get(squash), two!.ranges![1]!.patch);
});

test("a patch-id does not depend on the user's settings", async t => {
  const {dir, env, git, commit} = await tempRepo(t);
  const start = await git.text(['rev-parse', 'HEAD']);
  const repository = await openRepository(dir, env);
  await commit('One', {a: '1\n', 'README.md': '# Changed\n'});
  const before = await roundCommits(repository, start, round);
  for (const [key, value] of [
    ['diff.noprefix', 'true'],
    ['diff.context', '0'],
    ['color.ui', 'always'],
    ['diff.external', 'false'],
    ['log.showSignature', 'true'],
    ['format.pretty', 'fuller'],
  ]) {
    await git.text(['config', key!, value!]);
  }

  t.deepEqual(await roundCommits(repository, start, round), before);
});

test('what the round took back is not told', async t => {
  const {dir, env, git, commit} = await tempRepo(t);
  const repository = await openRepository(dir, env);
  const start = await git.text(['rev-parse', 'HEAD']);
  await commit('Reset', {a: '1'});
  await git.text(['reset', '-q', '--hard', start]);
  await commit('Amended', {b: '1'});
  await git.text(['commit', '-q', '--amend', '-m', 'Better']);
  t.deepEqual(subjects(await roundCommits(repository, start, round)), ['Better']);
  await git.text(['reset', '-q', '--hard', `${start}`]);
  await git.text(['commit', '-q', '--amend', '-m', 'Another first']);
  t.deepEqual(await roundCommits(repository, start, round), [], 'a copy of what was there is no new work');
});

test('what others made is not told, and what was pushed is (trap 18)', async t => {
  const {dir, env, git, commit} = await tempRepo(t);
  const [hub, mine] = [join(dirname(dir), 'hub.git'), join(dirname(dir), 'mine')];
  await git.text(['clone', '-q', '--bare', dir, hub]);
  await git.text(['clone', '-q', hub, mine]);
  const there = openGit(mine, env);
  await there.text(['config', 'user.name', 'Ben']);
  await there.text(['config', 'user.email', 'ben@example.org']);
  const own = async (message: string) => {
    await appendFile(join(mine, 'own.txt'), `${message}\n`);
    await there.text(['add', '-A']);
    await there.text(['commit', '-q', '-m', message]);
  };
  await own('Earlier');
  const start = await there.text(['rev-parse', 'HEAD']);

  await commit('Theirs', {theirs: '1'});
  await git.text(['push', '-q', hub, 'main']);
  await own('Before the pull');
  await there.text(['pull', '-q', '--no-rebase', '--no-edit']);
  await there.text(['push', '-q']);
  await own('After the pull');
  const repository = await openRepository(mine, env);
  const merged = subjects(await roundCommits(repository, start, round));
  t.deepEqual(
    [...merged].sort(),
    ['After the pull', 'Before the pull', `Merge branch 'main' of ${hub.slice(0, -4)}`].sort(),
  );

  await commit('Theirs again', {again: '1'});
  await git.text(['pull', '-q', '--no-rebase', '--no-edit', hub, 'main']);
  await git.text(['push', '-q', hub, 'main']);
  const second = await there.text(['rev-parse', 'HEAD']);
  await own('Rebased');
  await there.text(['pull', '-q', '--rebase']);
  await there.text(['push', '-q']);
  t.deepEqual(subjects(await roundCommits(repository, second, round)), ['Rebased']);
});

test('a rebase of earlier work is no new work of the round (trap 13)', async t => {
  const {dir, env, git, commit} = await tempRepo(t);
  await git.text(['checkout', '-q', '-b', 'side']);
  const start = await commit('Earlier', {a: '1'});
  await git.text(['checkout', '-q', 'main']);
  await commit('Main', {b: '1'});
  await git.text(['checkout', '-q', 'side']);
  await git.text(['rebase', '-q', 'main']);
  await commit('Mine', {c: '1'});
  const made = await roundCommits(await openRepository(dir, env), start, round);
  t.deepEqual(subjects(made), ['Main', 'Mine']);
});

test('a commit that another worktree made, pushed and handed over is known by its hook (trap 36)', async t => {
  const {dir, env, git, commit} = await tempRepo(t);
  const start = await git.text(['rev-parse', 'HEAD']);
  await git.text(['checkout', '-q', '-b', 'side']);
  const made = await commit('Handed over', {a: '1'});
  await git.text(['checkout', '-q', 'main']);
  await git.text(['merge', '-q', '--ff-only', 'side']);
  await git.text(['update-ref', 'refs/remotes/origin/side', made]);
  await rm(join(dir, '.git/logs'), {recursive: true});
  const repository = await openRepository(dir, env);
  t.deepEqual(await roundCommits(repository, start, round), []);
  await mkdir(join(dir, '.git/loopx'));
  await appendFile(join(dir, '.git/loopx/spool'), `post-commit w ${round.round} ${made}\n`);
  t.deepEqual(subjects(await roundCommits(repository, start, round)), ['Handed over']);
});

test('a round of very many commits tells the latest fifty', async t => {
  const {dir, env, git} = await tempRepo(t);
  const start = await git.text(['rev-parse', 'HEAD']);
  const stream = Array.from({length: 70}, (_, n) => {
    const from = n === 0 ? `from ${start}\n` : '';
    return `commit refs/heads/main\ncommitter a <a@b> ${n} +0000\ndata <<E\nn ${n}\nE\n${from}\n`;
  });
  await git.text(['fast-import', '--quiet'], {input: stream.join('')});
  const made = await roundCommits(await openRepository(dir, env), start, round);
  t.is(made.length, 50);
  t.is(made.at(-1)!.subject, 'n 69');
});

test("a commit that a person makes meanwhile is not the round's, unless nobody can tell (trap 36)", async t => {
  const {dir, env, git} = await tempRepo(t);
  const repository = await openRepository(dir, env);
  await applyConnect(repository, await planConnect(repository));
  const start = await git.text(['rev-parse', 'HEAD']);
  const commit = ['commit', '-q', '--allow-empty', '-m'];
  await git.text([...commit, 'By the agent'], {env: {LOOPX_ROUND: round.round}});
  await git.text([...commit, 'By a person']);
  t.deepEqual(subjects(await roundCommits(repository, start, round)), ['By the agent']);
  // Of a round that is begun by hand no process carries the name.
  const byHand = await roundCommits(repository, start, {...round, isDriven: false});
  t.deepEqual(subjects(byHand), ['By the agent', 'By a person']);
  await rm(join(repository.commonDir, 'loopx/spool'));
  t.is((await roundCommits(repository, start, round)).length, 2);
});
