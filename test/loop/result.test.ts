// What counts as an agent's word on its round, and what does not.
import test from 'ava';
import fc from 'fast-check';
import type {RoundInput} from '../../lib/loop/executor.ts';
import {executorNamed} from '../../lib/loop/executors/all.ts';
import {resetInText} from '../../lib/loop/executors/reset-time.ts';
import {parseResultLine} from '../../lib/loop/executors/result-line.ts';
import {readTranscript, replay} from './transcripts.ts';

const ended = {status: 0, signal: null, stderrTail: ''};
const done = '{"loopx": {"outcome": "done", "summary": "All green."}}';

const round: RoundInput = {
  goal: 'py3-k3m9',
  round: 'r-8w2fz6qk',
  todo: undefined,
  agent: 'claude@mbp',
  prompt: 'Do it.',
  promptFile: '/brief.md',
  cwd: '/repo',
  loopx: 'loopx',
  args: ['--model', 'big'],
  command: 'my-agent --fast',
};

test('only an object with the one key "loopx" and a known outcome is a result', t => {
  t.deepEqual(parseResultLine(done), {outcome: 'done', summary: 'All green.'});
  t.deepEqual(parseResultLine('  {"loopx":{"outcome":"progress"}}\r'), {outcome: 'progress', summary: ''});
  for (const line of [
    'done',
    'I am done: {"loopx":{"outcome":"done"}}',
    '{"loopx":{"outcome":"finished"}}',
    '{"loopx":"done"}',
    '{"loopx":{"outcome":"done"},"more":1}',
    '[{"loopx":{"outcome":"done"}}]',
    '{"loopx":{"outcome":"progress|done|blocked"}}',
    '{"outcome":"done"}',
    '{"loopx":{"outcome":"done"}',
  ]) {
    t.is(parseResultLine(line), undefined, line);
  }
});

test('a bad part of a result is left out, the rest stands', t => {
  const line = JSON.stringify({
    loopx: {
      outcome: 'blocked',
      summary: 'Two ways.',
      question: {text: 'Which?', options: ['a', 7, 'b'], recommend: 'a'},
      artifacts: [{path: 'out.html', kind: 'report'}, {kind: 'nothing'}, 'x'],
      usage: {inputTokens: 12, outputTokens: -1, costUsd: 'much'},
    },
  });
  t.deepEqual(parseResultLine(line), {
    outcome: 'blocked',
    summary: 'Two ways.',
    question: {text: 'Which?', options: ['a', 'b'], recommend: 'a'},
    artifacts: [{path: 'out.html', kind: 'report'}],
    usage: {inputTokens: 12},
  });
});

test('a lone surrogate in a result is replaced', t => {
  t.is(parseResultLine('{"loopx":{"outcome":"done","summary":"a\\ud800b"}}')?.summary, 'a\ufffdb');
});

test('no text that is not a result line makes a command done', t => {
  fc.assert(
    fc.property(
      fc.array(fc.oneof(fc.string({unit: 'binary'}), fc.constantFrom('done', 'COMPLETE', 'outcome: done'))),
      lines => {
        const {verdict} = replay('command', lines, ended);
        t.is(verdict.result, undefined);
        t.true(verdict.ok);
      },
    ),
  );
});

test('the last result line of a command counts', t => {
  const lines = ['{"loopx":{"outcome":"progress","usage":{"inputTokens":5}}}', 'more', done, 'bye'];
  const {verdict} = replay('command', lines, ended);
  t.is(verdict.result?.outcome, 'done');
  t.deepEqual(verdict.usage, {inputTokens: 5});
  t.is(verdict.lastMessage, 'bye');
});

test('an example in the prompt is no result when it is echoed', t => {
  const prompt = `Work.\nEnd with this line:\n${done}\n`;
  t.is(replay('command', prompt.split('\n'), ended, {prompt}).verdict.result, undefined);

  const {text, exit} = readTranscript('claude', 'success');
  const echoed = text.replace('"result":"Done: agent.txt is committed."', `"result":${JSON.stringify(prompt)}`);
  t.not(echoed, text);
  t.is(replay('claude', echoed.split('\n'), exit, {prompt}).verdict.result, undefined);
  t.is(replay('claude', echoed.split('\n'), exit).verdict.result?.outcome, 'done');
});

test('claude and codex may end their last message with a result line', t => {
  const {text, exit} = readTranscript('codex', 'success');
  const say = (message: string) =>
    replay('codex', text.replace('"Done: agent.txt is committed."', JSON.stringify(message)).split('\n'), exit).verdict;
  t.is(say(`All is well.\n\n${done}\n`).result?.outcome, 'done');
  t.is(say(`\`\`\`json\n${done}\n\`\`\``).result?.outcome, 'done');
  t.is(say(`${done}\nbut only if the tests pass`).result, undefined);
});

test('a result of an agent that failed after it is not taken', t => {
  const {text, exit} = readTranscript('codex', 'success');
  const failed = text
    .replace('"Done: agent.txt is committed."', JSON.stringify(done))
    .replace(
      /\{"type":"turn.completed".*\}/,
      '{"type":"turn.failed","error":{"message":"Selected model is at capacity."}}',
    );
  const {verdict} = replay('codex', failed.split('\n'), exit);
  t.is(verdict.error?.class, 'overloaded');
  t.is(verdict.result, undefined);
});

test('a command that exits with an error has crashed, whatever it said before', t => {
  const {verdict} = replay('command', [done], {status: 3, signal: null, stderrTail: 'no disk\n'});
  t.like(verdict, {ok: false, calledModel: true, error: {class: 'crash'}});
  t.regex(verdict.error?.message ?? '', /exit status 3.*no disk/);
});

test('a command that reports a failure and exits with an error has said one thing twice', t => {
  const {verdict} = replay('command', ['{"loopx":{"outcome":"failed","summary":"No."}}'], {...ended, status: 1});
  t.like(verdict, {ok: true, result: {outcome: 'failed'}});
});

test('a command that could not be started called no model', t => {
  for (const status of [126, 127]) t.false(replay('command', [], {...ended, status}).verdict.calledModel);
  t.true(
    replay('command', [], {status: null, signal: 'SIGTERM', stderrTail: '', stopped: 'interrupt'}).verdict.calledModel,
  );
});

test('an executor adds only what it needs to the command line of the user', t => {
  t.deepEqual(executorNamed('claude').plan(round).args, [
    '-p',
    '--output-format',
    'stream-json',
    '--verbose',
    '--model',
    'big',
  ]);
  t.deepEqual(executorNamed('codex').plan(round).args, ['exec', '--json', '--model', 'big', '-']);
  t.deepEqual(executorNamed('command').plan(round).args, ['-c', 'my-agent --fast', 'loopx', '--model', 'big']);
  for (const name of ['claude', 'codex', 'command']) {
    t.deepEqual(executorNamed(name).plan(round).env, {
      LOOPX_GOAL: 'py3-k3m9',
      LOOPX_ROUND: 'r-8w2fz6qk',
      LOOPX_TODO: '',
      LOOPX_AGENT: 'claude@mbp',
      LOOPX_BIN: 'loopx',
      LOOPX_PROMPT_FILE: '/brief.md',
    });
    t.is(executorNamed(name).plan(round).stdin, 'Do it.');
  }
});

test('an unknown executor is refused with the names of the known ones', t => {
  const error = t.throws(() => executorNamed('hal'), {code: 'executor-unknown'});
  t.regex((error as {hint?: string}).hint ?? '', /claude, codex, command/);
});

test('the executor "command" wants a command', t => {
  t.throws(() => executorNamed('command').plan({...round, command: ''}), {code: 'config-invalid'});
});

const resets = test.macro((t, text: string, now: string, timeZone: string, expected: string | undefined) => {
  const atMs = resetInText(text, Date.parse(now), timeZone);
  t.is(atMs === undefined ? undefined : new Date(atMs).toISOString(), expected);
});

const noon = '2026-11-30T12:00:00Z';
test('a time of day is today', resets, 'try again at 7:57 PM.', noon, 'UTC', '2026-11-30T19:57:00.000Z');
test(
  'a time of day that is over is tomorrow',
  resets,
  'try again at 7:57 AM.',
  noon,
  'UTC',
  '2026-12-01T07:57:00.000Z',
);
test('noon and midnight are 12', resets, 'try again at 12:30 AM.', noon, 'UTC', '2026-12-01T00:30:00.000Z');
test('a minute just gone is now', resets, 'try again at 11:59 AM.', noon, 'UTC', '2026-11-30T11:59:00.000Z');
test(
  'a time of day is read in its zone',
  resets,
  'try again at 7:57 PM.',
  noon,
  'Asia/Tokyo',
  '2026-12-01T10:57:00.000Z',
);
test(
  'the clock change is heeded',
  resets,
  'try again at 7:00 AM.',
  '2026-10-24T12:00:00Z',
  'Europe/Berlin',
  '2026-10-25T06:00:00.000Z',
);
test('a date is read', resets, 'try again at Dec 3rd, 2026 7:57 AM.', noon, 'UTC', '2026-12-03T07:57:00.000Z');
test('a span is read', resets, 'Try again in 2 days 3 hours.', noon, 'UTC', '2026-12-02T15:00:00.000Z');
test('short units are read', resets, 'Please try again in 1.5s.', noon, 'UTC', '2026-11-30T12:00:01.500Z');
test('no time is no reset', resets, 'try again later', noon, 'UTC', undefined);
