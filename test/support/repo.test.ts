import test from 'ava';
import {tempRepo} from './repo.ts';

test('a temporary repository is the same on every run', async t => {
  const repo = await tempRepo(t);
  const second = await repo.commit('Add a', {'deep/a.txt': 'a\n'});
  t.is(second, 'e2707a1700439d8369b0390816a41636205285b3');
  t.is((await repo.read('deep/a.txt')).toString(), 'a\n');

  const scopes = await repo.git.text(['config', '--list', '--show-scope']);
  t.deepEqual([...new Set(scopes.split('\n').map(line => line.split('\t')[0]))], ['local'], 'nobody else is asked');
});
