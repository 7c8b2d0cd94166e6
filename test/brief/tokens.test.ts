import test from 'ava';
import fc from 'fast-check';
import {cutToTokens, estimateTokens} from '../../lib/brief/tokens.ts';

test('four letters are a token', t => {
  t.is(estimateTokens(''), 0);
  t.is(estimateTokens('abcd'), 1);
  t.is(estimateTokens('The goal is kept in git so that it survives'), 11);
});

test('ids, numbers and code weigh more than words', t => {
  t.true(estimateTokens('{"a":[1,2,3]}') > estimateTokens('plain letters'));
});

test('a Chinese, Japanese or Korean character is a token or more', t => {
  for (const text of ['把账本迁移到新的版本', '台帳を新しい版に移す', '원장을 새 판으로 옮긴다']) {
    t.true(estimateTokens(text) >= [...text].length, text);
  }
});

test('other scripts lie in between', t => {
  for (const text of ['переносим', 'χρήματα', 'größerer', 'مرحبا', 'สวัสดี']) {
    const tokens = estimateTokens(text);
    t.true(tokens > text.length / 4 && tokens <= text.length, `${text} ${tokens}`);
  }
});

test('an emoji is two tokens or more', t => {
  for (const text of ['🙂', '⚠️', '👩‍👩‍👧‍👦']) t.true(estimateTokens(text) >= 2, text);
});

test('a text that fits is not cut', t => t.is(cutToTokens('abcdefgh', 2), 'abcdefgh'));

test('a cut falls between graphemes, also of several characters', t => {
  const family = '👩‍👩‍👧‍👦';
  const one = estimateTokens(family);
  t.is(cutToTokens(family.repeat(3), one + 1), `${family}…`);
  t.is(cutToTokens(family.repeat(3), one - 1), '');
  t.is(cutToTokens('e\u0301e\u0301e\u0301', 2), 'e\u0301…');
});

const texts = fc.oneof(fc.string({unit: 'grapheme', maxLength: 80}), fc.string({unit: 'binary', maxLength: 80}));

test('a cut text is a beginning that fits, and never ends in half a character', t => {
  fc.assert(
    fc.property(texts, fc.integer({min: 0, max: 40}), (text, max) => {
      const cut = cutToTokens(text.toWellFormed(), max);
      t.true(estimateTokens(cut) <= max);
      t.true(cut.isWellFormed());
      if (cut !== text) t.true(cut === '' || (cut.endsWith('…') && text.startsWith(cut.slice(0, -1))));
    }),
  );
});

test('a whole is never more than its parts', t => {
  fc.assert(
    fc.property(texts, texts, (a, b) => {
      t.true(estimateTokens(a + b) <= estimateTokens(a) + estimateTokens(b));
      t.true(estimateTokens(a + b) >= Math.max(estimateTokens(a), estimateTokens(b)));
    }),
  );
});
