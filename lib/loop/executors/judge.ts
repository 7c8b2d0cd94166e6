// How a round ended. All readers feed their events to one memory and let one function judge it, so that the order of
// trust is the same for every agent: its final event, then its typed errors, then patterns in its diagnostics, and
// only then the exit status, which agents use in all sorts of ways (0 after an interrupt, 1 after a rate limit).
import type {AgentEvent, AgentExit, AgentResult, AgentVerdict, ErrorClass, Usage} from '../executor.ts';
import {defined} from './json-line.ts';

export type Memory = {
  sessionId?: string;
  lastMessage: string;
  usage: Usage;
  /** Whether the model has answered: a message, a tool call, or tokens. */
  modelAnswered: boolean;
  final?: {ok: boolean; reason: string};
  result?: AgentResult;
  /** The last error or retry, unless the agent has got on since. */
  trouble?: Trouble;
  resetAtMs?: number;
  /** Lines of standard output that are no events: where a CLI fails before its stream begins, they say why. */
  diagnostics: string[];
};

type Trouble = {class: ErrorClass; message: string};

/** Says what class of error a CLI's own diagnostic text tells of; undefined where it tells of none. */
export type Diagnose = (text: string) => ErrorClass | undefined;

const diagnosticsMax = 20;
const messageCharsMax = 500;

export function emptyMemory(): Memory {
  return {lastMessage: '', usage: {}, modelAnswered: false, diagnostics: []};
}

/** Takes an event into the memory. After the final event only usage still counts. */
export function remember(memory: Memory, event: AgentEvent): void {
  if (event.kind === 'usage') {
    const {kind, ...usage} = event;
    memory.usage = {...memory.usage, ...defined(usage)};
    if ((usage.inputTokens ?? 0) + (usage.outputTokens ?? 0) > 0) memory.modelAnswered = true;
  }

  if (memory.final) return;

  switch (event.kind) {
    case 'session':
      memory.sessionId = event.id;
      break;
    case 'message':
      memory.lastMessage = event.text;
      memory.modelAnswered = true;
      memory.trouble = undefined;
      break;
    case 'tool-call':
      memory.modelAnswered = true;
      memory.trouble = undefined;
      break;
    case 'tool-result':
      memory.trouble = undefined;
      break;
    case 'retry':
      memory.trouble = {class: event.class, message: `The agent was still retrying (${event.class}).`};
      break;
    case 'rate-limit':
      memory.resetAtMs = event.resetAtMs;
      break;
    case 'error':
      memory.trouble = {class: event.class, message: event.message};
      break;
    case 'final':
      memory.final = {ok: event.ok, reason: event.reason};
      break;
    case 'result':
      memory.result = event.result;
      break;
    case 'raw':
      memory.diagnostics = [...memory.diagnostics, event.line].slice(-diagnosticsMax);
      break;
    default:
      break;
  }
}

/** Returns the verdict on a round of an agent that ends its stream with a final event. */
export function judge(memory: Memory, exit: AgentExit, diagnose: Diagnose): AgentVerdict {
  if (memory.final?.ok) return verdictOf(memory, memory.modelAnswered, undefined);
  return verdictOf({...memory, result: undefined}, memory.modelAnswered, troubleOf(memory, exit, diagnose));
}

/** Returns the verdict that a memory and an error, if there is one, amount to. */
export function verdictOf(memory: Memory, calledModel: boolean, error: Trouble | undefined): AgentVerdict {
  const limited = error?.class === 'rate-limit' || error?.class === 'usage-limit';
  return {
    ok: !error,
    lastMessage: memory.lastMessage,
    usage: memory.usage,
    calledModel,
    ...defined({
      sessionId: memory.sessionId,
      result: memory.result,
      error: error && {
        class: error.class,
        message: oneLine(error.message),
        ...defined({resetAtMs: limited ? memory.resetAtMs : undefined}),
      },
    }),
  };
}

/** Returns the error that loopx' own stop of the agent is, if it stopped it. */
export function stopOf(exit: AgentExit): Trouble | undefined {
  switch (exit.stopped) {
    case 'interrupt':
      return {class: 'interrupted', message: 'The round was interrupted.'};
    case 'timeout':
      return {class: 'stalled', message: 'The agent was stopped: the round took longer than its limit.'};
    case 'silence':
      return {class: 'stalled', message: 'The agent was stopped: it printed nothing for too long.'};
    default:
      return undefined;
  }
}

/** Returns the error that an exit status or signal alone amounts to. */
export function crashOf(exit: AgentExit, fallback: string): Trouble {
  const signal = exit.signal ?? signalsByStatus[exit.status ?? 0];
  if (signal && signal !== 'SIGKILL') return {class: 'interrupted', message: `The agent was ended by ${signal}.`};
  const how = signal ? 'The agent was killed.' : `The agent ended with exit status ${exit.status}.`;
  return {class: 'crash', message: `${exit.status === 0 ? fallback : how} ${lastLine(exit.stderrTail)}`.trim()};
}

// Shells and some agents turn the signal that ended them into a status of 128 plus its number.
const signalsByStatus: Readonly<Record<number, string>> = {
  129: 'SIGHUP',
  130: 'SIGINT',
  137: 'SIGKILL',
  143: 'SIGTERM',
};

function troubleOf(memory: Memory, exit: AgentExit, diagnose: Diagnose): Trouble {
  const stop = stopOf(exit);
  if (memory.final) {
    const typed = memory.trouble ?? {class: 'unknown' as const, message: memory.final.reason};
    // An agent that we stop says "interrupted"; only we know whether it was the user or a limit.
    return stop && typed.class === 'interrupted' ? stop : typed;
  }

  if (exit.stopped === 'interrupt' && stop) return stop;
  if (memory.trouble) return memory.trouble;
  if (stop) return stop;

  const said = [...memory.diagnostics, ...exit.stderrTail.split('\n')].filter(line => line.trim() !== '').reverse();
  for (const line of said) {
    const found = diagnose(line);
    if (found) return {class: found, message: line};
  }

  return crashOf(exit, 'The agent ended without saying how the round went.');
}

function oneLine(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length > messageCharsMax ? `${line.slice(0, messageCharsMax)}…` : line;
}

function lastLine(text: string): string {
  return text.trimEnd().split('\n').at(-1)?.trim() ?? '';
}
