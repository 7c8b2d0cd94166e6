// Laws of reading a stream: chunks don't matter, junk doesn't harm.
import test from 'ava';
import fc from 'fast-check';
import {splitLines} from '../../lib/loop/lines.ts';
import {readTranscript, replay, transcriptNames} from './transcripts.ts';

const exit = {status: 0, signal: null, stderrTail: ''};

function split(bytes: Uint8Array, cuts: readonly number[], headBytesMax = 1024 * 1024): string[] {
  const splitter = splitLines(headBytesMax);
  const ends = [...new Set(cuts.map(cut => cut % (bytes.length + 1))), bytes.length].sort((one, other) => one - other);
  let from = 0;
  const lines = ends.flatMap(end => {
    const found = splitter.push(bytes.subarray(from, end));
    from = end;
    return found;
  });
  return [...lines, ...splitter.end()].map(line => line.text);
}

test('however a stream is cut into chunks, its lines are the same', t => {
  fc.assert(
    fc.property(fc.string({unit: fc.constantFrom('a', 'é', '🙂', '\n', '\r\n')}), fc.array(fc.nat()), (text, cuts) => {
      const lines = text.split('\n').map(line => line.replace(/\r$/, ''));
      if (text.endsWith('\n') || text === '') lines.pop();
      t.deepEqual(split(Buffer.from(text), cuts), lines);
    }),
  );
});

test('of a long line the head is kept and the rest counted', t => {
  const splitter = splitLines(4);
  t.deepEqual(splitter.push(Buffer.from('12')), []);
  t.deepEqual(splitter.push(Buffer.from('345678\nok\nlast')), [
    {text: '1234', isCut: true, sizeBytes: 8},
    {text: 'ok', isCut: false, sizeBytes: 2},
  ]);
  t.deepEqual(splitter.end(), [{text: 'last', isCut: false, sizeBytes: 4}]);
  t.deepEqual(splitter.end(), []);
});

for (const host of ['claude', 'codex']) {
  test(`${host}: however its stream is cut into chunks, the events and the verdict are the same`, t => {
    const names = transcriptNames(host);
    const property = fc.property(fc.constantFrom(...names), fc.array(fc.nat(), {maxLength: 40}), (name, cuts) => {
      const {text, exit: ended} = readTranscript(host, name);
      const whole = replay(host, text.split('\n'), ended);
      t.deepEqual(replay(host, split(Buffer.from(text), cuts), ended), whole);
    });
    fc.assert(property, {numRuns: 40});
  });

  test(`${host}: junk between its lines changes no verdict`, t => {
    const {text, exit: ended} = readTranscript(host, 'success');
    const lines = text.trim().split('\n');
    const {verdict} = replay(host, lines, ended);
    const junk = fc.oneof(fc.string({unit: 'binary'}), fc.constantFrom('Error: 429 rate limit', '{', 'done', 'null'));
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(lines.length), junk)), noise => {
        const noisy = [...lines];
        for (const [at, line] of noise) noisy.splice(at, 0, line);
        t.deepEqual(replay(host, noisy, ended).verdict, verdict);
      }),
      {numRuns: 50},
    );
  });
}

// JSON of the right words in the wrong places: what another release might send.
const words = fc.constantFrom(
  'assistant', 'user', 'result', 'system', 'api_retry', 'success', 'error', 'turn.failed', 'turn.completed', 'item',
  'item.completed', 'agent_message', 'command_execution', 'rate_limit_event', 'rejected', 'tool_use', 'tool_result',
); // biome-ignore format: a table reads better dense
const keys = fc.constantFrom(
  'type', 'subtype', 'message', 'content', 'usage', 'item', 'error', 'result', 'errors', 'id', 'modelUsage', 'loopx',
  'model_usage_since_last_result', 'rate_limit_info', 'resetsAt', 'input_tokens', 'is_error', 'text', 'outcome', 'status',
); // biome-ignore format: a table reads better dense
const {anything} = fc.letrec(tie => ({
  anything: fc.oneof(
    {depthSize: 'small', withCrossShrink: true},
    fc.oneof(words, fc.integer(), fc.double(), fc.boolean(), fc.constant(null), fc.string({unit: 'binary'})),
    fc.array(tie('anything'), {maxLength: 3}),
    fc.dictionary(keys, tie('anything'), {maxKeys: 6}),
  ),
}));
const event = fc.record({type: words, item: anything, message: anything, usage: anything, result: anything});

for (const host of ['claude', 'codex', 'command']) {
  test(`${host}: no line makes its reader throw, and what it returns can be written as UTF-8`, t => {
    const line = fc.oneof(
      fc.string({unit: 'binary'}),
      anything.map(value => JSON.stringify(value)),
      event.map(value => JSON.stringify(value)),
    );
    fc.assert(
      fc.property(fc.array(line), lines => {
        const {events, verdict} = replay(host, lines, exit);
        t.notRegex(JSON.stringify([events, verdict]), /\p{Surrogate}/u);
        t.true(verdict.ok || verdict.error !== undefined);
      }),
    );
  });
}

test('a line too long to parse is raw, with its size', t => {
  const {events} = replay(
    'claude',
    [`{"type":"result","subtype":"success","result":"${'x'.repeat(2 * 1024 * 1024)}"}`],
    exit,
  );
  t.is(events.length, 1);
  t.regex(events[0]?.kind === 'raw' ? events[0].line.slice(-20) : '', /… \(2097201 bytes\)$/);
});
