import {execFile} from 'node:child_process';
import {promisify} from 'node:util';
import test from 'ava';
import {bundledLoopx} from '../support/bundle.ts';
import {shellEnv} from '../support/loopx.ts';
import {connectedClones} from './clones.ts';

const execute = promisify(execFile);
const cloneCount = 8;
const rounds = 5;

test('eight clones that add and sync at once lose nothing, and end with the same commit (traps 1, 6)', async t => {
  const clones = await connectedClones(t, cloneCount);
  const [first] = clones;
  const {goal} = await first!.json<{goal: {id: string}}>(['start-goal', '--goal-text', 'Port storage']);
  await first!.loopx(['sync']);
  const file = await bundledLoopx();
  await Promise.all(
    clones.map(async ({repo}, index) => {
      const run = (...args: readonly string[]) =>
        execute(process.execPath, [file, ...args], {cwd: repo.dir, env: shellEnv(repo, {LANG: 'de_DE.UTF-8'})});
      await run('sync');
      for (let round = 0; round < rounds; round += 1) {
        await run('todo', 'add', `clone ${index} round ${round}`);
        await run('sync');
      }
    }),
  );
  for (const clone of clones) t.is((await clone.loopx(['sync'])).status, 0);
  for (const clone of clones) t.is((await clone.loopx(['sync'])).status, 0);
  const tips = await Promise.all(clones.map(clone => clone.tip(goal.id)));
  t.deepEqual(new Set(tips), new Set([await first!.remoteTip(goal.id)]));
  const {todos} = await first!.json<{todos: {title: string}[]}>(['todo', 'list']);
  t.is(new Set(todos.map(({title}) => title)).size, cloneCount * rounds);
  t.is((await clones.at(-1)!.loopx(['fsck'])).status, 0);
});
