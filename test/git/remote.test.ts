import {join} from 'node:path';
import test from 'ava';
import {openGit} from '../../lib/git/command.ts';
import {fetchRefs, parsePush, pushRefs, sshEnv} from '../../lib/git/remote.ts';
import {startTimeOf} from '../../lib/loop/process-table.ts';
import {program} from '../support/loopx.ts';
import {tempRepo} from '../support/repo.ts';

test('what a push did is told by its flags, whatever the words are (trap 6)', t => {
  const lines = [
    'To ssh://example.org/x.git',
    '*\t1111:refs/loopx/goals/a-1234\t[neue Referenz]',
    ' \t2222:refs/loopx/goals/b-1234\t1111111..2222222',
    '=\t3333:refs/loopx/goals/c-1234\t[aktuell]',
    '!\t4444:refs/loopx/goals/d-1234\t[rejected] (fetch first)',
    '!\t5555:refs/loopx/goals/e-1234\t[remote rejected] (deny updating a hidden ref)',
    'Fertig',
  ];
  t.deepEqual(
    parsePush(lines.join('\n')).map(({ref, isAccepted, byRemote, said}) => [ref.at(-6), isAccepted, byRemote, said]),
    [
      ['a', true, false, '[neue Referenz]'],
      ['b', true, false, '1111111..2222222'],
      ['c', true, false, '[aktuell]'],
      ['d', false, false, 'fetch first'],
      ['e', false, true, 'deny updating a hidden ref'],
    ],
  );
});

test('of a remote with two addresses, the one that refuses counts', t => {
  const [answer] = parsePush('!\t1:refs/x/y/z\t[rejected] (stale info)\n*\t1:refs/x/y/z\t[new reference]\nDone\n');
  t.false(answer!.isAccepted);
});

const ssh = test.macro((t, env: Record<string, string>, config: string | undefined, wanted: string | undefined) => {
  const entries = config === undefined ? [] : [{key: 'core.sshcommand', value: config}];
  t.is(sshEnv(env, entries).GIT_SSH_COMMAND, wanted);
});

const quiet = '-oBatchMode=yes -oConnectTimeout=5';
test('ssh neither asks nor waits long (trap 34)', ssh, {}, undefined, `ssh ${quiet}`);
test("the user's ssh command stays, and its options come first", ssh, {}, 'ssh -i "a key"', `ssh -i "a key" ${quiet}`);
test(
  'the environment outranks the configuration',
  ssh,
  {GIT_SSH_COMMAND: '/opt/ssh -v'},
  'ssh',
  `/opt/ssh -v ${quiet}`,
);
test('the configuration outranks a mere program', ssh, {GIT_SSH: '/opt/ssh'}, 'ssh -4', `ssh -4 ${quiet}`);
test("a program's name is quoted", ssh, {GIT_SSH: '/a b/ssh.exe'}, undefined, `'/a b/ssh.exe' ${quiet}`);
test('plink has an option of its own', ssh, {GIT_SSH: 'C:\\x\\TortoisePlink.exe'}, undefined, "'C:\\x\\TortoisePlink.exe' -batch"); // biome-ignore format: a table
test('a script of the user is left alone', ssh, {GIT_SSH_COMMAND: './my-ssh.sh'}, undefined, undefined);

test('at its limit git is ended with all that it started, and leaves no lock (trap 35)', async t => {
  const repo = await tempRepo(t);
  const pidFile = join(repo.dir, '../pid');
  const sleeper = await program(repo, 'ssh', `echo $$ >'${pidFile}'\nsleep 300`);
  const git = openGit(repo.dir, {...repo.env, GIT_SSH_COMMAND: `'${sleeper}'`});
  await repo.git.text(['remote', 'add', 'far', 'ssh://example.org/x.git']);
  const call = {remote: 'far', limitMs: 500};
  t.deepEqual(await fetchRefs(git, call, ['+refs/loopx/goals/*:refs/loopx/remotes/far/goals/*']), {
    ...{isLate: true, said: 'it did not answer in time'},
  });
  const pid = Number(await repo.read('../pid'));
  t.is(startTimeOf(pid, {platform: process.platform}), undefined);
  const answer = await pushRefs(
    git,
    call,
    new Map([['refs/loopx/goals/a-1234', await repo.git.text(['rev-parse', 'HEAD'])]]),
  );
  t.true('isLate' in answer && answer.isLate);
});

test('an interruption ends git at once', async t => {
  const repo = await tempRepo(t);
  const sleeper = await program(repo, 'ssh', 'sleep 300');
  const git = openGit(repo.dir, {...repo.env, GIT_SSH_COMMAND: `'${sleeper}'`});
  await repo.git.text(['remote', 'add', 'far', 'ssh://example.org/x.git']);
  const call = {remote: 'far', limitMs: 60_000, signal: AbortSignal.timeout(300)};
  await t.throwsAsync(fetchRefs(git, call, ['+refs/x/y/*:refs/x/z/*']), {code: 'interrupted'});
});

test('a git that knows no --no-write-fetch-head fetches all the same (trap 40)', async t => {
  const repo = await tempRepo(t);
  const old = `case "$*" in *--no-write-fetch-head*) echo "error: unknown option" >&2; exit 129 ;; esac`;
  await program(repo, 'git', `${old}\nPATH='${repo.env.PATH}' exec git "$@"`);
  const git = openGit(repo.dir, {...repo.env, PATH: `${join(repo.dir, '..')}:${repo.env.PATH}`});
  await repo.git.text(['remote', 'add', 'near', repo.dir]);
  await repo.git.text(['update-ref', 'refs/loopx/goals/a-1234', 'HEAD']);
  const fault = await fetchRefs(git, {remote: 'near', limitMs: 20_000}, [
    '+refs/loopx/goals/*:refs/loopx/remotes/near/goals/*',
  ]);
  t.is(fault, undefined);
  t.is(await repo.git.text(['rev-parse', 'refs/loopx/remotes/near/goals/a-1234']), await repo.git.text(['rev-parse', 'HEAD'])); // biome-ignore format: one thought
});
