import test from 'ava';
import fc from 'fast-check';
import stringWidth from 'string-width';
import {textWidth} from '../../cli/width.ts';

test('the short way to the width of a text measures as the long one does', t => {
  const text = fc.string({
    unit: fc.oneof(fc.string({unit: 'grapheme'}), fc.constantFrom('…', '·', '–', 'é', '©', '\x1b[1m')),
  });
  fc.assert(fc.property(text, text => textWidth(text) === stringWidth(text)));
  for (let point = 0x20; point < 0x30_00; point += 1) {
    const sign = String.fromCodePoint(point);
    if (point < 0x7f || point > 0x9f) t.is(textWidth(sign), stringWidth(sign), point.toString(16));
  }
});
