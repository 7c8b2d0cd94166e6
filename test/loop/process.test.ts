// Real children, real signals. What every test asks at the end: is anything of the attempt left?
import {type ChildProcess, spawn} from 'node:child_process';
import {once} from 'node:events';
import {mkdtemp, readFile, rm, stat, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import path from 'node:path';
import {fileURLToPath} from 'node:url';
import test, {type ExecutionContext} from 'ava';
import type {AgentEvent} from '../../lib/loop/executor.ts';
import {executorNamed} from '../../lib/loop/executors/all.ts';
import {openLiveLog} from '../../lib/loop/live-log.ts';
import {type AgentOutcome, type AgentRun, runAgent} from '../../lib/loop/process.ts';
import {isAlive, markedProcesses, type ProcessIdentity, startTimeOf} from '../../lib/loop/process-table.ts';
import {reap} from '../../lib/loop/reaper.ts';
import {tempRepo} from '../support/repo.ts';
import {eventually, realWorld} from './real-world.ts';

const agents = fileURLToPath(new URL('../../fixtures/agents/', import.meta.url));
const driver = fileURLToPath(new URL('driver.ts', import.meta.url));
const quick = {roundMs: 20_000, silenceMs: 20_000, afterResultMs: 5000};
const impatient = {signal: 'SIGTERM', to: 'group', graceMs: 200} as const;

let attempts = 0;

type Round = {outcome: AgentOutcome; events: AgentEvent[]; attempt: string; log: string; identity: ProcessIdentity};

async function tempDir(t: ExecutionContext): Promise<string> {
  const dir = await mkdtemp(path.join(tmpdir(), 'loopx-agent-'));
  t.teardown(() => rm(dir, {recursive: true, force: true}));
  return dir;
}

function newAttempt(): string {
  attempts += 1;
  return `test-${process.pid}-${attempts}`;
}

/** Runs a program of fixtures/agents under the executor of that name. */
async function round(
  t: ExecutionContext,
  program: string,
  change: Partial<AgentRun> & {executor?: string; args?: string[]; prompt?: string} = {},
): Promise<Round> {
  const {executor: name = 'command', args = [], prompt = 'Do it.', ...rest} = change;
  const dir = await tempDir(t);
  const attempt = newAttempt();
  const events: AgentEvent[] = [];
  const executor = executorNamed(name);
  let identity: ProcessIdentity | undefined;
  const outcome = await runAgent(
    {file: path.resolve(agents, program), args, env: {LOOPX_ROUND: 'r-1'}, stdin: prompt, whenMissing: 'Install it.'},
    {
      cwd: dir,
      env: process.env,
      attempt,
      reader: executor.read({nowMs: Date.now, prompt}),
      interrupt: impatient,
      limits: quick,
      signal: new AbortController().signal,
      logFile: path.join(dir, 'logs', 'round.log'),
      world: realWorld,
      onSpawn: spawned => {
        identity = spawned;
      },
      ...rest,
      onEvent: event => {
        events.push(event);
        rest.onEvent?.(event);
      },
    },
  );
  t.deepEqual(await markedProcesses(attempt, realWorld), []);
  const log = await readFile(path.join(dir, 'logs', 'round.log'), 'utf8');
  return {outcome, events, attempt, log, identity: identity as ProcessIdentity};
}

/** Returns an onEvent that aborts as soon as the agent has said what it started. */
function interruptWhenStarted(): {signal: AbortSignal; onEvent: (event: AgentEvent) => void} {
  const controller = new AbortController();
  return {signal: controller.signal, onEvent: event => event.kind === 'raw' && controller.abort()};
}

test('an agent that works is believed, and what it printed is in the log', async t => {
  const {dir, git, env} = await tempRepo(t);
  const {outcome, events, log, identity} = await round(t, 'works', {cwd: dir, env});
  t.like(outcome, {
    exit: {status: 0, signal: null},
    verdict: {ok: true, calledModel: true, result: {outcome: 'progress'}},
  });
  t.deepEqual(
    events.map(event => event.kind),
    ['raw', 'result'],
  );
  t.regex(log, /^I wrote work.txt and committed it.\n\{"loopx"/);
  t.is(await git.text(['rev-list', '--count', 'HEAD']), '2');
  t.false(isAlive(identity, realWorld));
});

test('an agent that lies gets nothing for it', async t => {
  const {outcome} = await round(t, 'lies', {prompt: 'End with {"loopx":{"outcome":"done"}}\n'});
  t.true(outcome.verdict.ok);
  t.is(outcome.verdict.result, undefined);
});

test('an agent that fails without reading its prompt is a failure of the agent, not of the pipe', async t => {
  const {outcome, log} = await round(t, 'fails', {prompt: 'x'.repeat(4 * 1024 * 1024)});
  t.like(outcome.verdict, {ok: false, error: {class: 'crash'}});
  t.regex(outcome.verdict.error?.message ?? '', /fails: something is wrong/);
  t.is(log, 'stderr: fails: something is wrong\n');
});

test('a program that is not there is a failure with a way out', async t => {
  await t.throwsAsync(round(t, 'no-such-agent'), {code: 'executor-missing'});
  await t.throwsAsync(round(t, 'README'), {code: 'executor-missing'});
  await t.throwsAsync(round(t, 'works', {cwd: '/no/such/folder'}), {code: 'io-failed'});
});

test('an interrupt ends an agent that ignores it, and the grandchild that left its group', async t => {
  const {outcome, events} = await round(t, 'hangs.mjs', interruptWhenStarted());
  t.like(outcome, {exit: {signal: 'SIGKILL', stopped: 'interrupt'}, verdict: {ok: false, calledModel: true}});
  t.is(outcome.verdict.error?.class, 'interrupted');
  const [said] = events;
  const pids = said?.kind === 'raw' ? (said.line.match(/\d+/g) ?? []) : [];
  t.is(pids.length, 2);
  for (const pid of pids) t.is(startTimeOf(Number(pid), realWorld), undefined);
});

test('an abort before the start starts nothing', async t => {
  await t.throwsAsync(round(t, 'works', {signal: AbortSignal.abort()}), {code: 'interrupted'});
});

test('a round that takes too long is stopped and called stalled', async t => {
  const {outcome} = await round(t, 'hangs.mjs', {limits: {...quick, roundMs: 800}});
  t.is(outcome.exit.stopped, 'timeout');
  t.like(outcome.verdict, {error: {class: 'stalled'}});
});

test('silence is stopped, and talk of retries is silence', async t => {
  const env = {...process.env, SPEAKS: 'rate-limit-default', SPEAKS_DELAY_MS: '400'};
  const {outcome} = await round(t, 'speaks-claude.mjs', {executor: 'claude', env, limits: {...quick, silenceMs: 2500}});
  t.is(outcome.exit.stopped, 'silence');
  t.like(outcome.verdict, {error: {class: 'rate-limit'}, calledModel: false});
});

test('an agent that goes on after its final event is stopped, and has still done well', async t => {
  const env = {...process.env, SPEAKS_STAYS: '1'};
  const limits = {...quick, afterResultMs: 300};
  const {outcome} = await round(t, 'speaks-codex.mjs', {executor: 'codex', env, limits});
  t.is(outcome.exit.stopped, 'after-result');
  t.like(outcome.verdict, {ok: true, lastMessage: 'Done: agent.txt is committed.'});
});

test('claude and codex as programs end as their transcripts say', async t => {
  const env = {...process.env, SPEAKS: 'usage-limit'};
  const [claude, codex] = await Promise.all([
    round(t, 'speaks-claude.mjs', {executor: 'claude'}),
    round(t, 'speaks-codex.mjs', {executor: 'codex', env}),
  ]);
  t.like(claude.outcome, {exit: {status: 0}, verdict: {ok: true, usage: {outputTokens: 83}}});
  t.like(codex.outcome, {exit: {status: 1}, verdict: {ok: false, error: {class: 'usage-limit'}}});
});

test('what an agent leaves in the background is ended with it', async t => {
  const dir = await tempDir(t);
  const script = path.join(dir, 'leaves');
  // One child in the agent's group holds its output open, one has a session of its own.
  const away = `require('child_process').spawn('sleep', ['300'], {detached: true, stdio: 'ignore'}).unref()`;
  await writeFile(script, `#!/bin/sh\nsleep 300 &\n"${process.execPath}" -e "${away}"\necho bye\n`, {mode: 0o755});
  const {outcome} = await round(t, script);
  t.like(outcome, {exit: {status: 0}, verdict: {ok: true, lastMessage: 'bye'}});
  t.true(outcome.elapsedMs < 10_000);
});

test('two hundred megabytes in one line pass through small memory into a small log', async t => {
  const beforeBytes = process.memoryUsage.rss();
  let peakBytes = 0;
  const timer = setInterval(() => {
    peakBytes = Math.max(peakBytes, process.memoryUsage.rss());
  }, 20);
  const {outcome, events, log} = await round(t, 'floods.mjs', {prompt: ''});
  clearInterval(timer);
  t.is(outcome.verdict.result?.outcome, 'no-change');
  t.regex(events[0]?.kind === 'raw' ? events[0].line : '', /^x{4096}… \(209715200 bytes\)$/);
  t.true(log.length < 2 * 1024 * 1024);
  // Less than the line; what is garbage already counts too, and so do the tests that run beside this one.
  t.true(peakBytes - beforeBytes < 160 * 1024 * 1024, `${(peakBytes - beforeBytes) / 1024 / 1024} MB`);
});

test('an error in a callback ends the agent before it is told', async t => {
  const fault = () => {
    throw new Error('disk full');
  };
  await t.throwsAsync(round(t, 'hangs.mjs', {onEvent: fault}), {message: 'disk full'});
  await t.throwsAsync(round(t, 'hangs.mjs', {onSpawn: fault}), {message: 'disk full'});
  t.deepEqual(await markedProcesses(`test-${process.pid}-${attempts}`, realWorld), []);
  t.deepEqual(await markedProcesses(`test-${process.pid}-${attempts - 1}`, realWorld), []);
});

type Driven = {loop: ChildProcess; attempt: string; agent: ProcessIdentity; pids: readonly number[]};

/** Starts a loop with a hanging agent, and returns when the agent and its grandchild are there. */
async function drive(t: ExecutionContext): Promise<Driven> {
  const dir = await tempDir(t);
  const attempt = newAttempt();
  t.teardown(() => reap(attempt, realWorld, 0));
  const args = ['--import=tsx', driver, attempt, path.join(dir, 'log'), path.join(agents, 'hangs.mjs')];
  const loop = spawn(process.execPath, args, {stdio: ['ignore', 'pipe', 'inherit'], detached: true});
  let said = '';
  for await (const chunk of loop.stdout as AsyncIterable<Buffer>) {
    said += chunk;
    if (said.includes('grandchild')) break;
  }

  const [identity = '', event = ''] = said.split('\n');
  const pids = (JSON.parse(event).line.match(/\d+/g) ?? []).map(Number);
  return {loop, attempt, agent: JSON.parse(identity), pids};
}

test('an agent and its grandchild die with the loop, even when that is killed', async t => {
  const {loop, attempt, agent, pids} = await drive(t);
  t.is(pids.length, 2);
  t.true(isAlive(agent, realWorld));
  t.deepEqual([...(await markedProcesses(attempt, realWorld))].sort(), [...pids].sort());

  // What a terminal sends to everybody when its user gives up or goes away must not send the watchdog home.
  const watchdog = await watchdogOf(attempt);
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.kill(watchdog, signal);
  loop.kill('SIGKILL');
  await once(loop, 'exit');
  t.true(await eventually(async () => (await markedProcesses(attempt, realWorld)).length === 0, 12_000));
  t.false(isAlive(agent, realWorld));
});

test('after a crash in which the watchdog died too, the attempt can be reaped by its mark', async t => {
  const {loop, attempt, agent, pids} = await drive(t);
  const watchdog = await watchdogOf(attempt);
  process.kill(watchdog, 'SIGKILL');
  loop.kill('SIGKILL');
  await once(loop, 'exit');

  t.true(isAlive(agent, realWorld));
  t.deepEqual(await reap('test-0-0', realWorld, 0), []);
  t.deepEqual(
    await reap(attempt, realWorld, 200),
    [...pids].sort((one, other) => one - other),
  );
  t.false(isAlive(agent, realWorld));
});

test('a process is known by its start time, not by its pid alone (trap 32)', t => {
  const self = {pid: process.pid, startTime: startTimeOf(process.pid, realWorld)};
  t.true(isAlive(self, realWorld));
  t.false(isAlive({...self, startTime: 'another'}, realWorld));
  t.false(isAlive({...self, startTime: undefined}, realWorld));
  t.is(startTimeOf(2 ** 22 + 1, realWorld), undefined);
});

test('the log ends at its bound with a note, and a log that cannot be written stops nothing', async t => {
  const dir = await tempDir(t);
  const file = path.join(dir, 'deep', 'log');
  const log = await openLiveLog(file, 10);
  for (const text of ['12345678', 'abcdefgh', 'more']) await log.write(text);
  await log.close();
  t.is(await readFile(file, 'utf8'), '12345678ab\n[loopx: the log ends here, at 10 bytes]\n');
  t.is((await stat(file)).mode & 0o777, 0o600);

  const broken = await openLiveLog(path.join(file, 'not-a-folder'));
  await broken.write('x');
  t.regex(broken.problem() ?? '', /could not be written/);
  await broken.close();
});

async function watchdogOf(attempt: string): Promise<number> {
  const {execa} = await import('execa');
  const {stdout} = await execa('ps', ['-axo', 'pid=,command=']);
  const line = stdout.split('\n').find(entry => entry.includes(`loopx-watchdog ${attempt}`));
  return Number.parseInt(line ?? '', 10);
}
