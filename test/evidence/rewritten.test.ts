import test from 'ava';
import {rewrittenFrom} from '../../lib/evidence/rewritten.ts';

test('what git rewrote is followed through all rewrites, also where several became one, and never in circles', t => {
  const pairs = [
    {from: 'a', to: 'b'},
    {from: 'b', to: 'd'},
    {from: 'c', to: 'd'},
    {from: 'd', to: 'a'},
    {from: 'x', to: 'y'},
  ];
  const found = rewrittenFrom(['a', 'c'], pairs);
  const told = Object.fromEntries([...found].map(([to, from]) => [to, [...from].sort()]));
  t.deepEqual(told, {a: ['c'], b: ['a', 'c'], d: ['a', 'c']});
});
