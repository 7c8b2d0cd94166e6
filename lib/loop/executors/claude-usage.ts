// What Claude Code tells of tokens and money. During the round each call's input is known, its output is not (the
// stream says 1); the result has the sums. `total_cost_usd` and `modelUsage` go on counting when a session is resumed,
// so they would bill earlier rounds again: `model_usage_since_last_result` is this round's.
import type {AgentEvent, Usage} from '../executor.ts';
import {defined, type JsonObject, numberAt, objectAt, objectsAt, textAt} from './json-line.ts';

export type ClaudeUsage = {
  /** Takes an `assistant` event; several parts of one message count once. */
  readonly ofMessage: (event: JsonObject) => readonly AgentEvent[];
  /** Takes a `result` event. */
  readonly ofResult: (event: JsonObject) => readonly AgentEvent[];
};

type Sums = {inputTokens: number; outputTokens: number; cachedTokens: number; costUsd: number};

export function claudeUsage(): ClaudeUsage {
  const counted = new Set<string>();
  // One process may give several results; each has the sums since the one before.
  let before: Sums = {inputTokens: 0, outputTokens: 0, cachedTokens: 0, costUsd: 0};
  let since = {inputTokens: 0, cachedTokens: 0};
  let contextTokens: number | undefined;
  let model: string | undefined;

  return {
    ofMessage: event => {
      const message = objectAt(event, 'message');
      const usage = objectAt(message, 'usage');
      const id = textAt(message, 'id') ?? '';
      const {input, cached} = inputOf(usage);
      if (!usage || input === 0 || counted.has(id)) return [];

      counted.add(id);
      since = {inputTokens: since.inputTokens + input, cachedTokens: since.cachedTokens + cached};
      // A sub-agent has a context of its own.
      if (!textAt(event, 'parent_tool_use_id')) {
        contextTokens = input;
        model = textAt(message, 'model');
      }

      return [
        {
          kind: 'usage',
          inputTokens: before.inputTokens + since.inputTokens,
          cachedTokens: before.cachedTokens + since.cachedTokens,
          ...defined({contextTokens}),
        },
      ];
    },
    ofResult: event => {
      before = add(before, sumsOf(event));
      since = {inputTokens: 0, cachedTokens: 0};
      const contextWindow = windowOf(event, model);
      const usage: Usage = {
        ...before,
        ...defined({modelMs: numberAt(event, 'duration_api_ms'), contextTokens, contextWindow}),
      };
      return [{kind: 'usage', ...usage}];
    },
  };
}

function sumsOf(event: JsonObject): Sums {
  const models = objectAt(event, 'model_usage_since_last_result');
  if (models) {
    return objectsAt({list: Object.values(models)}, 'list')
      .map(usage => ({
        inputTokens:
          at(usage, 'inputTokens') + at(usage, 'cacheReadInputTokens') + at(usage, 'cacheCreationInputTokens'),
        outputTokens: at(usage, 'outputTokens'),
        cachedTokens: at(usage, 'cacheReadInputTokens'),
        costUsd: at(usage, 'costUSD'),
      }))
      .reduce(add, {inputTokens: 0, outputTokens: 0, cachedTokens: 0, costUsd: 0});
  }

  // Releases before that field was added.
  const usage = objectAt(event, 'usage');
  const {input, cached} = inputOf(usage);
  return {
    inputTokens: input,
    outputTokens: at(usage, 'output_tokens'),
    cachedTokens: cached,
    costUsd: at(event, 'total_cost_usd'),
  };
}

function windowOf(event: JsonObject, model: string | undefined): number | undefined {
  const models = objectAt(event, 'modelUsage');
  const usage = objectAt(models, model ?? '') ?? objectAt(models, Object.keys(models ?? {})[0] ?? '');
  return numberAt(usage, 'contextWindow');
}

function inputOf(usage: JsonObject | undefined): {input: number; cached: number} {
  const cached = at(usage, 'cache_read_input_tokens');
  return {input: at(usage, 'input_tokens') + at(usage, 'cache_creation_input_tokens') + cached, cached};
}

function at(value: JsonObject | undefined, key: string): number {
  return numberAt(value, key) ?? 0;
}

function add(one: Sums, other: Sums): Sums {
  return {
    inputTokens: one.inputTokens + other.inputTokens,
    outputTokens: one.outputTokens + other.outputTokens,
    cachedTokens: one.cachedTokens + other.cachedTokens,
    costUsd: one.costUsd + other.costUsd,
  };
}
