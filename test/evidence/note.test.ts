import test from 'ava';
import fc from 'fast-check';
import {copyNote, formatNote, type Note, noteOf, parseNote, withoutKey} from '../../lib/evidence/note.ts';

test('a round reads as one line', t => {
  const checks = [
    {name: 'npm test, all', run: 'npm test', outcome: 'pass', seconds: 1},
    {name: 'lint', run: 'make lint', outcome: 'fail', status: 2, seconds: 1},
  ] as const;
  const round = {
    round: 'r-8w2fz6qk',
    todo: 't-k3m9x7q2',
    agent: 'claude@mbp',
    outcome: 'progress',
    checks,
    state: '3f9c2e1'.repeat(5),
  } as const;
  const line =
    'goal=py3-k3m9 round=r-8w2fz6qk todo=t-k3m9x7q2 agent=claude@mbp outcome=progress ' +
    'checks=npm-test-all:pass,lint:fail state=3f9c2e13f9c2';
  t.is(formatNote(noteOf('py3-k3m9', round)), line);
  t.deepEqual(parseNote(`${line} later="a \\"b\\""`), noteOf('py3-k3m9', round));
});

test('a copy says how it is known and of what it is a copy, and is the same note besides', t => {
  const note = {goal: 'py3-k3m9', round: 'r-8w2fz6qk', agent: 'claude@mbp', outcome: 'progress'};
  const copy = copyNote(note, {via: 'squash', from: '0123456789abcdef'});
  const line = formatNote(copy);
  t.is(line, `${formatNote(note)} via=squash from=0123456789ab`);
  t.deepEqual(parseNote(line), copy);
  t.deepEqual(withoutKey(copy), note);
  t.deepEqual(parseNote(line.replace('squash', 'magic')), {...note, from: '0123456789ab'}, 'a key of a later version');
});

test('lines of others are none of ours, whatever they are', t => {
  for (const line of ['', 'Reviewed-by: me', 'goal=a', 'goal="a round=r agent=b outcome=c', '{"goal": 1}']) {
    t.is(parseNote(line), undefined, line);
  }

  t.notThrows(() => fc.assert(fc.property(fc.string(), text => void parseNote(text))));
});

test('reading gives back what was written, on one line, for any names', t => {
  const value = fc.string({minLength: 1, unit: 'binary'});
  const name = fc.stringMatching(/^[a-z][a-z0-9-]{0,10}$/).map(text => text.replace(/-$/, ''));
  const check = fc.record({name, outcome: fc.constantFrom('pass', 'fail', 'timeout', 'not-trusted')});
  const note = fc.record(
    {
      ...{goal: value, round: value, todo: value, agent: value, outcome: value, state: value},
      checks: fc.array(check, {minLength: 1}),
      ...{via: fc.constantFrom('rewrite', 'tree', 'patch', 'squash'), from: value},
    },
    {requiredKeys: ['goal', 'round', 'agent', 'outcome']},
  ) as fc.Arbitrary<Note>;
  fc.assert(
    fc.property(note, note => {
      const line = formatNote(note);
      t.notRegex(line, /[\n\r\0]/);
      t.deepEqual(parseNote(line), note);
    }),
  );
});
