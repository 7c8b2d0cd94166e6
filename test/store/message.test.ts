import assert from 'node:assert/strict';
import test from 'ava';
import fc from 'fast-check';
import {encodeEvents} from '../../lib/store/codec.ts';
import {eventMessage, mergeMessage, readMessage} from '../../lib/store/message.ts';
import {eventsOf} from '../support/events.ts';

const text = fc
  .oneof(fc.string({unit: 'grapheme'}), fc.string({unit: 'binary'}))
  .map(raw => raw.toWellFormed().replaceAll('\0', ''));

test('a message reads back as the events it was made of', async t => {
  const bodies = fc.array(
    fc.oneof(
      fc.record({event: fc.constant('goal.amended'), text}),
      fc.record({event: fc.constant('todo.added'), todo: fc.constant('t-aaaaaaaa'), title: text, priority: fc.nat(4)}),
      fc.record({
        event: fc.constant('todo.edited'),
        todo: fc.constant('t-aaaaaaaa'),
        set: fc.record(
          {title: text, detail: fc.oneof(text, fc.constant(null)), rank: fc.integer()},
          {requiredKeys: []},
        ),
        saw: fc.dictionary(text, fc.array(text)),
      }),
    ),
    {maxLength: 4},
  );
  await fc.assert(
    fc.asyncProperty(bodies, async some => {
      const events = eventsOf(...some);
      const read = await readMessage(eventMessage(events));
      assert.deepEqual(read.events, events);
      assert.equal(read.problem, undefined);
      assert.doesNotMatch(read.subject, /[\n\p{Cc}]/u);
    }),
    {numRuns: 300},
  );
  t.pass();
});

test('a merge says the clock that it carries', async t => {
  const read = await readMessage(mergeMessage('py3-k3m9', 42));
  t.deepEqual(read, {subject: 'merge two histories of py3-k3m9', events: [], clock: 42});
});

test('the subject is one line of at most a hundred graphemes', t => {
  const subject = (words: string) =>
    eventMessage(eventsOf({event: 'goal.amended', text: words}).slice(1)).split('\n')[0]!;
  t.is(subject('two\nlines\u2028and \u202ebidi'), 'amend goal: two lines and bidi');
  const family = '👩‍👩‍👧‍👦';
  const long = subject(family.repeat(5000));
  t.true(long.endsWith(`${family}…`));
  t.is([...new Intl.Segmenter('en').segment(long)].length, 100);
});

const [created, added] = eventsOf({event: 'todo.added', todo: 't-aaaaaaaa', title: 'Port it: all', priority: 2});
const canonical = encodeEvents([created!, added!]);

for (const [how, body] of Object.entries({
  'with comments': `# fixed by hand\n${canonical.replace('priority: 2', 'priority: 2 # as before')}`,
  'in single quotes': canonical.replace('"Port it: all"', "'Port it: all'"),
  'as a block': canonical.replace('"Port it: all"', '|-\n    Port it: all'),
  'folded over two lines': canonical.replace('"Port it: all"', '"Port it:\n    all"'),
  'with nested maps': canonical.replace('policy: {}', 'policy:\n    {}'),
  'with Windows line ends': canonical.replaceAll('\n', '\r\n'),
  'as JSON': JSON.stringify([created, added], null, 2),
  'indented otherwise': canonical.replaceAll(/^- /gm, '-   ').replaceAll(/^ {2}(?=\w)/gm, '    '),
})) {
  test(`a body that somebody wrote ${how} is read through YAML`, async t => {
    t.not(body, canonical);
    const read = await readMessage(`add it\n\n${body}`);
    t.is(read.problem, undefined);
    t.deepEqual(read.events, [created, added]);
  });
}

for (const [what, body, isNewer] of [
  ['no body', '', undefined],
  ['prose', 'I changed the goal a bit.\n', undefined],
  ['broken YAML', '- event: [\n', undefined],
  ['an alias bomb', '- &a [x, x]\n- event: *a\n', undefined],
  ['a map instead of a list', 'event: goal.amended\n', undefined],
  ['a list of words', '- event\n', undefined],
  ['an empty list', '[]\n', undefined],
  ['an event without fields', '- event: goal.amended\n', undefined],
  ['an unknown field', canonical.replace('priority: 2', 'colour: red'), undefined],
  ['an event of a later version', canonical.replace('todo.added', 'todo.exploded'), true],
] as const) {
  test(`${what} is a problem, not an absence of events`, async t => {
    const read = await readMessage(`subject\n\n${body}`);
    t.deepEqual(read.events, []);
    t.is(typeof read.problem, 'string');
    t.is(read.isNewer, isNewer);
  });
}

test('a name that programs trip over is a name like any other', async t => {
  const saw = JSON.parse('{"__proto__": ["x"], "constructor": []}') as object;
  const [event] = eventsOf({event: 'todo.edited', todo: 't-aaaaaaaa', set: {}, saw}).slice(1);
  const read = await readMessage(eventMessage([event!]));
  t.is(JSON.stringify(read.events[0]!.saw), JSON.stringify(saw));
});
