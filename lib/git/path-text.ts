// Paths as text. To git and to Linux a path is bytes; we want strings to compare, print and keep in JSON. A path that
// isn't UTF-8 keeps each odd byte 0xNN as the lone surrogate U+DCNN, which no valid UTF-8 decodes to (Python calls this
// surrogateescape). So every path has one text and every text leads back to the same bytes.
import {isUtf8} from 'node:buffer';

/** Returns the text of a path's bytes. */
export function pathFromBytes(bytes: Buffer): string {
  if (isUtf8(bytes)) return bytes.toString();
  let text = '';
  for (let at = 0; at < bytes.length; ) {
    const length = [1, 2, 3, 4].find(length => isUtf8(bytes.subarray(at, at + length)));
    text += length ? bytes.toString('utf8', at, at + length) : String.fromCharCode(0xdc00 | bytes[at]!);
    at += length ?? 1;
  }

  return text;
}

/** Returns the bytes of a path's text: what file system calls and git's standard input want. */
export function pathToBytes(text: string): Buffer {
  if (!/[\udc80-\udcff]/.test(text)) return Buffer.from(text);
  // Iterating gives whole code points, so what is still a surrogate here is one of ours.
  const parts = Array.from(text, char => {
    return /^[\udc80-\udcff]$/.test(char) ? Buffer.from([char.charCodeAt(0) & 0xff]) : Buffer.from(char);
  });
  return Buffer.concat(parts);
}

/** Returns the fields of git's `-z` output as text. */
export function splitNul(output: Buffer): string[] {
  const fields: string[] = [];
  for (let start = 0; start < output.length; ) {
    const end = output.indexOf(0, start);
    fields.push(pathFromBytes(output.subarray(start, end < 0 ? output.length : end)));
    start = end < 0 ? output.length : end + 1;
  }

  return fields;
}

/** Returns the standard input of a command that reads fields with `-z`. */
export function joinNul(fields: Iterable<string>): Buffer {
  return pathToBytes(Array.from(fields, field => `${field}\0`).join(''));
}

/** Returns paths one a line, for commands such as `hash-object --stdin-paths` that know no `-z` but git's own quotes. */
export function joinQuotedLines(paths: Iterable<string>): Buffer {
  return pathToBytes(Array.from(paths, path => `${quoteLine(path)}\n`).join(''));
}

function quoteLine(path: string): string {
  if (!/[\x00-\x1f\x7f"]/.test(path)) return path;
  const inner = path.replace(/[\x00-\x1f\x7f"\\]/g, char => {
    return `\\${char.charCodeAt(0).toString(8).padStart(3, '0')}`;
  });
  return `"${inner}"`;
}
