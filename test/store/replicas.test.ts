import {writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import test, {type ExecutionContext} from 'ava';
import fc from 'fast-check';
import {eventKinds} from '../../lib/model/fold.ts';
import {memoryStore, type Objects} from '../../lib/store/memory-store.ts';
import {newTally, plans, playPlan, type Stage} from '../support/replicas.ts';
import {tempRepo} from '../support/repo.ts';
import {testGitStore} from '../support/store.ts';

function memoryStage(): Stage {
  const objects: Objects = new Map();
  return {
    stores: [memoryStore(objects), memoryStore(objects), memoryStore(objects)],
    fetch: async () => {},
    mirror: async (_, goal, tip) => {
      const store = memoryStore(objects);
      await store.forward(goal, tip, undefined);
      return store;
    },
  };
}

test('three replicas that write and merge at random always agree with the full fold (trap 7)', async t => {
  const tally = newTally();
  const runs = 250;
  await fc.assert(
    fc.asyncProperty(plans({minLength: 50, maxLength: 70}), plan => playPlan(plan, memoryStage(), tally)),
    {numRuns: runs},
  );
  t.log(`${tally.commits} commits, ${tally.merged} merges, ${tally.widened} widened, ${tally.contests} contests`);
  t.deepEqual(
    eventKinds.map(({kind}) => kind).filter(kind => !tally.kinds.has(kind)),
    [],
    'every kind came up',
  );
  t.true(tally.commits >= runs * 30);
  t.true(tally.widened > 0 && tally.contests > 0);
});

// Three clones of their own, which fetch from each other as remotes are fetched, and one more for the other direction.
async function gitStage(t: ExecutionContext): Promise<Stage> {
  const repos = [
    await tempRepo(t, {commit: false}),
    await tempRepo(t, {commit: false}),
    await tempRepo(t, {commit: false}),
  ];
  const stores = await Promise.all(repos.map(repo => testGitStore(t, repo)));
  const other = await tempRepo(t, {commit: false});
  const alternates = repos.map(({dir}) => `${join(dir, '.git', 'objects')}\n`).join('');
  await writeFile(join(other.dir, '.git', 'objects', 'info', 'alternates'), alternates);
  const mirrored = await testGitStore(t, other);
  return {
    stores,
    fetch: async (to, from) => {
      const refspec = '+refs/loopx/goals/*:refs/loopx/remotes/x/goals/*';
      await repos[to]!.git.text(['fetch', '-q', '--no-tags', repos[from]!.dir, refspec]);
    },
    mirror: async (_, goal, tip) => {
      await mirrored.forward(goal, tip, (await mirrored.tips()).get(goal));
      return mirrored;
    },
  };
}

test('clones of a real repository that fetch from each other agree as well', async t => {
  const tally = newTally();
  const property = fc.asyncProperty(plans({minLength: 24, maxLength: 30}), async plan =>
    playPlan(plan, await gitStage(t), tally),
  );
  await fc.assert(property, {numRuns: 3, endOnFailure: true});
  t.log(`${tally.commits} commits, ${tally.merged} merges, ${tally.widened} widened, ${tally.contests} contests`);
  t.true(tally.merged > 0);
});
