import test from 'ava';
import fc from 'fast-check';
import {plainLine, plainText} from '../../lib/model/plain-text.ts';

test('what could act on a screen, or hide from the eye, is taken out', t => {
  t.is(plainText('a\u001b[31mred\u001b[0m\u0007\u009b b'), 'ared b');
  t.is(plainText('user\u202etxt.exe\u2066x\u2069'), 'usertxt.exex');
  t.is(plainText('hi\u{e0069}\u{e0067}\u{e006e}'), 'hi');
});

test('every end of a line becomes one of its kind', t => {
  t.is(plainText('a\r\nb\rc\u2028d\u2029e\u0085f\vg'), 'a\nb\nc\nd\ne\nf\ng');
});

test('words of any script, and emoji made of several characters, stay', t => {
  const text = 'Größe, 目标, שלום, สวัสดี, 👩‍👩‍👧‍👦 and a\ttab';
  t.is(plainText(text), text);
});

test('half a character is replaced', t => t.is(plainText('a\ud83d b'), 'a\ufffd b'));

test('a line is cut between graphemes', t => {
  t.is(plainLine('  a \n b  ', 10), 'a b');
  t.is(plainLine('👩‍👩‍👧‍👦👩‍👩‍👧‍👦👩‍👩‍👧‍👦', 2), '👩‍👩‍👧‍👦…');
  t.is(plainLine('👩‍👩‍👧‍👦👩‍👩‍👧‍👦', 2), '👩‍👩‍👧‍👦👩‍👩‍👧‍👦');
  t.is(plainLine('四个字符', 3), '四个…');
});

test('one endless grapheme does not make a line endless', t => {
  t.true(plainLine(`a${'\u0301'.repeat(60_000)}b`, 20).length <= 321);
});

test('a plain text is well-formed, and plain already', t => {
  const texts = fc.string({unit: 'binary', maxLength: 60});
  fc.assert(
    fc.property(texts, fc.integer({min: 1, max: 20}), (text, max) => {
      const plain = plainText(text);
      t.true(plain.isWellFormed());
      t.notRegex(plain, /[\0-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]/);
      t.is(plainText(plain), plain);
      t.false(plainLine(text, max).includes('\n'));
    }),
  );
});
