// How many tokens a text may be for a model. No tokenizer is at hand for every model, so this errs on the high side: a
// brief that promises to fit has to fit. Weights are per code point, in quarters of a token, so that the estimate of a
// whole is never more than the sum of the estimates of its parts.
import {graphemesOf} from '../model/plain-text.ts';

const quarters = {
  letter: 1,
  // Ids, numbers and code are cut finer than words.
  sign: 2,
  alphabet: 2,
  script: 4,
  // Chinese, Japanese and Korean: often one token a character, sometimes two.
  dense: 6,
  // Emoji and what lies beyond the first plane: two or three tokens, as bytes.
  far: 12,
};

const alphabets = /[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}\p{M}]/u;
const pictures = /\p{Extended_Pictographic}/u;
const dense =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Bopomofo}\u3000-\u303f\uff00-\uffef]/u;

/** Returns the most tokens that a text is likely to be. */
export function estimateTokens(text: string): number {
  return Math.ceil(weightOf(text) / 4);
}

/**
 * Returns the beginning of a text that is at most `tokensMax` tokens, cut between graphemes and ended by "…"; the whole
 * text where it fits, and nothing where not even its first grapheme does.
 */
export function cutToTokens(text: string, tokensMax: number): string {
  const weightMax = tokensMax * 4;
  const cutMax = weightMax - weightOf('…');
  let weight = 0;
  let length = 0;
  let cutLength = 0;
  for (const grapheme of graphemesOf(text)) {
    weight += weightOf(grapheme);
    if (weight > weightMax) return cutLength === 0 ? '' : `${text.slice(0, cutLength)}…`;
    length += grapheme.length;
    if (weight <= cutMax) cutLength = length;
  }

  return text;
}

function weightOf(text: string): number {
  let weight = 0;
  for (const character of text) weight += weightOfCharacter(character);
  return weight;
}

function weightOfCharacter(character: string): number {
  const code = character.codePointAt(0)!;
  if (code < 0x80) return isLetterOrSpace(code) ? quarters.letter : quarters.sign;
  if (code > 0xffff || pictures.test(character)) return quarters.far;
  if (dense.test(character)) return quarters.dense;
  return alphabets.test(character) ? quarters.alphabet : quarters.script;
}

function isLetterOrSpace(code: number): boolean {
  return code === 0x20 || (code >= 0x61 && code <= 0x7a) || (code >= 0x41 && code <= 0x5a);
}
