import {dirname, join} from 'node:path';
import test, {type ExecutionContext} from 'ava';
import {beginRound, finishRound, type RoundEnd} from '../../lib/change/round.ts';
import {attachNotes} from '../../lib/evidence/attach.ts';
import {openGit} from '../../lib/git/command.ts';
import {readNotes} from '../../lib/git/notes.ts';
import {openRepository} from '../../lib/git/repository.ts';
import {applyConnect, planConnect} from '../../lib/hosts/connect.ts';
import type {RoundCommit} from '../../lib/model/round.ts';
import {changeGoal} from '../../lib/store/append.ts';
import {tempRepo} from '../support/repo.ts';
import {testGitStore, testGoal, testWriter} from '../support/store.ts';
import {testWorld} from '../support/world.ts';

async function setUp(t: ExecutionContext) {
  const repo = await tempRepo(t);
  const world = testWorld();
  const store = await testGitStore(t, repo, world);
  const repository = await openRepository(repo.dir, repo.env);
  const writer = testWriter(store, world);
  const {goal} = await testGoal(writer);
  const finish = async (commits: readonly string[]) => {
    const begun = await changeGoal(writer, goal, beginRound({agent: 'claude@test', leaseMs: 60_000, reserve: {}}));
    const round = String(begun.events.find(event => event.event === 'round.begun')!.round);
    const made = commits.map((commit): RoundCommit => ({commit, tree: commit}));
    const end: RoundEnd = {
      outcome: 'progress',
      ...{summary: 'Went on.', seconds: 1, usage: {tokens: 1, microUsd: 1}, billed: true},
      ...{changed: true, state: '3f9c2e1a2b3c4d5e', commits: made, checks: [], artifacts: []},
    };
    await changeGoal(writer, goal, finishRound(round, end));
    return round;
  };
  return {...repo, world, store, repository, goal, finish, attach: () => attachNotes(store, repository, world, goal)};
}

test('each commit of a finished round gets its line, once, and a lost one is made again', async t => {
  const {git, commit, finish, attach, goal} = await setUp(t);
  const commits = [await commit('one'), await commit('two')];
  const round = await finish(commits);
  t.is(await attach(), 2);
  t.is(await attach(), 0);
  const line = `goal=${goal} round=${round} agent=claude@test outcome=progress state=3f9c2e1a2b3c`;
  t.deepEqual(await readNotes(git, commits), new Map(commits.map(commit => [commit, [line]])));

  await git.text(['notes', '--ref=loopx', 'remove', commits[0]!]);
  await git.text(['notes', '--ref=loopx', 'append', '-m', 'by hand', commits[1]!]);
  t.is(await attach(), 1);
  t.deepEqual((await readNotes(git, commits)).get(commits[1]!), [line, 'by hand']);
});

test('a commit of two rounds has two lines, and one that is not here is passed over', async t => {
  const {git, commit, finish, attach} = await setUp(t);
  const one = await commit('one');
  await finish([one, 'f'.repeat(40)]);
  await finish([one]);
  t.is(await attach(), 2);
  t.is((await readNotes(git, [one])).get(one)?.length, 2);
  t.is(await attach(), 0);
});

test('amending and rebasing carry the line along in a connected repository (traps 13, 14)', async t => {
  const {dir, env, git, commit, finish, attach, repository} = await setUp(t);
  await applyConnect(repository, await planConnect(repository));
  const [one, two] = [await commit('one', {a: '1'}), await commit('two', {b: '1'})];
  await finish([one]);
  await finish([two]);
  await attach();
  await git.text(['reset', '-q', '--soft', 'HEAD~1']);
  await git.text(['commit', '-q', '-m', 'fixup! one']);
  await git.text(['notes', '--ref=loopx', 'copy', two, 'HEAD']);
  const editor = {GIT_SEQUENCE_EDITOR: 'true', GIT_EDITOR: 'true'};
  await openGit(dir, env).text(['rebase', '-q', '-i', '--autosquash', '--root'], {env: editor});
  const head = await git.text(['rev-parse', 'HEAD']);
  t.is((await readNotes(git, [head])).get(head)?.length, 2);
});

test('two machines make the same line', async t => {
  const {dir, env, git, commit, finish, attach, goal, world} = await setUp(t);
  const one = await commit('one');
  await finish([one]);
  await attach();
  const other = join(dirname(dir), 'other');
  await git.text(['clone', '-q', dir, other]);
  const there = await openRepository(other, env);
  await there.git.text(['fetch', '-q', 'origin', 'refs/loopx/goals/*:refs/loopx/goals/*']);
  const store = await testGitStore(t, {dir: other, env}, world);
  t.is(await attachNotes(store, there, world, goal), 1);
  t.deepEqual(await readNotes(there.git, [one]), await readNotes(git, [one]));
  t.is(await attachNotes(store, there, world, 'none-1234'), 0);
});
