import test from 'ava';
import {
  agentName,
  derivedGateId,
  eventIds,
  goalId,
  isAgentName,
  machineName,
  recordId,
  resolveId,
  shortId,
  slug,
} from '../../lib/model/ids.ts';
import {testWorld} from '../support/world.ts';

test('event ids grow, also when the clock is set back', t => {
  const world = testWorld();
  const next = eventIds(world.now, world.random);
  const ids = [next(), next(), next()];
  world.advance(-3_600_000);
  ids.push(next(), next());
  world.advance(7_200_000);
  ids.push(next());
  t.deepEqual([...ids].sort(), ids);
  t.is(new Set(ids).size, ids.length);
  for (const id of ids) t.regex(id, /^[0-9A-HJKMNP-TV-Z]{26}$/);
});

test('the id of a record follows from the event that makes it (trap 56)', t => {
  t.regex(recordId('t', '01JDZ5Q0M8V4'), /^t-[0-9a-z]{8}$/);
  t.is(recordId('t', 'x'), recordId('t', 'x'));
  t.not(recordId('t', 'x'), recordId('t', 'y'));
  t.not(derivedGateId('g-1', 'answer'), derivedGateId('g-2', 'answer'));
  t.regex(goalId('Port storage to Python 3', 'x'), /^port-storage-python-3-[0-9a-z]{4}$/);
});

const slugs = test.macro((t, text: string, expected: string) => {
  t.is(slug(text), expected);
  t.regex(goalId(text, 'x'), /^[a-z0-9-]{1,40}-[0-9a-z]{4}$/);
});

test(
  'a slug takes the telling words',
  slugs,
  'Port the storage layer to Python 3, please',
  'port-storage-layer-python',
);
test('a slug of filler only keeps it', slugs, 'to be or to be', 'to-be-or-to');
test('a slug drops accents', slugs, 'Grüße an Zoë', 'grusse-zoe');
test('a Chinese text has no slug of its own', slugs, '把存储迁移到数据库', 'goal');
test('a text of both keeps the Latin words', slugs, '把 storage 迁移到 Postgres', 'storage-postgres');
test('an empty text is a goal', slugs, ' \n', 'goal');
test('punctuation only is a goal', slugs, '?!', 'goal');
test(
  'a slug is short',
  slugs,
  'supercalifragilisticexpialidocious antidisestablishmentarianism',
  'supercalifragilisticexpialidocio',
);
test('a slug does not end in a hyphen', slugs, `${'a'.repeat(31)} b`, 'a'.repeat(31));
test('a hostile text makes a harmless slug', slugs, '../../etc/passwd; rm -rf ~ \0', 'etc-passwd-rm-rf');

test('agents are named so that a ref and a file may be', t => {
  for (const name of ['claude@mbp', 'codex-2@ci.example', '_x@h', '0@1']) t.is(agentName(name), name);
  const bad = [
    'claude',
    '@mbp',
    'claude@',
    'Claude@mbp',
    'a b@c',
    'a..b@c',
    'a@b.',
    'a@b.lock',
    'a.@b',
    '../x@y',
    '.a@b',
    'ü@b',
  ];
  for (const name of [...bad, `${'a'.repeat(100)}@b`]) t.throws(() => agentName(name), {code: 'usage'}, name);
  t.false(isAgentName('Ada <ada@example.org>'));
  t.is(machineName('Ünal’s MacBook-Pro.local'), 'nal-s-macbook-pro');
  t.is(machineName('电脑'), 'machine');
});

const ids = ['t-k3m9x7q2', 't-k3m9aaaa', 't-zzzz0000'];

test('an id is named by any prefix that only it has', t => {
  t.is(resolveId('t', 't-k3m9x', ids), 't-k3m9x7q2');
  t.is(resolveId('t', 'Z', ids), 't-zzzz0000');
  t.is(resolveId('t', 't-k3m9x7q2', [...ids, 't-k3m9x7q2aa']), 't-k3m9x7q2', 'the whole id always');
  t.throws(() => resolveId('t', 'k3m9', ids), {code: 'ambiguous', message: /t-k3m9x7q2, t-k3m9aaaa/});
  t.throws(() => resolveId('t', 'q', ids), {code: 'not-found'});
  t.throws(() => resolveId('t', '', ['t-k3m9x7q2']), {code: 'not-found'});
  t.throws(() => resolveId('t', 't-', ['t-k3m9x7q2']), {code: 'not-found'});
});

test('an id is printed as its shortest unique prefix, of at least four characters', t => {
  t.is(shortId('t-zzzz0000', ids), 't-zzzz');
  t.is(shortId('t-k3m9x7q2', ids), 't-k3m9x');
  for (const id of ids) t.is(resolveId('t', shortId(id, ids), ids), id);
});
