import {mkdir, rm, writeFile} from 'node:fs/promises';
import {dirname, join} from 'node:path';
import {setTimeout as sleep} from 'node:timers/promises';
import test from 'ava';
import {examineAll} from '../../lib/doctor/doctor.ts';
import {good} from '../../lib/doctor/finding.ts';
import {examineDisk, examineNode} from '../../lib/doctor/machine.ts';
import {openPatient, type Patient} from '../../lib/doctor/patient.ts';
import {Failure} from '../../lib/failure.ts';
import {startGoal} from '../support/cli.ts';
import {testWorld} from '../support/world.ts';
import {onPath, openWard} from './patient.ts';

async function nobody(signal = new AbortController().signal): Promise<Patient> {
  const repository = new Failure('not-a-repository', 'None.');
  return openPatient({world: testWorld(), cwd: '/', nodeVersion: '20.19.0', signal, repository});
}

test('where nothing is wrong the doctor says so', async t => {
  const ward = await openWard(t);
  await ward.program(
    'git',
    `[ "$1" != --version ] || { echo git version 2.50.1; exit; }; exec '${await onPath('git')}' "$@"`,
  );
  const claude = await ward.program('claude', 'echo 2.1.332 "(Claude Code)"');
  const codex = await ward.program('codex', 'echo codex-cli 0.171.0');
  await ward.loopx(['connect']);
  await startGoal(t, ward);
  const {status, stdout, stderr} = await ward.loopx(['doctor'], {
    env: {OPENAI_API_KEY: 'x', ANTHROPIC_API_KEY: 'x'},
    columns: 200,
  });
  t.is(stderr, '');
  t.is(status, 0);
  t.deepEqual(stdout.replace(/Node \S+/, 'Node N').split('\n'), [
    '✓ git 2.50.1 is new enough.',
    '✓ Node N is new enough.',
    `✓ The repository opens: ${ward.dir}.`,
    '✓ git knows you as Ada Test <ada@example.org>.',
    '✓ The repository is connected.',
    '✓ Commits are heard of: a probe of the hook post-commit has arrived.',
    '✓ There are no files of settings, so the defaults hold.',
    `✓ claude 2.1.332 starts: ${claude}.`,
    `✓ codex 0.171.0 starts: ${codex}.`,
    '✓ claude has a key: ANTHROPIC_API_KEY is set.',
    '✓ codex has a key: OPENAI_API_KEY is set.',
    '✓ The state of 1 goal can be read; `loopx fsck` proves that it follows from its history.',
    'Everything is as it should be.',
    '',
  ]);
});

test('what is wrong comes last, with what mends it, and the exit status says so (trap 60)', async t => {
  const ward = await openWard(t);
  const {status, stdout, stderr} = await ward.loopx(['doctor'], {
    env: {LOOPX_DEFAULT_EXECUTOR: 'codex', TERM: 'dumb'},
    columns: 60,
  });
  t.is(status, 1);
  const lines = stdout.split('\n');
  t.deepEqual(lines.slice(-9), [
    '! The repository is not connected: fetches bring no goals,',
    '  and loopx hears of no commits.',
    '    mend: loopx connect',
    '! claude is not on PATH.',
    '    mend: npm install -g @anthropic-ai/claude-code',
    'x codex is the default executor, but not on PATH.',
    '    mend: npm install -g @openai/codex',
    '1 thing needs you.',
    '',
  ]);
  t.true(lines[0]!.startsWith('+ git'));
  t.is(stderr, 'loopx: 1 thing is wrong.\n  Mend it as said, then see again: loopx doctor\n');
});

test('for programs there is one document, and the failure is one too', async t => {
  const ward = await openWard(t);
  const {status, stdout, stderr} = await ward.loopx(['doctor', '--json'], {env: {LOOPX_DEFAULT_EXECUTOR: 'codex'}});
  t.is(status, 1);
  const document = JSON.parse(stdout);
  t.is(document.schema, 'loopx/doctor@1');
  t.false(document.ok);
  t.deepEqual(document.findings.at(-2), {
    name: 'agents',
    state: 'bad',
    message: 'codex is the default executor, but not on PATH.',
    mend: 'npm install -g @openai/codex',
  });
  t.is(JSON.parse(stderr).code, 'doctor-failed');
});

test('outside of a repository the machine is examined all the same', async t => {
  const ward = await openWard(t);
  const cwd = dirname(ward.dir);
  const {status, stdout} = await ward.loopx(['doctor', '--json'], {cwd});
  t.is(status, 0);
  const {findings} = JSON.parse(stdout);
  t.deepEqual(
    findings.map(({name, state}: {name: string; state: string}) => `${name} ${state}`),
    ['git good', 'node good', 'repository warn', 'settings good', 'agents warn', 'agents warn'],
  );
  t.is(findings[2].message, `${cwd} is not in a git repository, so only git, Node and the agents were examined.`);
});

test('a folder that is not there is a finding, and so is a repository that git refuses to open', async t => {
  const ward = await openWard(t);
  const [missing] = await ward.examine('git', {cwd: join(ward.dir, 'nowhere')});
  t.is(missing?.state, 'bad');
  t.regex(missing!.message, /nowhere\.$/);
  await writeFile(join(ward.dir, '.git/config'), '[core\n');
  const [broken] = await ward.examine('repository');
  t.is(broken?.state, 'bad');
  t.regex(broken!.message, /bad config/);
});

test('an old git is told of, and one that is missing (trap 40)', async t => {
  const ward = await openWard(t);
  const real = await onPath('git');
  await rm(join(ward.bin, 'git'));
  const [gone] = await ward.examine('git');
  t.is(gone?.state, 'bad');
  t.regex(gone!.message, /could not be started/);

  const say = (version: string) =>
    ward.program('git', `[ "$1" != --version ] || { echo "git version ${version}"; exit; }; exec '${real}' "$@"`);
  await say('2.20.1');
  t.deepEqual(await ward.examine('git'), [
    {
      state: 'bad',
      message: 'git 2.20.1 is too old: loopx needs 2.25.',
      mend: 'Install a current git: https://git-scm.com',
    },
  ]);
  await say('2.33.0 (Apple Git-1)');
  t.deepEqual(await ward.examine('git'), [
    good('git 2.33.0 is new enough; from 2.36 on what is acknowledged also survives a power cut (core.fsync).'),
  ]);
});

test('an old Node and a full disk are told of', async t => {
  const patient = await nobody();
  t.is((await examineNode({...patient, nodeVersion: '18.20.4'}))[0]?.state, 'bad');
  t.is((await examineNode({...patient, nodeVersion: '20.18.9'}))[0]?.state, 'bad');
  t.is((await examineNode({...patient, nodeVersion: '24.0.0'}))[0]?.state, 'good');

  const [full] = await examineDisk({...patient, freeBytes: async () => 499_999_999});
  t.is(full?.message, 'Only 499 MB are left on the disk of /.');
  t.deepEqual(await examineDisk({...patient, freeBytes: async () => 500_000_000}), []);
  t.deepEqual(await examineDisk({...patient, freeBytes: async () => undefined}), []);
  t.true(Number(await patient.freeBytes('/')) > 0);
});

test("variables that an agent's git follows, or name a file that isn't there, are told of", async t => {
  const ward = await openWard(t);
  const env = {GIT_CONFIG_COUNT: '0', NODE_EXTRA_CA_CERTS: '/nowhere.pem', SSL_CERT_FILE: join(ward.dir, 'README.md')};
  t.deepEqual(await ward.examine('environment', {env}), [
    {
      state: 'warn',
      message: "GIT_CONFIG_COUNT is set: an agent's git follows it, while loopx's own does not.",
      mend: 'unset GIT_CONFIG_COUNT',
    },
    {
      state: 'bad',
      message: "NODE_EXTRA_CA_CERTS names /nowhere.pem, which can't be read.",
      mend: 'Mend the path, or run: unset NODE_EXTRA_CA_CERTS',
    },
  ]);
});

test('a file of settings that is broken is named, and hides no other finding', async t => {
  const ward = await openWard(t);
  const file = join(ward.env.XDG_CONFIG_HOME!, 'loopx', 'config.yaml');
  await mkdir(dirname(file), {recursive: true});
  await writeFile(file, 'round.timeout: 1h\n');
  t.deepEqual(await ward.examine('settings'), [good(`The settings can be read: ${file}.`)]);
  await writeFile(file, 'round: [\n');
  const [broken] = await ward.examine('settings');
  t.is(broken?.state, 'bad');
  t.true(broken!.message.startsWith(`${file} can't be read as YAML`));
  t.is((await ward.examine('agents')).length, 2);
});

test('an examination that fails, or does not end, hides no other', async t => {
  const table = [
    {
      name: 'refusing',
      of: 'machine' as const,
      examine: () => Promise.reject(new Failure('io-failed', 'No.', {hint: 'Do.'})),
    },
    {
      name: 'broken',
      of: 'machine' as const,
      examine: () => {
        throw new TypeError('x is no function');
      },
    },
    {name: 'hanging', of: 'machine' as const, examine: () => new Promise<never>(() => {})},
    {name: 'elsewhere', of: 'repository' as const, examine: async () => [good('Never asked.')]},
    {name: 'fine', of: 'machine' as const, examine: async () => [good('Fine.')]},
  ];
  t.deepEqual(await examineAll(await nobody(), {table, limitMs: 50}), [
    {name: 'refusing', state: 'bad', message: 'No.', mend: 'Do.'},
    {name: 'broken', state: 'bad', message: 'The examination of broken failed: x is no function.'},
    {name: 'hanging', state: 'warn', message: 'The examination of hanging did not end within 0.05 s.'},
    {name: 'fine', state: 'good', message: 'Fine.'},
  ]);
});

test('whoever interrupts waits for no examination', async t => {
  const stop = new AbortController();
  const table = [{name: 'hanging', of: 'machine' as const, examine: () => new Promise<never>(() => {})}];
  const examined = examineAll(await nobody(stop.signal), {table});
  await sleep(10);
  stop.abort();
  await t.throwsAsync(examined, {code: 'interrupted'});
});
