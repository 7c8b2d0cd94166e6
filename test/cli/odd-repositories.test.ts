// Repositories and machines that are not as one expects. In each of them a goal is started, a checkpoint saved and
// restored to the byte, a round run to its end, and everything told.
import {mkdir, readFile, writeFile} from 'node:fs/promises';
import {dirname, join} from 'node:path';
import test, {type ExecutionContext} from 'ava';
import {openGit} from '../../lib/git/command.ts';
import {loopx, loopxJson, program, type ShellOptions} from '../support/loopx.ts';
import {type TempRepo, tempRepo} from '../support/repo.ts';

type Odd = {
  readonly repo: TempRepo;
  readonly options?: ShellOptions;
  /** Whether the agent can commit there. */
  readonly commits?: boolean;
};

const agentText = `
cat >/dev/null
echo "round $LOOPX_ROUND" >>work.txt
if [ "$1" = commit ]; then
  git add work.txt
  git -c user.name=agent -c user.email=agent@example.invalid -c commit.gpgsign=false commit -qm "Work" -- work.txt || exit 1
fi
echo '{"loopx":{"outcome":"done","summary":"Wrote a line."}}'
`;

const works = test.macro(async (t: ExecutionContext, make: (t: ExecutionContext) => Promise<Odd>) => {
  const {repo, options = {}, commits = true} = await make(t);
  const say = async (...argv: string[]) => {
    const result = await loopx(t, repo, argv, options);
    t.is(result.status, 0, `${argv.join(' ')}: ${result.stderr}`);
    return result;
  };
  const ask = <T>(...argv: string[]) => loopxJson<T>(t, repo, argv, options);
  await say('start-goal', '--goal-text', 'Größer werden', '--check', 'true');
  const {todo} = await ask<{todo: {id: string}}>('todo', 'add', 'Grow in İstanbul', '--check', 'test -f work.txt');
  await say('todo', 'add', 'Grow on');

  const bytes = Buffer.from('one\r\ntwo\nthree \xff\n', 'latin1');
  await writeFile(join(repo.dir, 'notes.txt'), bytes);
  const {checkpoint} = await ask<{checkpoint: {id: string}}>('checkpoint', 'save', 'Before');
  await writeFile(join(repo.dir, 'notes.txt'), 'gone');
  await say('checkpoint', 'restore', checkpoint.id);
  t.deepEqual(await readFile(join(repo.dir, 'notes.txt')), bytes);

  const agent = await program(repo, 'agent', agentText);
  const run = await say('run', '--command', `"${agent}" ${commits ? 'commit' : 'leave'}`, '--max-rounds', '1');
  t.regex(run.stderr, / {2}done: Wrote a line\./);
  const shown = await ask<{todo: {status: string; verified: object | null}}>('todo', 'show', todo.id);
  t.is(shown.todo.status, 'done');
  t.truthy(shown.todo.verified);
  const {events} = await ask<{events: {event: string; commits?: object[]}[]}>('log');
  const end = events.find(({event}) => event === 'round.finished');
  t.is(end?.commits?.length, commits ? 1 : 0);
  await say('log');
  await say('status');
  t.true((await ask<{ok: boolean}>('fsck')).ok);
});

/** Returns the same temporary folder's things for a worktree at another place. */
function at(repo: TempRepo, dir: string): TempRepo {
  return {...repo, dir, git: openGit(dir, repo.env)};
}

test('a linked worktree', works, async t => {
  const repo = await tempRepo(t);
  const dir = join(dirname(repo.dir), 'linked');
  await repo.git.text(['worktree', 'add', '-q', '-b', 'side', dir]);
  return {repo: at(repo, dir)};
});

test('a repository without a commit', works, async t => ({repo: await tempRepo(t, {commit: false})}));

test('a detached HEAD', works, async t => {
  const repo = await tempRepo(t);
  await repo.git.text(['checkout', '-q', '--detach']);
  return {repo};
});

test('a sub-folder', works, async t => {
  const repo = await tempRepo(t);
  const cwd = join(repo.dir, 'deep', 'down');
  await mkdir(cwd, {recursive: true});
  return {repo, options: {cwd}};
});

test('a path with spaces and ü', works, async t => {
  const repo = await tempRepo(t);
  const dir = join(dirname(repo.dir), "übel: it's a path");
  await repo.git.text(['clone', '-q', repo.dir, dir]);
  return {repo: at(repo, dir)};
});

test('SHA-256', works, async t => ({repo: await tempRepo(t, {init: ['--object-format=sha256']})}));

test('a machine where nobody told git a name', works, async t => {
  const repo = await tempRepo(t);
  for (const key of ['user.name', 'user.email']) await repo.git.text(['config', '--unset', key]);
  const env = Object.fromEntries(
    Object.keys(repo.env).flatMap(key => (/^GIT_(AUTHOR|COMM)/.test(key) ? [[key, undefined]] : [])),
  );
  return {repo, options: {env}};
});

test('commits that are signed by a program which never answers', works, async t => {
  const repo = await tempRepo(t);
  await repo.git.text(['config', 'commit.gpgsign', 'true']);
  await repo.git.text(['config', 'gpg.program', await program(repo, 'gpg', 'exec sleep 600')]);
  return {repo};
});

test('line ends that git converts', works, async t => {
  const repo = await tempRepo(t);
  await repo.git.text(['config', 'core.autocrlf', 'true']);
  await repo.commit('Text', {'notes.txt': 'one\r\ntwo\r\n', '.gitattributes': '*.txt text\n'});
  return {repo};
});

test('an index that somebody else has locked', works, async t => {
  const repo = await tempRepo(t);
  await repo.write('.git/index.lock', '');
  return {repo, commits: false};
});

for (const locale of ['de_DE.UTF-8', 'tr_TR.UTF-8']) {
  test(`a machine that speaks ${locale}`, works, async t => ({
    repo: await tempRepo(t),
    options: {env: {LANG: locale, LC_ALL: locale, LANGUAGE: locale.slice(0, 2)}},
  }));
}

test('a bare repository keeps goals, and says that it has no files to work on', async t => {
  const repo = await tempRepo(t, {commit: false, init: ['--bare']});
  await loopxJson(t, repo, ['start-goal', '--goal-text', 'Keep it', '--todo', 'One']);
  await loopxJson(t, repo, ['todo', 'add', 'Two']);
  t.like(await loopxJson(t, repo, ['status']), {todos: {open: 2}});
  t.like(await loopxJson(t, repo, ['quota', 'should-run']), {schema: 'loopx/should-run@1'});
  t.true((await loopxJson<{ok: boolean}>(t, repo, ['fsck'])).ok);
  for (const argv of [
    ['run', '--command', 'true'],
    ['round', 'begin'],
    ['checkpoint', 'save'],
  ]) {
    const {status, stderr} = await loopx(t, repo, argv);
    t.is(status, 1, `${argv.join(' ')}: ${stderr}`);
    t.regex(stderr, /bare|working tree|no files/i, argv.join(' '));
  }

  t.like(await loopxJson(t, repo, ['status']), {round: null});
});
