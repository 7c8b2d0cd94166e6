// How many columns of a terminal a text takes.
import {stripVTControlCharacters} from 'node:util';
import stringWidth from 'string-width';

// Letters of the Latin script and the punctuation that our own texts use take one column each. Only other scripts, and
// the signs that may be shown as emoji, need tables, which take longer to load than the rest of loopx.
const narrow = /^[ -~\xa0-\xa8\xaa-\xac\xaf-\u02ff\u2010-\u2027]*$/;

/** Returns the columns that a text takes on a terminal; colour takes none. */
export function textWidth(text: string): number {
  const plain = stripVTControlCharacters(text);
  return narrow.test(plain) ? plain.length : stringWidth(plain);
}
