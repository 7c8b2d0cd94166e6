// Every executor against everything its agent was seen to do.
import test from 'ava';
import type {ErrorClass, Usage} from '../../lib/loop/executor.ts';
import {executors} from '../../lib/loop/executors/all.ts';
import {readTranscript, replay, transcriptNames} from './transcripts.ts';

type Expected = {
  readonly ends: 'ok' | ErrorClass;
  /** Input and output tokens; undefined where the model was never reached, so that nothing is billed. */
  readonly tokens: readonly [number, number | undefined] | 'untold' | undefined;
  readonly resetAt?: string;
};

const ok = (input: number, output: number): Expected => ({ends: 'ok', tokens: [input, output]});
const refused = (ends: ErrorClass, resetAt?: string): Expected => ({
  ends,
  tokens: undefined,
  ...(resetAt ? {resetAt} : {}),
});

const table: Readonly<Record<string, Readonly<Record<string, Expected>>>> = {
  claude: {
    auth: refused('auth'),
    compact: ok(2300, 83),
    'connection-refused': refused('network'),
    cut: ok(2300, 44),
    'interrupted-sigint': {ends: 'interrupted', tokens: [1100, 41]},
    'interrupted-sigkill': {ends: 'interrupted', tokens: [1100, undefined]},
    'interrupted-sigterm': {ends: 'interrupted', tokens: [1100, undefined]},
    'interrupted-sigterm-group': {ends: 'interrupted', tokens: [1100, undefined]},
    'max-budget': {ends: 'budget', tokens: [3600, 126]},
    'max-turns': {ends: 'max-turns', tokens: [3600, 126]},
    'near-full': ok(200300, 993),
    overflow: refused('context-overflow'),
    overloaded: refused('overloaded'),
    'rate-limit': refused('rate-limit'),
    'rate-limit-default': refused('rate-limit'),
    'rate-limit-once': ok(2500, 85),
    resumed: ok(1100, 41),
    success: ok(2300, 83),
    'three-tools': ok(5000, 170),
    'tool-fails': ok(2300, 83),
    'usage-limit': refused('rate-limit'),
    'usage-limit-subscription': refused('usage-limit', '2026-11-30T08:15:53.000Z'),
  },
  codex: {
    auth: refused('auth'),
    'connection-refused': refused('network'),
    cut: ok(1200, 42),
    'interrupted-sigint': {ends: 'interrupted', tokens: 'untold'},
    'interrupted-sigkill': {ends: 'interrupted', tokens: 'untold'},
    'interrupted-sigterm': {ends: 'interrupted', tokens: 'untold'},
    'interrupted-sigterm-group': {ends: 'interrupted', tokens: 'untold'},
    'near-full': ok(201600, 1036),
    overflow: refused('context-overflow'),
    overloaded: refused('overloaded'),
    'rate-limit': refused('rate-limit'),
    'rate-limit-default': refused('rate-limit'),
    'rate-limit-once': ok(2500, 85),
    resumed: ok(3400, 124),
    'sandbox-workspace-write': ok(2300, 83),
    success: ok(2300, 83),
    'three-tools': ok(5000, 170),
    'tool-fails': ok(2300, 83),
    'usage-limit': refused('usage-limit', '2026-11-30T07:57:00.000Z'),
  },
};

const judges = test.macro((t, host: string, name: string, expected: Expected) => {
  const {text, exit} = readTranscript(host, name);
  const {verdict} = replay(host, text.split('\n'), exit);

  t.is(verdict.error?.class ?? 'ok', expected.ends);
  t.is(verdict.ok, expected.ends === 'ok');
  t.is(verdict.calledModel, expected.tokens !== undefined);
  t.deepEqual(tokens(verdict.usage), Array.isArray(expected.tokens) ? expected.tokens : [undefined, undefined]);
  t.is(verdict.error?.resetAtMs, expected.resetAt === undefined ? undefined : Date.parse(expected.resetAt));
  t.regex(verdict.sessionId ?? '', /^00000000-0000-4000-8000-00000000000\d$/);
  if (verdict.error) t.regex(verdict.error.message, /\S/);
});

for (const [host, transcripts] of Object.entries(table)) {
  for (const [name, expected] of Object.entries(transcripts)) {
    test(`${host} ${name} ends as ${expected.ends}`, judges, host, name, expected);
  }
}

test('every recorded transcript is judged', t => {
  for (const [host, transcripts] of Object.entries(table))
    t.deepEqual(transcriptNames(host), Object.keys(transcripts).sort());
  t.deepEqual(
    executors.map(executor => executor.name),
    ['claude', 'codex', 'command'],
  );
});

test('a resumed session is not billed again for its past', t => {
  const {text, exit} = readTranscript('claude', 'resumed');
  t.is(replay('claude', text.split('\n'), exit).verdict.usage.costUsd, 0.003915);
  t.is(JSON.parse(text.trim().split('\n').at(-1) ?? '').total_cost_usd, 0.01206);
});

for (const host of ['claude', 'codex']) {
  test(`${host} tells of its session, messages and tools in order`, t => {
    const {text, exit} = readTranscript(host, 'success');
    const {events, verdict} = replay(host, text.split('\n'), exit);
    const kinds = events.map(event => event.kind).filter(kind => kind !== 'usage' && kind !== 'raw');
    t.deepEqual(kinds, ['session', 'message', 'tool-call', 'tool-result', 'message', 'final']);
    t.is(verdict.lastMessage, 'Done: agent.txt is committed.');
    t.is(verdict.result, undefined);
  });

  test(`${host}: a failed tool is told of, and is not the agent's failure`, t => {
    const {text, exit} = readTranscript(host, 'tool-fails');
    const result = replay(host, text.split('\n'), exit).events.find(event => event.kind === 'tool-result');
    t.false(result?.kind === 'tool-result' && result.ok);
  });

  test(`${host}: a stream cut before its end is a crash, even with exit status 0`, t => {
    const {text} = readTranscript(host, 'success');
    const lines = text.trim().split('\n').slice(0, -1);
    const {verdict} = replay(host, lines, {status: 0, signal: null, stderrTail: ''});
    t.is(verdict.error?.class, 'crash');
    t.true(verdict.calledModel);
  });

  test(`${host}: nothing after the final event counts`, t => {
    const {text, exit} = readTranscript(host, 'success');
    const more =
      readTranscript(host, 'overloaded').text + readTranscript(host, 'cut').text.split('\n').slice(0, -2).join('\n');
    const {verdict} = replay(host, (text + more).split('\n'), exit);
    t.true(verdict.ok);
    t.is(verdict.lastMessage, 'Done: agent.txt is committed.');
  });

  test(`${host}: half a last line is no final event`, t => {
    const {text} = readTranscript(host, 'success');
    const {verdict} = replay(host, text.trimEnd().slice(0, -10).split('\n'), {status: 0, signal: null, stderrTail: ''});
    t.is(verdict.error?.class, 'crash');
  });

  test(`${host}: a round that ended well stays well when its process had to be stopped`, t => {
    const {text} = readTranscript(host, 'success');
    const exit = {status: null, signal: 'SIGKILL', stderrTail: '', stopped: 'after-result'} as const;
    t.true(replay(host, text.split('\n'), exit).verdict.ok);
  });

  test(`${host}: silence while it retries is named for what it retried`, t => {
    const {text} = readTranscript(host, 'rate-limit-default');
    const lines = text.split('\n').filter(line => /retry|Reconnecting|thread/.test(line));
    const {verdict} = replay(host, lines, {status: null, signal: 'SIGTERM', stderrTail: '', stopped: 'silence'});
    t.is(verdict.error?.class, 'rate-limit');
  });

  test(`${host}: a failure before the stream begins is read from what it says of itself`, t => {
    const exit = {status: 1, signal: null, stderrTail: 'some warning\nError: not logged in\n'};
    t.is(replay(host, [], exit).verdict.error?.class, 'auth');
    t.false(replay(host, [], exit).verdict.calledModel);
  });
}

test('an agent stopped by a limit is stalled, although it says that it was interrupted', t => {
  const {text, exit} = readTranscript('claude', 'interrupted-sigint');
  const {verdict} = replay('claude', text.split('\n'), {...exit, stopped: 'timeout'});
  t.is(verdict.error?.class, 'stalled');
  t.regex(verdict.error?.message ?? '', /longer than its limit/);
});

function tokens(usage: Usage): readonly [number | undefined, number | undefined] {
  return [usage.inputTokens || undefined, usage.outputTokens || undefined];
}
