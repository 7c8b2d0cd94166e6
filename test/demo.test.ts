// The demo's program and the script that stands where the agent would. The whole demo, with loopx driving the script,
// is `npm run demo`.
import {type ChildProcess, execFileSync, spawn} from 'node:child_process';
import {once} from 'node:events';
import {cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import path from 'node:path';
import {fileURLToPath} from 'node:url';
import test, {type ExecutionContext} from 'ava';

const demo = fileURLToPath(new URL('../fixtures/demo/', import.meta.url));

// Entry first, leaves last: an ES module may import CommonJS, but not the other way round.
const files = [
  'bin/ledger.js',
  'lib/cli.js',
  'lib/reports.js',
  'lib/table.js',
  'lib/parse.js',
  'lib/transaction.js',
  'lib/period.js',
  'lib/amount.js',
  'lib/ledger-error.js',
];

test('the ledger passes its own tests before anything is migrated', t => {
  t.deepEqual(runTests(path.join(demo, 'program')), {pass: 31, fail: 0, warns: false});
});

test('file by file the program moves to ES modules, and its tests pass after each', async t => {
  const repo = ledgerRepo(t);
  for (const file of files) {
    const target = file.replace(/\.js$/, '.mjs');
    const {result} = await runAgent(repo, file);
    t.is(result.outcome, 'done', result.summary);
    t.deepEqual(result.artifacts, [{path: target, kind: 'file'}]);
    t.false('usage' in result, 'It called no model, so it reports no usage.');
    t.deepEqual(runTests(repo), {pass: 31, fail: 0, warns: false}, file);
    t.is(git(repo, 'status', '--porcelain'), '');
  }

  t.deepEqual(subjects(repo), ['Start', ...files.map(title)]);
  for (const file of git(repo, 'ls-files', 'bin/*js', 'lib/*js').split('\n')) {
    t.regex(file, /\.mjs$/);
    t.notRegex(readFileSync(path.join(repo, file), 'utf8'), /require\(|exports\.|__dirname|'use strict'/);
  }

  t.regex(git(repo, 'ls-files', '--stage', 'bin/ledger.mjs'), /^100755/, 'The entry is still executable.');
  t.is(JSON.parse(readFileSync(path.join(repo, 'package.json'), 'utf8')).bin.ledger, 'bin/ledger.mjs');
});

test('killed anywhere and started again, the agent still migrates each file exactly once', async t => {
  const repo = ledgerRepo(t);
  const few = files.slice(0, 2);
  const lives: number[] = [];
  for (const file of few) {
    // From its first step to beyond its commit: each start lives a little longer than the one before.
    for (let lifeMs = 60 + Math.random() * 60; ; lifeMs *= 1.2 + Math.random() / 3) {
      const {killed} = await runAgent(repo, file, {lifeMs});
      if (!killed) break;
      lives.push(Math.round(lifeMs));
    }

    t.is((await runAgent(repo, file)).result.outcome, 'done', 'Once more than needed is no harm.');
  }

  t.log(`killed after ${lives.join(', ')} ms`);
  t.true(lives.length >= few.length);
  t.deepEqual(subjects(repo), ['Start', ...few.map(title)]);
  t.is(git(repo, 'status', '--porcelain'), '');
  t.deepEqual(runTests(repo), {pass: 31, fail: 0, warns: false});
});

test('what a killed round leaves behind does not reach the commit', async t => {
  const repo = ledgerRepo(t);
  // Half of the new file, staged; the old one gone; an importer cut in the middle; and the lock of a git that died.
  writeFileSync(path.join(repo, 'bin/ledger.mjs'), "#!/usr/bin/env node\nimport fs from 'no");
  writeFileSync(path.join(repo, 'test/cli.test.mjs'), "import assert from 'node:as");
  git(repo, 'add', '--all');
  rmSync(path.join(repo, 'bin/ledger.js'));
  writeFileSync(path.join(repo, '.git/index.lock'), '');
  utimesSync(path.join(repo, '.git/index.lock'), 1, 1);

  const {result, output} = await runAgent(repo, 'bin/ledger.js');
  t.is(result.outcome, 'done', result.summary);
  t.regex(output, /Removing index\.lock, left by a round that was killed/);
  t.deepEqual(runTests(repo), {pass: 31, fail: 0, warns: false});
  t.is(git(repo, 'status', '--porcelain'), '');

  // A git that died between moving the branch and renaming its new index into place.
  git(repo, 'read-tree', 'HEAD~');
  t.is((await runAgent(repo, 'bin/ledger.js')).result.outcome, 'done');
  t.is(git(repo, 'status', '--porcelain'), '');
});

test('of several todos in a brief it does the one at hand', async t => {
  const repo = tempRepo(t, {});
  const brief = ['t-aaaaaaaa Migrate a.js to ES modules', 't-bbbb Migrate b.js to ES modules'].join('\n');
  for (const [env, file] of [
    [{}, 'a.js'],
    [{LOOPX_TODO: 't-bbbbcccc'}, 'b.js'],
    [{LOOPX_TODO: 't-bbbbcccc', LOOPX_TODO_TITLE: 'Migrate c.js to ES modules'}, 'c.js'],
  ] as const) {
    const {result} = await runAgent(repo, 'd.js', {brief, env});
    t.deepEqual(result, {outcome: 'failed', summary: `There is no ${file} in this repository.`});
  }
});

test('it works by rules: another program of the same shape is migrated too', async t => {
  const repo = tempRepo(t, {
    'package.json': '{"main": "./src/main.js", "type": "commonjs"}\n',
    'src/main.js': [
      "'use strict';",
      'const {',
      '  double: twice,',
      '} = require("./math/double.js");',
      "const greet = require('./greet.js');",
      "const math = require('./math/double.js');",
      'exports.answer = twice(math.seed);',
      '// The end.',
      'exports.greet = greet;',
      '',
    ].join('\n'),
    'src/greet.js': "module.exports = name => `Hello ${name}, from ${require('node:path').basename(__filename)}`;\n",
    'src/math/double.js':
      'const twofold = number => number * 2;\nconst seed = 21;\nmodule.exports = {double: twofold, seed};\n',
    'test/all.mjs': [
      "import assert from 'node:assert';",
      "import test from 'node:test';",
      "import {answer} from '../src/main.js';",
      "test('answer', () => assert.equal(answer, 42));",
      '',
    ].join('\n'),
  });

  const early = await runAgent(repo, 'src/greet.js');
  t.is(early.result.outcome, 'blocked');
  t.is(early.result.summary, 'CommonJS cannot require an ES module: migrate src/main.js before src/greet.js.');

  t.is((await runAgent(repo, 'src/main.js')).result.outcome, 'done');
  t.is(
    readFileSync(path.join(repo, 'src/main.mjs'), 'utf8'),
    [
      'import {',
      '  double as twice,',
      '} from "./math/double.js";',
      "import greet from './greet.js';",
      "import * as math from './math/double.js';",
      'export const answer = twice(math.seed);',
      '// The end.',
      'export {greet};',
      '',
    ].join('\n'),
  );
  t.is(readFileSync(path.join(repo, 'package.json'), 'utf8'), '{"main": "./src/main.mjs", "type": "commonjs"}\n');

  t.is((await runAgent(repo, 'src/math/double.js')).result.outcome, 'done');
  t.regex(readFileSync(path.join(repo, 'src/math/double.mjs'), 'utf8'), /^export \{twofold as double, seed\};$/m);

  t.is(
    (await runAgent(repo, 'src/greet.js')).result.summary,
    'No rule covers "require(" in src/greet.js; nothing was changed.',
  );
  t.is(git(repo, 'status', '--porcelain'), '');
  t.deepEqual(subjects(repo), ['Start', title('src/main.js'), title('src/math/double.js')]);
});

test('a migration that breaks a test is taken back', async t => {
  const repo = tempRepo(t, {
    'one.js': 'exports.one = this === exports;\n',
    'test/one.mjs': "import {one} from '../one.js';\nif (!one) throw new Error('broken');\n",
  });

  const {result} = await runAgent(repo, 'one.js');
  t.deepEqual(result, {outcome: 'failed', summary: '1 of 1 tests fail with one.mjs; one.js is back as it was.'});
  t.is(git(repo, 'status', '--porcelain'), '');
  t.deepEqual(subjects(repo), ['Start']);
});

const title = (file: string) => `Migrate ${file} to ES modules`;

type Result = {outcome: string; summary: string; artifacts?: unknown};

/** Runs the agent as loopx does: the brief on stdin, a process group of its own, the result in its last line. */
async function runAgent(
  repo: string,
  file: string,
  options: {lifeMs?: number; brief?: string; env?: Record<string, string>} = {},
) {
  const child: ChildProcess = spawn(process.execPath, [path.join(demo, 'agent.mjs')], {
    cwd: repo,
    env: {...cleanEnv, ...options.env},
    detached: true,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout!.on('data', chunk => {
    output += chunk;
  });
  child.stdin!.on('error', () => {});
  child.stdin!.end(options.brief ?? `# Brief\n\nThe todo at hand: ${title(file)}\n`);
  const timer = options.lifeMs && setTimeout(() => process.kill(-child.pid!, 'SIGKILL'), options.lifeMs);
  await once(child, 'close');
  clearTimeout(timer);
  const killed = child.signalCode === 'SIGKILL';
  return {killed, output, result: (killed ? {} : JSON.parse(output.trimEnd().split('\n').at(-1)!).loopx) as Result};
}

function runTests(dir: string) {
  const args = ['--test', '--test-reporter=tap'];
  const output = spawnText(process.execPath, args, dir);
  const count = (name: string) => Number(new RegExp(`^# ${name} (\\d+)$`, 'm').exec(output)![1]);
  return {pass: count('pass'), fail: count('fail'), warns: output.includes('ExperimentalWarning')};
}

const ledgerRepo = (t: ExecutionContext) => tempRepo(t, {}, path.join(demo, 'program'));

function tempRepo(t: ExecutionContext, contents: Record<string, string>, from?: string): string {
  const dir = mkdtempSync(path.join(tmpdir(), 'loopx-demo-test-'));
  t.teardown(() => rmSync(dir, {recursive: true, force: true}));
  if (from) cpSync(from, dir, {recursive: true});
  for (const [name, text] of Object.entries(contents)) {
    mkdirSync(path.dirname(path.join(dir, name)), {recursive: true});
    writeFileSync(path.join(dir, name), text);
  }

  git(dir, 'init', '--quiet');
  git(dir, 'config', 'user.name', 'Test');
  git(dir, 'config', 'user.email', 'test@example.com');
  git(dir, 'add', '--all');
  git(dir, 'commit', '--quiet', '--allow-empty', '--message', 'Start');
  return dir;
}

const subjects = (repo: string) => git(repo, 'log', '--reverse', '--format=%s').split('\n');

const git = (dir: string, ...args: string[]) => spawnText('git', args, dir).trimEnd();

// Nothing of the user's git, of git hooks that run these tests, or of a test runner around them.
const cleanEnv = {
  PATH: process.env.PATH,
  HOME: '/nonexistent',
  GIT_CONFIG_NOSYSTEM: '1',
  LC_ALL: 'C',
};

function spawnText(file: string, args: string[], cwd: string): string {
  return execFileSync(file, args, {cwd, env: cleanEnv, encoding: 'utf8'});
}
