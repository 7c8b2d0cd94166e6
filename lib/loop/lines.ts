// Cuts a stream of bytes into lines with bounded memory: of a line that is too long only the head is kept and the
// rest is counted. It works on bytes, so a character that is split between two chunks stays whole.

export type Line = {
  /** Without its line end; only the head where `isCut`. */
  readonly text: string;
  readonly isCut: boolean;
  /** The whole line's, also where it is cut. */
  readonly sizeBytes: number;
};

export type LineSplitter = {
  /** Takes a chunk and returns the lines that end in it. */
  readonly push: (chunk: Uint8Array) => readonly Line[];
  /** Returns the last line, which may have no line end. */
  readonly end: () => readonly Line[];
};

const lineFeed = 0x0a;

/** Returns a splitter that keeps at most `headBytesMax` bytes of a line. */
export function splitLines(headBytesMax: number): LineSplitter {
  let parts: Uint8Array[] = [];
  let keptBytes = 0;
  let sizeBytes = 0;

  const take = (piece: Uint8Array) => {
    const kept = piece.subarray(0, headBytesMax - keptBytes);
    // A copy, because a few bytes would otherwise keep the whole chunk in memory.
    if (kept.length > 0) parts.push(Uint8Array.from(kept));
    keptBytes += kept.length;
    sizeBytes += piece.length;
  };

  const finish = (): Line => {
    const text = Buffer.concat(parts).toString();
    const line = {text: text.endsWith('\r') ? text.slice(0, -1) : text, isCut: sizeBytes > keptBytes, sizeBytes};
    parts = [];
    keptBytes = 0;
    sizeBytes = 0;
    return line;
  };

  return {
    push: chunk => {
      const lines: Line[] = [];
      let from = 0;
      for (let at = chunk.indexOf(lineFeed); at >= 0; at = chunk.indexOf(lineFeed, from)) {
        take(chunk.subarray(from, at));
        lines.push(finish());
        from = at + 1;
      }

      if (from < chunk.length) take(chunk.subarray(from));
      return lines;
    },
    end: () => (sizeBytes > 0 ? [finish()] : []),
  };
}
