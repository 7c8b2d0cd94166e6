// Recorded streams of real agents, as the contract tests replay them. How each was recorded stands in its .meta.json.
import {readdirSync, readFileSync} from 'node:fs';
import type {AgentEvent, AgentExit, AgentVerdict, ReaderContext} from '../../lib/loop/executor.ts';
import {executorNamed} from '../../lib/loop/executors/all.ts';

export type Transcript = {readonly name: string; readonly text: string; readonly exit: AgentExit};

const root = new URL('../../fixtures/transcripts/', import.meta.url);

/** An hour before the reset that the recorded limits name. */
export const context: ReaderContext = {
  nowMs: () => Date.parse('2026-11-30T06:57:00Z'),
  timeZone: 'UTC',
  prompt: 'Write agent.txt and commit it.',
};

export function transcriptNames(host: string): readonly string[] {
  return readdirSync(new URL(`${host}/`, root))
    .filter(file => file.endsWith('.jsonl'))
    .map(file => file.slice(0, -'.jsonl'.length))
    .sort();
}

export function readTranscript(host: string, name: string): Transcript {
  const meta = JSON.parse(readFileSync(new URL(`${host}/${name}.meta.json`, root), 'utf8'));
  const stopped = meta.timedOut ? 'timeout' : meta.signalSent ? 'interrupt' : undefined;
  return {
    name,
    text: readFileSync(new URL(`${host}/${name}.jsonl`, root), 'utf8'),
    exit: {
      status: meta.exitCode,
      signal: meta.signal,
      stderrTail: meta.stderrTail,
      ...(stopped ? {stopped} : {}),
    },
  };
}

export function replay(
  host: string,
  lines: readonly string[],
  exit: AgentExit,
  change: Partial<ReaderContext> = {},
): {events: readonly AgentEvent[]; verdict: AgentVerdict} {
  const reader = executorNamed(host).read({...context, ...change});
  const events = lines.flatMap(line => reader.line(line));
  return {events, verdict: reader.finish(exit)};
}
