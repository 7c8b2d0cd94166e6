// Takes an agent's output as it comes: lines to the reader, events to the caller, everything to the live log. Chunk by
// chunk, so that an agent that prints faster than we can take it waits on its pipe and our memory stays small.
import type {Readable} from 'node:stream';
import type {AgentEvent, StreamReader} from './executor.ts';
import {lineBytesMax, rawLine} from './executors/json-line.ts';
import {type Line, splitLines} from './lines.ts';
import type {LiveLog} from './live-log.ts';

/** What the output tells those who watch over the process. */
export type Seen = {
  /** Whether anything came but talk of retries; the watch sets it back. */
  progressed: boolean;
  final: boolean;
  stderrTail: string;
};

const stderrTailChars = 8192;

export function nothingSeen(): Seen {
  return {progressed: false, final: false, stderrTail: ''};
}

/** Reads both streams to their ends. Rejects with what the reader or `onEvent` throws. */
export async function readOutput(
  streams: {readonly stdout: Readable; readonly stderr: Readable},
  to: {readonly reader: StreamReader; readonly onEvent: (event: AgentEvent) => void},
  log: LiveLog,
  seen: Seen,
): Promise<void> {
  const stdout = eachChunk(streams.stdout, async lines => {
    // A chunk without a line end is part of a long line.
    if (lines.length === 0) seen.progressed = true;
    for (const line of lines) {
      const events: readonly AgentEvent[] = line.isCut
        ? [{kind: 'raw', line: rawLine(line.text, line.sizeBytes)}]
        : to.reader.line(line.text);
      if (events.length === 0 || events.some(event => event.kind !== 'retry')) seen.progressed = true;
      if (events.some(event => event.kind === 'final')) seen.final = true;
      for (const event of events) to.onEvent(event);
    }

    await log.write(lines.map(logged).join(''));
  });
  const stderr = eachChunk(streams.stderr, async lines => {
    seen.progressed = true;
    seen.stderrTail = (seen.stderrTail + lines.map(logged).join('')).slice(-stderrTailChars);
    await log.write(lines.map(line => `stderr: ${logged(line)}`).join(''));
  });
  await Promise.all([stdout, stderr]);
}

function logged(line: Line): string {
  return line.isCut ? `${line.text}… (${line.sizeBytes} bytes)\n` : `${line.text}\n`;
}

/** Hands over the lines of each chunk, and reads on only when they are dealt with. */
async function eachChunk(stream: Readable, deal: (lines: readonly Line[]) => Promise<void>): Promise<void> {
  const splitter = splitLines(lineBytesMax);
  try {
    for await (const chunk of stream) await deal(splitter.push(chunk));
  } catch (error) {
    // We closed the pipe ourselves, because something unmarked held it open.
    if ((error as NodeJS.ErrnoException).code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error;
  }

  const last = splitter.end();
  if (last.length > 0) await deal(last);
}
