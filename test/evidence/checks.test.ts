import {mkdtemp, readFile, rm} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {setTimeout as sleep} from 'node:timers/promises';
import test, {type ExecutionContext} from 'ava';
import {type CheckOptions, runChecks} from '../../lib/evidence/checks.ts';
import {redact} from '../../lib/evidence/redact.ts';
import {startTail} from '../../lib/evidence/tail.ts';

async function setUp(t: ExecutionContext, more: Partial<CheckOptions> = {}) {
  const top = await mkdtemp(join(tmpdir(), 'loopx-test-'));
  t.teardown(() => rm(top, {recursive: true, force: true}));
  const options = {top, env: {PATH: process.env.PATH}, isTrusted: () => true, timeoutMs: 20_000, ...more};
  const run = (...runs: string[]) =>
    runChecks(
      runs.map((run, n) => ({name: `check ${n}`, run})),
      options,
    );
  const pid = async (name: string) => Number(await readFile(join(top, name), 'utf8'));
  return {top, run, pid};
}

async function isGone(pid: number): Promise<boolean> {
  for (let n = 0; n < 60; n += 1) {
    // A process that nobody has collected yet has ended all the same.
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => ') Z');
    if (/\) [ZX]/.test(stat)) return true;
    await sleep(50);
  }

  return false;
}

test('the exit status decides, and every check runs', async t => {
  const {run, top} = await setUp(t);
  const results = await run('pwd; echo oops >&2', 'echo no; exit 3', 'kill -9 $$', 'true');
  t.deepEqual(
    results.map(({outcome, status}) => [outcome, status]),
    [
      ['pass', 0],
      ['fail', 3],
      ['fail', undefined],
      ['pass', 0],
    ],
  );
  t.deepEqual(
    results.map(result => result.tail),
    [`${top}\noops`, 'no', undefined, undefined],
  );
  t.deepEqual(Object.keys(results[0]!), ['name', 'run', 'outcome', 'status', 'seconds', 'tail']);
});

test('a check that nobody trusted is not run', async t => {
  const {run, top} = await setUp(t, {isTrusted: async run => run === 'true'});
  const results = await run('touch ran', 'true');
  t.deepEqual(
    results.map(result => result.outcome),
    ['not-trusted', 'pass'],
  );
  await t.throwsAsync(readFile(join(top, 'ran')), {code: 'ENOENT'});
});

test('a check that takes too long is ended with its children, also if they are deaf to it', async t => {
  const {run, pid} = await setUp(t, {timeoutMs: 300});
  const [result] = await run('trap "" TERM; sh -c \'echo $$ >child; trap "" TERM; while :; do sleep 1; done\'');
  t.is(result!.outcome, 'timeout');
  t.true(result!.seconds >= 0.3 && result!.seconds < 10);
  t.true(await isGone(await pid('child')));
});

test('children that outlive their check end with it, and do not hold it up', async t => {
  const {run, pid} = await setUp(t);
  const start = performance.now();
  const [result] = await run('sleep 60 & echo $! >child; echo done');
  t.deepEqual([result!.outcome, result!.tail], ['pass', 'done']);
  t.true(performance.now() - start < 10_000);
  t.true(await isGone(await pid('child')));
});

test('an interruption ends the check and says so', async t => {
  const abort = new AbortController();
  const {run, pid} = await setUp(t, {
    signal: abort.signal,
    onLine: (_, line) => line === 'ready' && abort.abort(),
  });
  await t.throwsAsync(run('echo $$ >self; echo ready; sleep 60', 'true'), {code: 'interrupted'});
  t.true(await isGone(await pid('self')));
  await t.throwsAsync(run('touch ran'), {code: 'interrupted'});
});

test("git's own variables do not reach a check, and others do as they are (trap 28)", async t => {
  const {run} = await setUp(t, {
    env: {...process.env, GIT_DIR: '/x', GIT_INDEX_FILE: '/y', LC_ALL: 'C.UTF-8', OWN: 'a'},
  });
  const [result] = await run('echo "$GIT_DIR,$GIT_INDEX_FILE,$LC_ALL,$OWN"');
  t.is(result!.tail, ',,C.UTF-8,a');
});

test('the end of the output is kept, without secrets, colours and halves of characters (trap 52)', async t => {
  const {run} = await setUp(t);
  const [long, secret] = await run(
    'i=0; while [ $i -lt 3000 ]; do echo "line ü $i"; i=$((i+1)); done',
    `printf '\\033[31mred\\033[0m password=%s\\n' hunter2hunter2`,
  );
  t.true(Buffer.byteLength(long!.tail!) <= 2048);
  t.true(long!.tail!.endsWith('line ü 2999'));
  t.is(secret!.tail, 'red password=[redacted password]');

  const cut = startTail(undefined);
  cut.add(Buffer.from(`password=${'hunter2'.repeat(100)} ${'x'.repeat(1500)}`));
  t.is(cut.end(redact), `password=[redacted password] ${'x'.repeat(1500)}`, 'a secret is looked for before the cut');

  const lines: string[] = [];
  const tail = startTail(line => lines.push(line));
  for (const byte of Buffer.from(`${'ü'.repeat(1500)}\r\nlast`)) tail.add(Buffer.from([byte]));
  t.regex(
    tail.end(text => text),
    /^ü+\r\nlast$/,
  );
  t.deepEqual(lines, ['ü'.repeat(1500), 'last']);
});
