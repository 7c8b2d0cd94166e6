// OpenAI Codex, headless. Its errors are prose without a code, so their words are the type; they come in an `error` or
// `turn.failed` event of the CLI, never from the model's text. An *item* of type "error" is only a warning.
// Seen in release 0.171: `codex exec --json -`.
//
// A usage limit names a time of day without a zone. We could start codex with TZ=UTC to know the zone, but then its
// tools would run in UTC too, and the agent's commits carry a wrong zone: the text is read in this machine's instead.
import type {AgentEvent, ErrorClass, Executor, ReaderContext, StreamReader} from '../executor.ts';
import {classOfStatus} from './http-status.ts';
import {defined, type JsonObject, numberAt, objectAt, parseObject, rawLine, textAt} from './json-line.ts';
import {emptyMemory, judge, remember} from './judge.ts';
import {resetInText} from './reset-time.ts';
import {resultInMessage} from './result-line.ts';
import {roundEnv} from './round-env.ts';

const needs = {
  program: 'codex',
  whenMissing: 'Install it with `npm install -g @openai/codex`, and see `loopx doctor`.',
};

export const codex: Executor = {
  name: 'codex',
  needs,
  plan: round => ({
    file: needs.program,
    args: ['exec', '--json', ...round.args, '-'],
    env: roundEnv(round),
    stdin: round.prompt,
    whenMissing: needs.whenMissing,
  }),
  read: readCodex,
  interrupt: {signal: 'SIGTERM', to: 'group', graceMs: 5000},
};

function readCodex(context: ReaderContext): StreamReader {
  const memory = emptyMemory();
  const started = new Set<string>();
  let retries = 0;

  const errorEvents = (text: string): readonly AgentEvent[] => {
    const reconnecting = /^Reconnecting\.\.\. (?:(\d+)\/\d+|waiting for network)/.exec(text);
    if (reconnecting) {
      retries += 1;
      return [{kind: 'retry', attempt: Number(reconnecting[1] ?? retries), class: diagnose(text) ?? 'network'}];
    }

    const found = diagnose(text) ?? 'unknown';
    const resetAtMs = resetInText(text, context.nowMs(), context.timeZone);
    const limited = (found === 'usage-limit' || found === 'rate-limit') && resetAtMs !== undefined;
    return [
      ...(limited ? [{kind: 'rate-limit' as const, resetAtMs}] : []),
      {kind: 'error', class: found, message: text},
    ];
  };

  const itemEvents = (item: JsonObject, phase: 'started' | 'completed'): readonly AgentEvent[] => {
    const type = textAt(item, 'type') ?? '';
    if (type === 'agent_message') {
      return phase === 'completed' ? [{kind: 'message', text: textAt(item, 'text') ?? ''}] : [];
    }

    if (!tools.includes(type)) return [];
    const id = textAt(item, 'id') ?? '';
    const call: AgentEvent = {kind: 'tool-call', id, name: type, input: inputOf(item)};
    if (phase === 'started') {
      started.add(id);
      return [call];
    }

    // Some tools are told of only when they are over.
    const exitCode = numberAt(item, 'exit_code') ?? 0;
    const ok = exitCode === 0 && textAt(item, 'status') !== 'failed';
    const result: AgentEvent = {kind: 'tool-result', id, ok, output: textAt(item, 'aggregated_output') ?? ''};
    return started.delete(id) ? [result] : [call, result];
  };

  const eventsOf = (event: JsonObject): readonly AgentEvent[] => {
    const item = objectAt(event, 'item');
    switch (textAt(event, 'type')) {
      case 'thread.started':
        return [{kind: 'session', id: textAt(event, 'thread_id') ?? ''}];
      case 'item.started':
        return item ? itemEvents(item, 'started') : [];
      case 'item.completed':
        return item ? itemEvents(item, 'completed') : [];
      case 'error':
        return errorEvents(textAt(event, 'message') ?? '');
      case 'turn.failed': {
        const text = textAt(objectAt(event, 'error'), 'message') ?? 'turn.failed';
        return [...errorEvents(text), {kind: 'final', ok: false, reason: text}];
      }
      case 'turn.completed': {
        const result = resultInMessage(memory.lastMessage, context.prompt);
        return [
          usageEvent(objectAt(event, 'usage')),
          ...(result ? [{kind: 'result' as const, result}] : []),
          {kind: 'final', ok: true, reason: 'turn.completed'},
        ];
      }
      default:
        return [];
    }
  };

  return {
    line: line => {
      const event = parseObject(line);
      const events = event ? eventsOf(event) : [];
      const shown: readonly AgentEvent[] =
        events.length === 0 && line.trim() !== '' ? [{kind: 'raw', line: rawLine(line)}] : events;
      // An event of a kind we don't know is no diagnostic, and must not be searched for words of trouble.
      for (const item of shown) if (item.kind !== 'raw' || !event) remember(memory, item);
      return shown;
    },
    finish: exit => judge(memory, exit, diagnose),
  };
}

const tools: readonly string[] = ['command_execution', 'file_change', 'mcp_tool_call', 'web_search'];

function inputOf(item: JsonObject): string {
  return textAt(item, 'command') ?? textAt(item, 'query') ?? JSON.stringify(item.changes ?? item.arguments ?? null);
}

// The sums are the thread's: a resumed one would be billed again for its past. A round always starts a fresh thread.
function usageEvent(usage: JsonObject | undefined): AgentEvent {
  return {
    kind: 'usage',
    ...defined({
      inputTokens: numberAt(usage, 'input_tokens'),
      outputTokens: numberAt(usage, 'output_tokens'),
      cachedTokens: numberAt(usage, 'cached_input_tokens'),
    }),
  };
}

const patterns: readonly (readonly [RegExp, ErrorClass])[] = [
  [/hit your usage limit|usage limit has been reached/i, 'usage-limit'],
  [/ran out of room in the model's context|context_length_exceeded/i, 'context-overflow'],
  [/at capacity|overloaded/i, 'overloaded'],
  [/rate limit reached|too many requests/i, 'rate-limit'],
  [/unauthorized|incorrect api key|not logged in|please (run `?codex )?log ?in|missing environment variable/i, 'auth'],
  [
    /waiting for network|error sending request|stream disconnected|network error|connection failed|timed? ?out/i,
    'network',
  ],
];

function diagnose(text: string): ErrorClass | undefined {
  const status = /\b(?:last|unexpected) status:? (\d{3})\b/.exec(text)?.[1];
  const byStatus = status === undefined ? undefined : classOfStatus(Number(status));
  return byStatus ?? patterns.find(([pattern]) => pattern.test(text))?.[1];
}
