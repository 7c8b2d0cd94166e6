import test from 'ava';
import {loopx} from './loopx.ts';
import {tempRepo} from './repo.ts';

// What lies in files of its own in the bundle is found there.
test('the bundled program loads the packages that few commands need', async t => {
  const repo = await tempRepo(t);
  t.regex((await loopx(t, repo, ['todo', 'add', '--help'])).stdout, /^loopx todo add <title>\n/);
  const set = await loopx(t, repo, ['config', 'set', 'checkpoint_interval', '10m']);
  t.deepEqual([set.status, set.stderr], [0, '']);
  const {stdout} = await loopx(t, repo, ['config', 'get', 'checkpoint_interval']);
  t.is(stdout, '10m\n');
});
