// Our lines in a file of somebody else, a hook or a list of hooks, between two marker lines by which they are found and
// taken out again. Files are texts of single-byte characters here, so that each byte stays what it was.

/** Begins our lines in a file that has nothing but them: the file goes with them. */
export const ownFile = '# >>> loopx: this file was written by `loopx connect`; `loopx disconnect` removes it >>>';
/** Begins our lines in a file of somebody else. */
export const ownLines = '# >>> loopx: written by `loopx connect`; `loopx disconnect` takes these lines out >>>';
export const endLine = '# <<< loopx <<<';

/** Returns a file with our lines after its last one; what it had of ours before is replaced. */
export function appendBlock(file: string, lines: string): string {
  const rest = removeBlock(file);
  const block = `${ownLines}\n${lines}${endLine}`;
  // A last line without an end gets one from us, and our last line has none: so it is known whose it was.
  return rest === '' || rest.endsWith('\n') ? `${rest}${block}\n` : `${rest}\n${block}`;
}

/** Returns a file as it was before our lines came in. */
export function removeBlock(file: string): string {
  const begins = [ownFile, ownLines].map(line => file.indexOf(line)).filter(at => at >= 0);
  const begin = begins[0];
  const end = begin === undefined ? -1 : file.indexOf(endLine, begin);
  if (begin === undefined || end < 0) return file;
  const after = end + endLine.length;
  if (after === file.length) return file.slice(0, Math.max(0, begin - 1));
  return file.slice(0, begin) + file.slice(file.indexOf('\n', after) + 1);
}
