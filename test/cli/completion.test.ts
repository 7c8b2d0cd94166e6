import {execFile} from 'node:child_process';
import {chmod, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {promisify} from 'node:util';
import test, {type ExecutionContext} from 'ava';
import {addTodo, refuses, runCli, runJson, startGoal} from '../support/cli.ts';
import {type TempRepo, tempRepo} from '../support/repo.ts';

const run = promisify(execFile);

async function words(t: ExecutionContext, repo: TempRepo, ...line: string[]): Promise<readonly string[]> {
  const argv = ['completion', 'words', '--json', '--', ...line];
  const {status, stdout} = await runCli(t, repo, argv);
  t.is(status, 0);
  return (JSON.parse(stdout) as {words: {word: string}[]}).words.map(({word}) => word);
}

test('commands, verbs, options and ids are offered where they fit', async t => {
  const repo = await tempRepo(t);
  const goal = await startGoal(t, repo);
  const todo = await addTodo(t, repo, '移植 the lexer');
  t.deepEqual(await words(t, repo, 'todo', 'd'), ['done', 'drop']);
  t.deepEqual(await words(t, repo, 'todo', 'done', ''), [todo]);
  t.deepEqual(await words(t, repo, 'todo', 'done', 'x', '--res'), ['--result']);
  t.deepEqual(await words(t, repo, 'todo', 'list', '--goal', ''), [goal]);
  t.deepEqual(await words(t, repo, 'completion', 'z'), ['zsh']);
  t.true((await words(t, repo, 'help', '')).includes('gates'));
  t.deepEqual(await words(t, repo, 'nothing', ''), []);
  const {stdout} = await runCli(t, repo, ['completion', 'words', '--', 'todo', 'show', '']);
  t.is(stdout, `${todo}\t移植 the lexer\n`);
});

test('outside a repository there are no ids to offer', async t => {
  const repo = await tempRepo(t);
  t.is((await runCli(t, repo, ['completion', 'words', '--', 'todo', 'done', ''], {cwd: '/'})).stdout, '\n');
});

test('the script completes in bash, for loopx and for git loopx', async t => {
  const repo = await tempRepo(t);
  const {script} = await runJson<{script: string}>(t, repo, ['completion', 'bash']);
  const bin = join(repo.dir, '..');
  // Stands for loopx: tells what it was asked, as words with an explanation.
  await writeFile(join(bin, 'loopx'), '#!/bin/sh\nprintf "%s\\tabout\\n" "$*"\n');
  await chmod(join(bin, 'loopx'), 0o755);
  const ask = async (line: string) => {
    const {stdout} = await run('bash', ['-c', `${script}\n${line}\nprintf '%s\\n' "\${COMPREPLY[@]}"`], {
      env: {PATH: `${bin}:${process.env.PATH}`},
    });
    return stdout.trim();
  };
  t.is(await ask('COMP_WORDS=(loopx todo do x); COMP_CWORD=2; _loopx'), 'completion words -- todo do');
  t.is(await ask('COMP_WORDS=(git loopx todo do); COMP_CWORD=3; _git_loopx'), 'completion words -- todo do');
});

test('a shell that is not known is refused', async t => {
  const repo = await tempRepo(t);
  const message = 'There is no completion for "tcsh".';
  const hint = 'Use one of: bash, zsh, fish.';
  await refuses(t, repo, ['completion', 'tcsh'], {status: 2, code: 'usage', message, hint});
  for (const shell of ['zsh', 'fish']) t.regex((await runCli(t, repo, ['completion', shell])).stdout, /loopx/);
});
