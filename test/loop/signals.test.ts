// The loop asked to end at random moments: whenever that is, it ends its agent, records what there is, and says so.
import {readdir} from 'node:fs/promises';
import {join} from 'node:path';
import {setTimeout as sleep} from 'node:timers/promises';
import test from 'ava';
import {agentsFolder, loopxJson, processesIn, startLoopx} from '../support/loopx.ts';
import {tempRepo} from '../support/repo.ts';
import {testWorld} from '../support/world.ts';

const signals = Number(process.env.LOOPX_SIGNALS ?? (process.env.CI ? 40 : 8));
const seed = Number(process.env.LOOPX_SEED ?? Date.now() % 1_000_000);

test('a loop that is asked to end at any moment leaves nothing open', async t => {
  t.timeout(300_000);
  const {random} = testWorld({seed});
  const repo = await tempRepo(t);
  await loopxJson(t, repo, ['start-goal', '--goal-text', 'Port', '--check', 'sleep 0.1']);
  const argv = ['run', '--command', `${agentsFolder}/works done`];
  const statuses: Record<string, number> = {};
  for (let n = 0; n < signals; n += 1) {
    for (const title of ['One', 'Two']) await loopxJson(t, repo, ['todo', 'add', title, '--check', 'sleep 0.1']);
    const {child, ended} = await startLoopx(t, repo, argv);
    await sleep(80 + random() * 1800);
    child.kill(random() < 0.5 ? 'SIGINT' : 'SIGTERM');
    const {status, signal, stdout, stderr} = await ended;
    statuses[status] = (statuses[status] ?? 0) + 1;
    // Before loopx listens, a signal ends it as it ends any program.
    const unheard = signal !== null && stderr === '';
    // At its very end, after all is done and said, Node no longer listens either.
    const finished = (status === 0 || signal !== null) && /The goal is finished/.test(stdout);
    t.true(status === 130 || finished || unheard, `${status}: ${stdout}${stderr}`);
    t.deepEqual(await processesIn(repo), []);
    t.deepEqual(await readdir(join(repo.dir, '.git/loopx/running')).catch(() => []), [], stderr);
    t.is(await repo.git.text(['for-each-ref', 'refs/loopx/live']), '', stderr);
    t.false((await readdir(join(repo.dir, '.git'))).includes('loopx-round'));
    const after = await loopxJson<{round: object | null; goal: {status: string}}>(t, repo, ['status']);
    t.is(after.round, null, stderr);
    if (after.goal.status === 'finished') await loopxJson(t, repo, ['goal', 'resume']);
  }

  t.true((await loopxJson<{ok: boolean}>(t, repo, ['fsck'])).ok);
  t.log(`seed ${seed}, exit statuses ${JSON.stringify(statuses)}`);
});
