import assert from 'node:assert/strict';
import {createHash} from 'node:crypto';
import test from 'ava';
import fc from 'fast-check';
import {fitEvent} from '../../lib/store/fit.ts';

const sizeOf = (event: object) => Buffer.byteLength(JSON.stringify(event));

test('an event that fits stays the same', t => {
  const event = {event: 'goal.amended', text: 'x'.repeat(60_000)};
  t.is(fitEvent(event), event);
});

test('a text that is too long is cut, with its hash and its length (trap 54)', t => {
  const text = '世界'.repeat(50_000);
  const {text: cut} = fitEvent({event: 'goal.amended', text});
  const hash = createHash('sha256').update(text).digest('hex');
  t.true(cut.startsWith('世界世界'));
  t.true(
    cut.endsWith(`界… [cut; 300000 bytes, sha256 ${hash}]`) || cut.endsWith(`世… [cut; 300000 bytes, sha256 ${hash}]`),
  );
  t.true(sizeOf({event: 'goal.amended', text: cut}) > 60_000, 'no more is cut than has to be');
});

test('a text is cut at a grapheme', t => {
  const family = '👩‍👩‍👧‍👦';
  const {text} = fitEvent({text: family.repeat(10_000)});
  t.is(text.slice(0, text.indexOf('…')).replaceAll(family, ''), '');
});

test('only the longest text is cut', t => {
  const event = {summary: 'short', checks: [{run: 'make', tail: 'y'.repeat(90_000)}], detail: 'x'.repeat(3000)};
  const fitted = fitEvent(event);
  t.like(fitted, {summary: 'short', detail: event.detail});
  t.is(fitted.checks[0]!.run, 'make');
  t.is(event.checks[0]!.tail.length, 90_000, 'what was given is left alone');
});

test('a command is never cut, and many small things do not fit', t => {
  t.throws(() => fitEvent({checks: [{run: 'x'.repeat(70_000)}]}), {code: 'usage'});
  t.throws(() => fitEvent({commits: Array.from({length: 3000}, (_, n) => `commit ${n} and some more words`)}), {
    code: 'usage',
  });
});

test('whatever was cut fits', t => {
  const unit = fc.constantFrom('a', '"', '\\', '\n', '\u0001', 'é', '世', '👩‍👩‍👧‍👦');
  const text = fc.tuple(unit, fc.integer({min: 1, max: 40_000})).map(([some, times]) => some.repeat(times));
  fc.assert(
    fc.property(fc.array(text, {minLength: 1, maxLength: 4}), texts => {
      assert.ok(sizeOf(fitEvent({texts})) <= 64 * 1024);
    }),
    {numRuns: 20},
  );
  t.pass();
});
