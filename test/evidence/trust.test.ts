import {appendFile, mkdir, mkdtemp, rm, stat} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import test, {type ExecutionContext} from 'ava';
import {isTrusted, listTrusted, trust} from '../../lib/evidence/trust.ts';

async function folder(t: ExecutionContext) {
  const dir = await mkdtemp(join(tmpdir(), 'loopx-test-'));
  t.teardown(() => rm(dir, {recursive: true, force: true}));
  return dir;
}

test('only exactly what was trusted is trusted, and only where it was', async t => {
  const [here, elsewhere] = [await folder(t), await folder(t)];
  t.false(await isTrusted(here, 'npm test'));
  await trust(here, ['npm test', 'npm test', 'make']);
  await trust(here, ['make']);
  t.true(await isTrusted(here, 'npm test'));
  t.false(await isTrusted(here, 'npm test '));
  t.false(await isTrusted(elsewhere, 'npm test'));
  t.is((await listTrusted(here)).size, 2);
  t.is((await stat(join(here, 'loopx/trusted'))).mode & 0o777, 0o600);
});

test('a line that was cut off spoils no other, and two who trust at once both keep theirs', async t => {
  const dir = await folder(t);
  await trust(dir, ['a']);
  await appendFile(join(dir, 'loopx/trusted'), 'abc');
  await trust(dir, ['b']);
  await Promise.all(Array.from({length: 20}, (_, n) => trust(dir, [`c${n}`])));
  t.is((await listTrusted(dir)).size, 22);
});

test('a list that cannot be read is an error, not an empty list (trap 5)', async t => {
  const dir = await folder(t);
  await trust(dir, ['a']);
  await rm(join(dir, 'loopx/trusted'));
  await mkdir(join(dir, 'loopx/trusted'));
  await t.throwsAsync(isTrusted(dir, 'a'), {code: 'io-failed'});
});
