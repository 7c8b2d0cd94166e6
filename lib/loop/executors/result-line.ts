// The one way in which an agent tells loopx how its round went: a line that is a JSON object with exactly the key
// "loopx". Prose never counts: a text that says "done" may be a plan, a quotation or a lie.
import type {AgentResult, Usage} from '../executor.ts';
import {defined, type JsonObject, numberAt, objectAt, objectsAt, parseObject, textAt, wellFormed} from './json-line.ts';

const outcomes: readonly string[] = ['progress', 'done', 'no-change', 'blocked', 'failed'];
const summaryCharsMax = 4000;
const optionsMax = 20;
const artifactsMax = 200;

/** Returns what the line reports, or undefined for any line that is not a result. A bad optional part is left out. */
export function parseResultLine(line: string): AgentResult | undefined {
  const report = parseObject(line);
  if (!report || Object.keys(report).length !== 1) return undefined;

  const body = objectAt(report, 'loopx');
  const outcome = textAt(body, 'outcome');
  if (!body || !outcome || !outcomes.includes(outcome)) return undefined;

  return {
    outcome: outcome as AgentResult['outcome'],
    summary: cut(textAt(body, 'summary') ?? ''),
    ...defined({question: questionOf(body), artifacts: artifactsOf(body), usage: usageOf(objectAt(body, 'usage'))}),
  };
}

/**
 * Returns what the last line of an agent's message reports. A closing code fence after it is forgiven, since models
 * like to wrap JSON in one.
 *
 * @param prompt - A line that stands in it is an example being repeated, and does not count.
 */
export function resultInMessage(message: string, prompt: string): AgentResult | undefined {
  const lines = message.trimEnd().split('\n');
  if (lines.at(-1)?.trim() === '```') lines.pop();
  const last = lines.at(-1)?.trim() ?? '';
  return isEcho(last, prompt) ? undefined : parseResultLine(last);
}

/** Says whether the line stands in the prompt, word for word. */
export function isEcho(line: string, prompt: string): boolean {
  return prompt.includes(line.trim());
}

function questionOf(body: JsonObject): AgentResult['question'] {
  const question = objectAt(body, 'question');
  const text = textAt(question, 'text');
  if (!question || !text) return undefined;
  return {
    text: cut(text),
    options: textsAt(question, 'options'),
    ...defined({recommend: textAt(question, 'recommend')}),
  };
}

function textsAt(value: JsonObject, key: string): readonly string[] {
  const list = value[key];
  if (!Array.isArray(list)) return [];
  return list
    .filter(item => typeof item === 'string')
    .slice(0, optionsMax)
    .map(item => cut(wellFormed(item)));
}

function artifactsOf(body: JsonObject): AgentResult['artifacts'] {
  const artifacts = objectsAt(body, 'artifacts').flatMap(item => {
    const path = textAt(item, 'path');
    return path ? [{path, ...defined({kind: textAt(item, 'kind')})}] : [];
  });
  return artifacts.length > 0 ? artifacts.slice(0, artifactsMax) : undefined;
}

function usageOf(usage: JsonObject | undefined): Usage | undefined {
  const known = defined({
    inputTokens: numberAt(usage, 'inputTokens'),
    outputTokens: numberAt(usage, 'outputTokens'),
    cachedTokens: numberAt(usage, 'cachedTokens'),
    costUsd: numberAt(usage, 'costUsd'),
    modelMs: numberAt(usage, 'modelMs'),
    contextTokens: numberAt(usage, 'contextTokens'),
    contextWindow: numberAt(usage, 'contextWindow'),
  });
  return Object.keys(known).length > 0 ? known : undefined;
}

function cut(text: string): string {
  return text.length > summaryCharsMax ? `${wellFormed(text.slice(0, summaryCharsMax))}…` : text;
}
