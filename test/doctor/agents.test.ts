import {mkdir, writeFile} from 'node:fs/promises';
import {createServer} from 'node:net';
import {join} from 'node:path';
import test from 'ava';
import {good} from '../../lib/doctor/finding.ts';
import {findProgram, runProgram} from '../../lib/doctor/programs.ts';
import {isAlive, startTimeOf} from '../../lib/loop/process-table.ts';
import {openWard} from './patient.ts';

test('an agent that does not start is told of, and worse if it is the default executor', async t => {
  const ward = await openWard(t);
  const claude = await ward.program('claude', 'echo "libssl is missing." >&2; exit 127');
  const codex = await ward.program('codex', 'echo codex-cli 0.171.0');
  const broken = {
    message: `${claude} doesn't start: libssl is missing.`,
    mend: 'Install it again: npm install -g @anthropic-ai/claude-code',
  };
  t.deepEqual(await ward.examine('agents'), [{state: 'warn', ...broken}, good(`codex 0.171.0 starts: ${codex}.`)]);
  const [chosen] = await ward.examine('agents', {env: {LOOPX_DEFAULT_EXECUTOR: 'claude'}});
  t.deepEqual(chosen, {state: 'bad', ...broken});
  await writeFile(claude, '#!/nowhere/node\n');
  t.regex((await ward.examine('agents'))[0]!.message, /doesn't start: spawn .* ENOENT/);
});

test('a program that does not end is stopped with all that it started', async t => {
  const ward = await openWard(t);
  const file = await ward.program('claude', 'sleep 60 & echo $!; wait');
  const options = {cwd: ward.dir, env: ward.env, limitMs: 300, signal: new AbortController().signal};
  const run = await runProgram(file, ['--version'], options);
  t.true(run.isLate);
  t.is(run.status, undefined);
  const pid = Number(run.output);
  const world = {platform: process.platform};
  for (let tries = 0; tries < 100 && startTimeOf(pid, world); tries += 1) await new Promise(go => setTimeout(go, 10));
  t.false(isAlive({pid, startTime: startTimeOf(pid, world)}, world));
});

test('a program is waited for, but not for what it leaves in the background', async t => {
  const ward = await openWard(t);
  const file = await ward.program('claude', 'sleep 30 & echo 1.0');
  const startMs = Date.now();
  const options = {cwd: ward.dir, env: ward.env, limitMs: 60_000, signal: new AbortController().signal};
  const run = await runProgram(file, [], options);
  t.like(run, {status: 0, output: '1.0\n', isLate: false});
  t.true(Date.now() - startMs < 25_000);
});

test('programs are found on PATH or by their path, and folders are none', async t => {
  const ward = await openWard(t);
  const file = await ward.program('claude', '');
  await mkdir(join(ward.bin, 'codex'));
  t.is(await findProgram('claude', `/nowhere:${ward.bin}`, '/'), file);
  t.is(await findProgram('codex', ward.bin, '/'), undefined);
  t.is(await findProgram('./claude', '', ward.bin), file);
  t.is(await findProgram('claude', undefined, '/nowhere'), undefined);
});

test('signs of a login are looked for on this machine only', async t => {
  const ward = await openWard(t);
  await ward.program('claude', 'echo 1.0');
  await ward.program('codex', 'echo 1.0');
  const home = ward.env.HOME!;
  await writeFile(join(home, '.claude.json'), '{"numStartups": 1}');
  t.deepEqual(
    (await ward.examine('login')).map(({state, mend}) => [state, mend]),
    [
      ['warn', 'Start `claude` once and log in, or set ANTHROPIC_API_KEY.'],
      ['warn', 'Run `codex login`, or set OPENAI_API_KEY.'],
    ],
  );

  await writeFile(join(home, '.claude.json'), '{"oauthAccount": {}}');
  await mkdir(join(home, '.codex'));
  await writeFile(join(home, '.codex/auth.json'), '{}');
  t.deepEqual(
    (await ward.examine('login')).map(({message}) => message),
    [
      `claude seems to be logged in: ${home}/.claude.json says so.`,
      `codex seems to be logged in: ${home}/.codex/auth.json says so.`,
    ],
  );
  const elsewhere = {CODEX_HOME: join(home, 'none'), CLAUDE_CONFIG_DIR: join(home, 'none')};
  t.deepEqual(
    (await ward.examine('login', {env: elsewhere})).map(({state}) => state),
    ['warn', 'warn'],
  );
});

test('a configured executor whose program is not there is told of, and a default that is no executor', async t => {
  const ward = await openWard(t);
  const file = join(ward.dir, '.loopx.yaml');
  await ward.write('agent.sh', '#!/bin/sh\n');
  await writeFile(
    file,
    'executors:\n  here: {command: "MODE=fast sh agent.sh"}\n  gone: {command: ./gone.sh --fast}\n  odd: {command: "cd /x && y"}\n',
  );
  const gone = {
    message: 'The program ./gone.sh of executor gone is not there.',
    mend: `Install it, or mend executors.gone.command in ${file}.`,
  };
  const here = good(`The program of executor here is there: ${ward.bin}/sh.`);
  t.deepEqual(await ward.examine('executors'), [here, {state: 'warn', ...gone}]);
  t.deepEqual(await ward.examine('executors', {env: {LOOPX_DEFAULT_EXECUTOR: 'gone'}}), [
    here,
    {state: 'bad', ...gone},
  ]);
  t.deepEqual((await ward.examine('executors', {env: {LOOPX_DEFAULT_EXECUTOR: 'gpt'}})).at(-1), {
    state: 'bad',
    message: 'The default executor gpt is neither known nor configured (LOOPX_DEFAULT_EXECUTOR).',
    mend: 'loopx config set default_executor auto',
  });
});

test('a proxy on this machine that is not running is told of, without the password in its address', async t => {
  const ward = await openWard(t);
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise(listening => server.once('listening', listening));
  const {port} = server.address() as {port: number};
  const env = {
    ANTHROPIC_BASE_URL: `http://localhost:${port}/v1`,
    HTTPS_PROXY: `user:secret@127.0.0.1:${port}`,
    OPENAI_BASE_URL: 'https://api.example.org/v1',
    ALL_PROXY: 'http://',
  };
  t.deepEqual(await ward.examine('proxies', {env}), [
    good(`ANTHROPIC_BASE_URL leads to http://localhost:${port}, where somebody listens.`),
    good(`HTTPS_PROXY leads to http://127.0.0.1:${port}, where somebody listens.`),
    {state: 'bad', message: 'ALL_PROXY is set, but not to an address.', mend: 'Mend it, or run: unset ALL_PROXY'},
  ]);

  await new Promise(closed => server.close(closed));
  const signs = await ward.examine('proxies', {env});
  t.deepEqual(signs[1], {
    state: 'bad',
    message: `HTTPS_PROXY leads to http://127.0.0.1:${port}, where nobody answers: the connection is refused.`,
    mend: 'Start the proxy, or run: unset HTTPS_PROXY',
  });
  t.is(signs[0]?.state, 'bad');
});
