import test from 'ava';
import {addTodo, startGoal} from '../support/cli.ts';
import {loopx, program} from '../support/loopx.ts';
import {tempRepo} from '../support/repo.ts';

test('what was written is packed at the end of a run, unless maintenance is off', async t => {
  const repo = await tempRepo(t);
  await startGoal(t, repo);
  await addTodo(t, repo, 'Write it');
  const agent = await program(repo, 'agent', 'date >> work.txt');
  const packs = async () => /^packs: (\d+)$/m.exec(await repo.git.text(['count-objects', '-v']))?.[1];
  const run = async (env: Record<string, string>) => {
    // As if a thousand events had been written since it was last done.
    await repo.write('.git/loopx/packed', '-1000\n');
    await loopx(t, repo, ['run', '--command', agent, '--max-rounds', '1'], {env});
    return packs();
  };
  t.is(await run({LOOPX_MAINTENANCE: 'off'}), '0');
  t.is(await run({}), '1');
  t.true(Number((await repo.read('.git/loopx/packed')).toString()) > 5);
  t.is((await loopx(t, repo, ['fsck'])).status, 0);
});
