// Private keys in their PEM blocks, from the first line to the last. A text may be cut, and then the last line is
// missing: what looks like the rest of the key goes too, and the text after it stays.

const beginning = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/g;
const ending = /-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/g;
const keySizeMax = 32 * 1024;

/** What lines of a key consist of, and what stands between them, also when escaped in JSON. */
const rest = /(?:\s+|\\+[nrt]|[A-Za-z0-9+/=]{24,}|[A-Za-z0-9+/]{1,23}={1,2})*/y;

/** Returns the text with each private key replaced. */
export function redactKeys(text: string): string {
  if (!text.includes('PRIVATE KEY')) return text;
  const ends = [...text.matchAll(ending)].map(match => match.index + match[0].length);
  let clean = '';
  let at = 0;
  let next = 0;
  for (const match of text.matchAll(beginning)) {
    if (match.index < at) continue;
    const inside = match.index + match[0].length;
    while (next < ends.length && ends[next]! < inside) next += 1;
    const last = ends[next];
    clean += `${text.slice(at, match.index)}[redacted private key]`;
    at = last !== undefined && last - inside <= keySizeMax ? last : endOfRest(text, inside);
  }

  return clean + text.slice(at);
}

function endOfRest(text: string, from: number): number {
  rest.lastIndex = from;
  rest.test(text);
  return Math.max(from, rest.lastIndex);
}
