// Claude Code, headless. The user's settings, model, permissions and keys are inherited: loopx adds only what makes
// the stream readable. Errors arrive as a `result` of subtype "success" with `is_error`, so the subtype decides nothing.
// Seen in release 2.1: `claude -p --output-format stream-json --verbose`.
import type {AgentEvent, ErrorClass, Executor, ReaderContext, StreamReader} from '../executor.ts';
import {claudeUsage} from './claude-usage.ts';
import {classOfStatus} from './http-status.ts';
import {type JsonObject, numberAt, objectAt, objectsAt, parseObject, rawLine, textAt} from './json-line.ts';
import {emptyMemory, judge, remember} from './judge.ts';
import {resultInMessage} from './result-line.ts';
import {roundEnv} from './round-env.ts';

const needs = {
  program: 'claude',
  whenMissing: 'Install it with `npm install -g @anthropic-ai/claude-code`, and see `loopx doctor`.',
};

export const claude: Executor = {
  name: 'claude',
  needs,
  plan: round => ({
    file: needs.program,
    args: ['-p', '--output-format', 'stream-json', '--verbose', ...round.args],
    env: roundEnv(round),
    stdin: round.prompt,
    whenMissing: needs.whenMissing,
  }),
  read: readClaude,
  // On SIGINT it stops its tools and still writes a result with the usage; on SIGTERM it only dies.
  interrupt: {signal: 'SIGINT', to: 'process', graceMs: 5000},
};

function readClaude(context: ReaderContext): StreamReader {
  const memory = emptyMemory();
  const usage = claudeUsage();
  let sessionSeen = false;

  const eventsOf = (event: JsonObject): readonly AgentEvent[] => {
    switch (textAt(event, 'type')) {
      case 'system':
        return systemEvents(event);
      case 'assistant':
        return [...assistantEvents(event), ...usage.ofMessage(event)];
      case 'user':
        return toolResults(event);
      case 'rate_limit_event':
        return rateLimits(event);
      case 'result':
        return [...usage.ofResult(event), ...finalEvents(event, context.prompt)];
      default:
        return [];
    }
  };

  return {
    line: line => {
      const event = parseObject(line);
      const known = event ? eventsOf(event) : [];
      const id = textAt(event, 'session_id');
      const session: AgentEvent[] = id && !sessionSeen ? [{kind: 'session', id}] : [];
      sessionSeen ||= session.length > 0;
      const events = [...session, ...known];
      if (events.length === 0 && line.trim() !== '') events.push({kind: 'raw', line: rawLine(line)});
      // An event of a kind we don't know is no diagnostic, and must not be searched for words of trouble.
      for (const item of events) if (item.kind !== 'raw' || !event) remember(memory, item);
      return events;
    },
    finish: exit => judge(memory, exit, diagnose),
  };
}

function systemEvents(event: JsonObject): readonly AgentEvent[] {
  switch (textAt(event, 'subtype')) {
    case 'api_retry': {
      const delayMs = numberAt(event, 'retry_delay_ms');
      const status = numberAt(event, 'error_status');
      return [
        {
          kind: 'retry',
          attempt: numberAt(event, 'attempt') ?? 1,
          ...(delayMs === undefined ? {} : {delayMs}),
          class: (status === undefined ? undefined : classOfStatus(status)) ?? 'network',
        },
      ];
    }
    case 'compact_boundary':
      return [{kind: 'compaction'}];
    default:
      return [];
  }
}

function assistantEvents(event: JsonObject): readonly AgentEvent[] {
  const message = objectAt(event, 'message');
  const content = objectsAt(message, 'content');
  // A message from nobody's model is how the CLI words its own errors.
  if (textAt(message, 'model') === '<synthetic>') {
    const text = content.map(part => textAt(part, 'text') ?? '').join(' ');
    return textAt(event, 'error') ? [{kind: 'error', class: errorClass(event, text), message: text}] : [];
  }

  return content.flatMap((part): readonly AgentEvent[] => {
    const text = textAt(part, 'text');
    if (textAt(part, 'type') === 'text' && text !== undefined) {
      // What a sub-agent says is not this agent's word on the round.
      return textAt(event, 'parent_tool_use_id') ? [] : [{kind: 'message', text}];
    }

    if (textAt(part, 'type') !== 'tool_use') return [];
    const input = JSON.stringify(part.input) ?? '';
    return [{kind: 'tool-call', id: textAt(part, 'id') ?? '', name: textAt(part, 'name') ?? '', input}];
  });
}

function toolResults(event: JsonObject): readonly AgentEvent[] {
  return objectsAt(objectAt(event, 'message'), 'content').flatMap((part): readonly AgentEvent[] => {
    if (textAt(part, 'type') !== 'tool_result') return [];
    const output =
      textAt(part, 'content') ??
      objectsAt(part, 'content')
        .map(piece => textAt(piece, 'text') ?? '')
        .join('\n');
    return [{kind: 'tool-result', id: textAt(part, 'tool_use_id') ?? '', ok: part.is_error !== true, output}];
  });
}

function rateLimits(event: JsonObject): readonly AgentEvent[] {
  const info = objectAt(event, 'rate_limit_info');
  const resetsAt = numberAt(info, 'resetsAt');
  // The same event also comes as a mere notice, with status "allowed" or "allowed_warning".
  if (textAt(info, 'status') !== 'rejected' || resetsAt === undefined) return [];
  const window = textAt(info, 'rateLimitType');
  return [{kind: 'rate-limit', resetAtMs: resetsAt * 1000, ...(window ? {window} : {})}];
}

function finalEvents(event: JsonObject, prompt: string): readonly AgentEvent[] {
  const reason = textAt(event, 'terminal_reason') ?? textAt(event, 'subtype') ?? 'result';
  const text = textAt(event, 'result') ?? '';
  if (event.is_error === true || textAt(event, 'subtype') !== 'success') {
    const errors = Array.isArray(event.errors) ? event.errors.filter(item => typeof item === 'string').join(' ') : '';
    const message = text || errors || reason;
    return [
      {kind: 'error', class: errorClass(event, message), message},
      {kind: 'final', ok: false, reason},
    ];
  }

  const result = resultInMessage(text, prompt);
  return [...(result ? [{kind: 'result' as const, result}] : []), {kind: 'final', ok: true, reason}];
}

const classes: Readonly<Record<string, ErrorClass>> = {
  prompt_too_long: 'context-overflow',
  max_turns: 'max-turns',
  error_max_turns: 'max-turns',
  budget_exhausted: 'budget',
  error_max_budget_usd: 'budget',
  aborted_tools: 'interrupted',
  aborted_streaming: 'interrupted',
  usage_limit_reached: 'usage-limit',
  connection_failed: 'network',
};

/** Returns the class of an error from what is typed in the event, and from its text only where nothing is. */
function errorClass(event: JsonObject, text: string): ErrorClass {
  for (const key of ['terminal_reason', 'subtype', 'api_error']) {
    const found = classes[textAt(event, key) ?? ''];
    if (found) return found;
  }

  const status = numberAt(event, 'api_error_status');
  return (status === undefined ? undefined : classOfStatus(status)) ?? diagnose(text) ?? 'unknown';
}

const patterns: readonly (readonly [RegExp, ErrorClass])[] = [
  [/prompt is too long/i, 'context-overflow'],
  [/usage limit reached|hit your .*limit|credit balance is too low/i, 'usage-limit'],
  [/invalid api key|please run \/login|not logged in|oauth token .*(expired|revoked)|authentication_error/i, 'auth'],
  [/\b529\b|overloaded/i, 'overloaded'],
  [/\b429\b|rate limit/i, 'rate-limit'],
  [/connection (refused|error|closed)|ECONN|ENOTFOUND|ETIMEDOUT|fetch failed|request timed out/i, 'network'],
];

function diagnose(text: string): ErrorClass | undefined {
  return patterns.find(([pattern]) => pattern.test(text))?.[1];
}
