import assert from 'node:assert/strict';
import test from 'ava';
import fc from 'fast-check';
import {parse} from 'yaml';
import {canonicalJson, type Json} from '../../lib/model/json.ts';
import {decodeEvents, decodeRecord, encodeEvents, encodeRecord} from '../../lib/store/codec.ts';

const hostile = [
  ...['', ' ', 'a ', ' a', '-', '- a', ': ', 'a:', 'a: b', '#', 'a #b', '?', '!', '&a', '*a', '|', '>', '%', '@', '`'],
  ...['null', 'Null', '~', 'true', 'YES', 'no', 'on', 'y', 'N', 'NaN', '.nan', 'Infinity', '.inf', '-.inf', '<<', '='],
  ...['0', '00', '1', '-1', '+1', '1.', '.5', '1e3', '0x1f', '0o17', '0b1', '1_000', '12:30', '12:30:45', '1.2.3'],
  ...[
    '2026-11-30',
    '2026-11-30T05:49:51Z',
    '01E5',
    '01JDZ5Q0M8V4',
    '{',
    '}',
    '[',
    ']',
    ',',
    '"',
    "'",
    '\\',
    '---',
    '...',
  ],
  ...[
    '__proto__',
    'constructor',
    'toString',
    'hasOwnProperty',
    'length',
    '0 a',
    'a  b',
    'a\tb',
    'a\nb',
    'a\r\nb',
    '\0',
    '\u0085',
  ],
  ...[
    '\u2028',
    '\u2029',
    '\ufeff',
    '\ufeffa',
    '\ufffe',
    '\uffff',
    '\ud800',
    '\udfff',
    'é',
    'e\u0301',
    '世界',
    '👩‍👩‍👧',
    '\u202e',
  ],
  ...[
    '\u001b[31m',
    '\u007f',
    'a'.repeat(300),
    'x: y'.repeat(20_000),
    '世'.repeat(5000),
    'a@b',
    'claude@mbp',
    't-k3m9x7q2',
  ],
];
const anyText = fc.oneof(
  fc.constantFrom(...hostile),
  fc.string({unit: 'binary'}),
  fc.string(),
  fc.string({unit: 'grapheme'}),
);
// YAML allows implicit keys of 1024 characters; ours are names of fields, ids and hours.
const key = anyText.filter(text => text.length < 400);
const {value} = fc.letrec<{value: Json}>(tie => ({
  value: fc.oneof(
    {depthSize: 'small', withCrossShrink: true},
    anyText,
    fc.constantFrom<Json>(null, true, false, 0, 1, -1.5, 1e21, 1e-7, 2 ** 53 - 1, 5e-324, 1.7976931348623157e308),
    fc.double({noNaN: true, noDefaultInfinity: true}).map(number => (number === 0 ? 0 : number)),
    fc.array(tie('value'), {maxLength: 4}),
    fc.dictionary(key, tie('value'), {maxKeys: 4}),
  ),
}));
const fieldNames = fc.constantFrom('heads', 'totals', 'policy', 'open', 'claims', 'title', 'set', 'format', 'verified');
const fields = fc.dictionary(fc.oneof(fieldNames, key), value, {minKeys: 1, maxKeys: 6});

test('a record reads back as it was written, by our parser and by any YAML parser', t => {
  fc.assert(
    fc.property(fields, record => {
      const text = encodeRecord(record);
      assert.equal(canonicalJson(decodeRecord(text) ?? 'not canonical'), canonicalJson(record));
      assert.equal(canonicalJson(parse(text, {maxAliasCount: 0})), canonicalJson(record));
      assert.equal(encodeRecord(decodeRecord(text)!), text);
    }),
    {numRuns: 1000},
  );
  t.pass();
});

test('events read back as they were written, by our parser and by any YAML parser', t => {
  fc.assert(
    fc.property(fc.array(fields, {minLength: 1, maxLength: 4}), events => {
      const text = encodeEvents(events);
      assert.equal(canonicalJson(decodeEvents(text) ?? 'not canonical'), canonicalJson(events));
      assert.equal(canonicalJson(parse(text, {maxAliasCount: 0})), canonicalJson(events));
    }),
    {numRuns: 1000},
  );
  t.pass();
});

test('canonical text has one value a line and nothing that moves a cursor', t => {
  fc.assert(
    fc.property(fields, record => {
      assert.doesNotMatch(encodeRecord(record), /[\0-\x09\x0b-\x1f\x7f-\x9f\u2028\u2029\ufeff]/);
    }),
  );
  t.is(
    encodeRecord({title: 'two\nlines', status: 'open', heads: {title: '01X', status: {a: 1}}, claims: [{id: 'k-1'}]}),
    'title: "two\\nlines"\nstatus: open\nclaims:\n  - {"id":"k-1"}\nheads:\n  title: 01X\n  status: {"a":1}\n',
  );
});

for (const [what, text] of Object.entries({
  'a comment': 'title: a # note\n',
  'a quoted word': "title: 'a'\n",
  'a block': 'title: |\n  a\n',
  'a folded text': 'title: a\n  b\n',
  'a plain text of several words': 'title: two words\n',
  'a nested map': 'policy:\n  budgets:\n    - rounds: 1\n',
  'a key without a value': 'title:\nstatus: open\n',
  'a key that comes twice': 'title: a\ntitle: b\n',
  'a word that YAML takes for something else': 'title: yes\n',
  tabs: 'title:\ta\n',
  'a document start': '---\ntitle: a\n',
})) {
  test(`${what} is left to the YAML parser`, t => t.is(decodeRecord(text), undefined));
}
