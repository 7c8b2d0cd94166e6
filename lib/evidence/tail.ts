// The end of what a process prints, in bounded memory, whole characters only.

/** What is kept, in bytes: more than is told, so that a secret is still whole when it is looked for. */
const keptSize = 8192;
/** What is told of it. */
const toldSize = 2048;
const lineSizeMax = 8192;

export type Tail = {
  readonly add: (chunk: Buffer) => void;
  /** Returns the end of all that was added, cleaned and then cut, without the last line end. */
  readonly end: (clean: (text: string) => string) => string;
};

/** Starts with nothing. `onLine`, if there is one, hears of each line, cut where it is very long. */
export function startTail(onLine: ((line: string) => void) | undefined): Tail {
  let kept = Buffer.alloc(0);
  let line = Buffer.alloc(0);
  const tellLines = (chunk: Buffer) => {
    let from = 0;
    for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, from)) {
      onLine?.(text(Buffer.concat([line, chunk.subarray(from, at)])).replace(/\r$/, ''));
      line = Buffer.alloc(0);
      from = at + 1;
    }

    line = Buffer.concat([line, chunk.subarray(from)]).subarray(0, lineSizeMax);
  };

  return {
    add(chunk) {
      kept = Buffer.concat([kept, chunk.subarray(-keptSize)]).subarray(-keptSize);
      if (onLine) tellLines(chunk);
    },
    end(clean) {
      if (line.length > 0) onLine?.(text(line));
      return text(lastBytes(Buffer.from(clean(text(lastBytes(kept, keptSize)))), toldSize)).trimEnd();
    },
  };
}

// A character that is cut in its middle goes whole.
function lastBytes(bytes: Buffer, sizeMax: number): Buffer {
  if (bytes.length < sizeMax) return bytes;
  let from = bytes.length - sizeMax;
  while (from < bytes.length && (bytes[from]! & 0xc0) === 0x80) from += 1;
  return bytes.subarray(from);
}

// Colours and cursor movements are for terminals, and NUL is for nobody.
function text(bytes: Buffer): string {
  return bytes
    .toString()
    .replace(/\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[@-Z\\^_])/g, '')
    .replace(/[\0-\x08\x0b\x0c\x0e-\x1f\x7f]/g, '')
    .toWellFormed();
}
