import test from 'ava';
import fc from 'fast-check';
import stringWidth from 'string-width';
import {fieldLines, wrap} from '../../cli/layout.ts';
import {cutTo, oneLine, table} from '../../cli/print.ts';

const texts = fc.array(
  fc.oneof(
    fc.constantFrom(
      'word',
      '移植存储模块，保持接口。',
      '👨‍👩‍👧',
      'héllo',
      'ひらがな',
      '한국어',
      ' ',
      '\n',
      '\u202e',
      '\u001b[2J',
    ),
    fc.string({maxLength: 12}),
  ),
  {maxLength: 30},
);
const columns = fc.integer({min: 20, max: 100});
const letters = (text: string) => text.replace(/\s+/gu, '');

test('no wrapped line is wider than the terminal, and nothing but spaces is lost', t => {
  fc.assert(
    fc.property(texts, columns, (parts, width) => {
      const text = parts.join('');
      const lines = wrap(text, width, '  ');
      for (const line of lines) t.true(stringWidth(line) <= width, JSON.stringify(line));
      t.is(letters(lines.join('')), letters(oneLine(text)));
    }),
  );
});

test('labelled texts and tables fit the terminal too', t => {
  fc.assert(
    fc.property(texts, texts, columns, (first, second, width) => {
      const [a, b] = [first.join(''), second.join('')];
      for (const line of fieldLines(
        [
          ['label', a],
          ['x', b],
        ],
        width,
      ))
        t.true(stringWidth(line) <= width, line);
      for (const line of table(
        [
          ['t-abcd', a],
          ['t-wxyz', b],
        ],
        width,
      ).split('\n'))
        t.true(stringWidth(line) <= width);
      t.true(stringWidth(cutTo(a, width)) <= width);
    }),
  );
});

test('words stay whole, and no line begins with closing punctuation', t => {
  t.deepEqual(wrap('Keep the old interface', 12), ['Keep the old', 'interface']);
  t.deepEqual(wrap('保持旧接口，不变。', 10), ['保持旧接', '口，不变。']);
  t.deepEqual(wrap('one\n\ntwo', 20), ['one', '', 'two']);
  t.deepEqual(wrap('abcdefghijklmnop', 10), ['abcdefghij', 'klmnop']);
});

test('no text moves the cursor or turns the writing direction', t => {
  const text = 'a\u001b[2Jb\u0007c\u202ed\u2066e\rf\u009b1mg';
  for (const shown of [oneLine(text), ...wrap(text, 40), cutTo(text, 40)]) {
    t.notRegex(shown, /[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/);
  }
});
