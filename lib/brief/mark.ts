// How texts from the state stand in a brief: every line of theirs begins with ">", so that no text can be mistaken for
// loopx's own words, close a block that it is in, or begin one of its own. Nothing else begins a line with ">".
import {plainText} from '../model/plain-text.ts';

/** A piece of a record: its text, after a word of ours that says what it is. */
export type Piece = {readonly label?: string; readonly text: string};

/** Returns texts as a quoted block. */
export function quoteBlock(pieces: readonly Piece[]): string {
  return pieces.map(piece => quote(piece, '> ', piece.label === undefined ? '> ' : '>   ')).join('\n');
}

/** Returns texts as one item of a quoted list. */
export function quoteItem(pieces: readonly Piece[]): string {
  return pieces.map((piece, index) => quote(piece, index === 0 ? '> - ' : '>   ', '>     ')).join('\n');
}

// Later lines are set deeper than labels, so that no question brings its own answer along.
function quote({label, text}: Piece, first: string, rest: string): string {
  const plain = plainText(text);
  return (label === undefined ? plain : `${label} ${plain}`)
    .split('\n')
    .map((line, index) => {
      const prefix = index === 0 ? first : rest;
      return line === '' ? prefix.trimEnd() : prefix + line;
    })
    .join('\n');
}
