// Rounds whose loop may be gone: on this machine that can be looked up, on another one only its lease tells.
import test, {type ExecutionContext} from 'ava';
import {openRepository} from '../../lib/git/repository.ts';
import {listRunning, type Running, writeRunning} from '../../lib/loop/running.ts';
import {runCli, runJson, startGoal} from '../support/cli.ts';
import {type TempRepo, tempRepo} from '../support/repo.ts';
import {testNowMs} from '../support/world.ts';

type Status = {round: {round: string} | null; rounds: {round: string; outcome: string}[]};

/** A round that a loop on that machine has begun, under a process that is not there. */
async function roundOn(
  t: ExecutionContext,
  machine: string,
): Promise<TempRepo & {round: string; left: () => Promise<number>}> {
  const repo = await tempRepo(t);
  const goal = await startGoal(t, repo, 'Port', ['--todo', 'One']);
  const env = {LOOPX_AGENT: `claude@${machine}`};
  const {round} = await runJson<{round: {id: string}}>(t, repo, ['round', 'begin'], {env});
  const repository = await openRepository(repo.dir, repo.env);
  const running: Running = {
    ...{goal, agent: `claude@${machine}`, round: round.id, attempt: 'a', machine, pid: 4242, startTime: 'then'},
    ...{gitDir: repository.gitDir, top: repo.dir, startedAtMs: testNowMs, seenAtMs: testNowMs},
  };
  await writeRunning(repository, running);
  return {...repo, round: round.id, left: async () => (await listRunning(repository)).length};
}

test('a round of this machine is recorded as soon as its process is gone, even where its number is in use again (trap 32)', async t => {
  const repo = await roundOn(t, 'test');
  const {stderr} = await runCli(t, repo, ['status']);
  t.regex(stderr, new RegExp(`Round ${repo.round} by claude@test on t-\\w+ had vanished`));
  t.like(await runJson<Status>(t, repo, ['status']), {
    round: null,
    rounds: [{round: repo.round, outcome: 'interrupted'}],
  });
  t.is(await repo.left(), 0);
});

test('a round of another machine that shares the disk is left alone until its lease is over', async t => {
  const repo = await roundOn(t, 'container');
  t.is((await runCli(t, repo, ['status'])).stderr, '');
  t.like(await runJson<Status>(t, repo, ['status']), {round: {round: repo.round}, rounds: []});
  t.is(await repo.left(), 1);

  const {stderr} = await runCli(t, repo, ['status'], {nowMs: testNowMs + 31 * 60_000});
  t.regex(stderr, /had vanished/);
  t.is(await repo.left(), 0);
});
