import {appendFile, mkdir, mkdtemp, readdir, rm, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import test, {type ExecutionContext} from 'ava';
import {readSpool, trimSpool} from '../../lib/evidence/spool.ts';
import {testWorld} from '../support/world.ts';

async function setUp(t: ExecutionContext) {
  const dir = await mkdtemp(join(tmpdir(), 'loopx-test-'));
  t.teardown(() => rm(dir, {recursive: true, force: true}));
  await mkdir(join(dir, 'loopx'));
  return {dir, folder: join(dir, 'loopx'), file: join(dir, 'loopx/spool')};
}

const [a, b] = ['a'.repeat(40), 'b'.repeat(64)];

test('lines are read, and what is cut off, junk or empty is left out', async t => {
  const {dir, file} = await setUp(t);
  t.deepEqual(await readSpool(dir), []);
  await writeFile(
    file,
    `post-commit - r-x ${a}\njunk\n\npost-commit w-1 - -\npost-rewrite - - ${b} ${a} ${a}\n` +
      `post-commit - - ../x\npost-commit - - ${a} ${a}\n\0\0\npost-commit - r-y ${a}`,
  );
  const at = {hook: 'post-commit', gitDir: dir, round: undefined, commit: a};
  t.deepEqual(await readSpool(dir), [
    {...at, round: 'r-x'},
    {...at, gitDir: join(dir, 'worktrees/w-1'), commit: undefined},
    {...at, hook: 'post-rewrite', commit: b, rewritten: {from: a, to: a}},
  ]);
});

test('a spool that has grown is set aside and read on, and does not grow for ever', async t => {
  const {dir, folder, file} = await setUp(t);
  const world = testWorld();
  const line = (n: number) => `post-commit - r-${n} ${a}\n`;
  for (let n = 1; n <= 5; n += 1) {
    await appendFile(file, line(n).repeat(5000));
    await trimSpool(dir, world);
    await trimSpool(dir, world);
    world.advance(1000);
  }

  await appendFile(file, line(6));
  t.is((await readdir(folder)).length, 3);
  const rounds = new Set((await readSpool(dir)).map(({round}) => round));
  t.deepEqual([...rounds], ['r-4', 'r-5', 'r-6']);
});
