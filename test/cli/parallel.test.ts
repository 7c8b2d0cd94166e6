// Many people and agents at once: twenty processes in four worktrees of one repository, each of which adds todos one
// after the other.
//
//     LOOPX_TODOS   how many each of them adds; 5 unless said, 20 where CI is set
import {execFile} from 'node:child_process';
import {dirname, join} from 'node:path';
import {promisify} from 'node:util';
import test from 'ava';
import {bundledLoopx} from '../support/bundle.ts';
import {loopxJson, program, shellEnv} from '../support/loopx.ts';
import {tempRepo} from '../support/repo.ts';

const writers = 20;
const todosEach = Number(process.env.LOOPX_TODOS ?? (process.env.CI ? 20 : 5));

test('twenty writers at once lose nothing (trap 1)', async t => {
  t.timeout(240_000);
  const repo = await tempRepo(t);
  await loopxJson(t, repo, ['start-goal', '--goal-text', 'Survive the rush']);
  const folders = [repo.dir];
  for (const name of ['two', 'three', 'four']) {
    const folder = join(dirname(repo.dir), name);
    await repo.git.text(['worktree', 'add', '-q', '-b', name, folder]);
    folders.push(folder);
  }

  const loop = `for n in $(seq ${todosEach}); do "${process.execPath}" "${await bundledLoopx()}" todo add "$1 $n" || exit 1; done`;
  const writer = await program(repo, 'writer', loop);
  const startMs = performance.now();
  await Promise.all(
    Array.from({length: writers}, (_, n) =>
      promisify(execFile)(writer, [`Writer ${n} todo`], {cwd: folders[n % folders.length]!, env: shellEnv(repo)}),
    ),
  );
  const seconds = Math.round((performance.now() - startMs) / 100) / 10;
  t.log(`${writers * todosEach} todos in ${seconds} s`);

  const {todos} = await loopxJson<{todos: {title: string}[]}>(t, repo, ['todo', 'list']);
  const titles = new Set(todos.map(({title}) => title));
  t.is(titles.size, writers * todosEach);
  for (let n = 0; n < writers; n += 1) {
    for (let k = 1; k <= todosEach; k += 1) t.true(titles.has(`Writer ${n} todo ${k}`), `${n} ${k}`);
  }

  const {ok, events} = await loopxJson<{ok: boolean; events: number}>(t, repo, ['fsck']);
  t.true(ok);
  t.is(events, writers * todosEach + 1);
  t.true(seconds < 60, `it took ${seconds} s`);
});
