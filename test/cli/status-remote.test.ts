import {mkdir, readdir} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {dirname, join} from 'node:path';
import test, {type ExecutionContext} from 'ava';
import {addTodo, runCli, runJson, startGoal} from '../support/cli.ts';
import {serveGit} from '../support/http-git.ts';
import {type TempRepo, tempRepo} from '../support/repo.ts';

/** A repository with a goal, pushed to a bare one that is served, and a folder in which there is no repository. */
async function pushed(t: ExecutionContext, init: readonly string[] = []) {
  const repo = await tempRepo(t, {init: [...init]});
  const folder = dirname(repo.dir);
  await repo.git.text(['init', '-q', '--bare', ...init, join(folder, 'code.git')]);
  const goal = await startGoal(t, repo);
  await addTodo(t, repo, 'Port the lexer');
  await runJson(t, repo, ['gate', 'ask', 'Drop support for Node 18 in the public API?']);
  await repo.git.text(['push', '-q', '../code.git', 'refs/loopx/goals/*:refs/loopx/goals/*']);
  const server = await serveGit(t, folder, repo.env);
  const cwd = join(folder, 'elsewhere');
  await mkdir(cwd);
  return {repo, goal, server, cwd};
}

const look = (t: ExecutionContext, repo: TempRepo, remote: string, options: object, more: readonly string[] = []) =>
  runCli(t, repo, ['status', '--remote', remote, ...more], options);

test('a goal behind HTTP is shown without a clone, without a git binary, and in few requests', async t => {
  const {repo, goal, server, cwd} = await pushed(t);
  const url = server.url('code.git');
  const {status, stdout, stderr} = await look(t, repo, url, {cwd, env: {PATH: '/nowhere'}});
  t.deepEqual([status, stderr], [0, '']);
  t.is(stdout.split('\n')[0], `${goal}  Port storage to Python 3`);
  t.regex(stdout, /^ {2}Gate +g-\w+ Drop support for Node 18 in the public API\?$/m);
  t.regex(stdout, /^ {2}Progress +0 of 1 todos done, 0 verified$/m);
  t.regex(stdout, new RegExp(`^ {2}Read at +${url}\n$`, 'm'));
  t.true(server.requests.length <= 4, server.requests.join('\n'));
  t.deepEqual(await readdir(cwd), []);

  const here = await runJson<object>(t, repo, ['status']);
  const there = await runJson<object>(t, repo, ['status', '--remote', url], {cwd});
  t.deepEqual(there, {...here, commits: {untracked: null}, sizeBytes: null, remote: url});
});

test.serial('any other URL, and a remote by its name, is read by git, and leaves nothing behind', async t => {
  const {repo, goal, cwd} = await pushed(t);
  const before = await readdir(tmpdir());
  for (const remote of [join(dirname(repo.dir), 'code.git'), '../code.git', `file://${dirname(repo.dir)}/code.git`]) {
    const result = await look(t, repo, remote, {cwd});
    t.is(result.stdout.split('  ')[0], goal, result.stderr);
  }

  await repo.git.text(['remote', 'add', 'origin', 'site:code.git']);
  await repo.git.text(['config', `url.${dirname(repo.dir)}/.insteadOf`, 'site:']);
  t.like(await runJson(t, repo, ['status', goal, '--remote', 'origin']), {goal: {id: goal}});
  const after = (await readdir(tmpdir())).filter(name => name.startsWith('loopx-peek-') && !before.includes(name));
  t.deepEqual(after, []);
  t.is(await repo.git.text(['for-each-ref', 'refs/remotes', 'refs/loopx/remotes']), '');
});

test('of several goals one is named, and a host that takes branches only is looked at where they lie', async t => {
  const {repo, goal, server, cwd} = await pushed(t);
  const other = await startGoal(t, repo, 'Write the manual');
  const url = server.url('code.git');
  await repo.git.text(['push', '-q', '../code.git', `refs/loopx/goals/${other}`]);
  t.is((await look(t, repo, url, {cwd})).status, 2);
  t.like(await runJson(t, repo, ['status', '--remote', url, '--goal', 'write'], {cwd}), {goal: {id: other}});
  t.like(await runJson(t, repo, ['status', goal, '--remote', url], {cwd}), {goal: {id: goal}});

  await repo.git.text(['push', '-q', '../code.git', `refs/loopx/goals/${goal}:refs/heads/loopx/goals/${goal}`]);
  await repo.git.text(['remote', 'add', 'origin', url]);
  await repo.git.text(['config', 'remote.origin.loopxPrefix', 'refs/heads/loopx/']);
  t.like(await runJson(t, repo, ['status', '--remote', 'origin']), {goal: {id: goal}});
});

test('what isomorphic-git can not read is read by git: SHA-256', async t => {
  const {repo, goal, server, cwd} = await pushed(t, ['--object-format=sha256']);
  t.like(await runJson(t, repo, ['status', '--remote', server.url('code.git')], {cwd}), {goal: {id: goal}});
});

test('a remote that hides, is down, or asks for a password is told of, and no password is shown', async t => {
  const {repo, goal, server, cwd} = await pushed(t);
  const url = server.url('code.git');
  const refused = async (remote: string, message: RegExp) => {
    const {status, stdout, stderr} = await look(t, repo, remote, {cwd});
    t.deepEqual([status, stdout], [1, '']);
    t.regex(stderr, message);
  };

  server.behave({hides: ['refs/loopx']});
  await refused(url, /There is no goal at http.*code\.git, or it does not show any\./);
  server.behave({down: true});
  await refused(url, /http.*code\.git can't be read: .*\n {2}Can git reach it\? git ls-remote http/);
  server.behave({login: {user: 'ada', password: 'secret'}});
  await refused(url, /can't be read: could not read Username/);
  const named = url.replace('//', '//ada:secret@');
  const {stdout} = await look(t, repo, named, {cwd});
  t.is(stdout.split('  ')[0], goal);
  t.false(stdout.includes('secret'));
  await refused(named.replace('secret', 'wrong-one'), /^(?!.*wrong-one)/s);
  server.behave({});
  await refused(server.url('none.git'), /can't be read: .*not found/);
});
