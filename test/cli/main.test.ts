import test from 'ava';
import {addTodo, refuses, runCli, says, startGoal} from '../support/cli.ts';
import {tempRepo} from '../support/repo.ts';

test('an unknown command, verb or option names the nearest one', async t => {
  const repo = await tempRepo(t);
  const usage = {status: 2, code: 'usage'};
  const refusal = (message: string, hint: string) => ({...usage, message, hint});
  await refuses(t, repo, ['tood'], refusal('There is no command "tood".', 'Did you mean `loopx todo`?'));
  await refuses(
    t,
    repo,
    ['todo', 'lst'],
    refusal('There is no command "todo lst".', 'Did you mean `loopx todo list`?'),
  );
  await refuses(t, repo, ['todo', 'list', '--al'], refusal('There is no option --al.', 'Did you mean --all?'));
  await refuses(t, repo, ['zzzzzz'], refusal('There is no command "zzzzzz".', 'List the commands with `loopx help`.'));
  await refuses(t, repo, ['todo', 'show'], refusal('<todo> is missing.', 'Use: loopx todo show <todo>'));
  const before = refusal('The command comes before its options such as --goal.', 'For example: loopx status --json');
  await refuses(t, repo, ['--goal', 'x', 'todo'], before);
});

test('outside a repository it says how to make one', async t => {
  const repo = await tempRepo(t);
  const cwd = repo.env.HOME!;
  const hint = 'Run `git init` there, or name the repository with `--project DIR`.';
  const message = `${cwd} is not in a git repository.`;
  await refuses(t, repo, ['todo'], {status: 1, code: 'not-a-repository', message, hint}, {cwd});
  await startGoal(t, repo);
  await says(t, repo, ['gate', '--project', '../repo'], ['No question is open.'], {cwd});
  await says(t, repo, ['gate', '--project', repo.dir], ['No question is open.'], {cwd});
});

test('what somebody typed comes back harmless, also in JSON', async t => {
  const repo = await tempRepo(t);
  await startGoal(t, repo);
  const evil = 'x\u001b[31m\u202e\u009b1m';
  const text = await runCli(t, repo, ['todo', 'show', evil]);
  t.notRegex(text.stderr, /[\u001b\u202e\u009b]/);
  await addTodo(t, repo, evil);
  for (const argv of [['todo', 'show', evil, '--json'], ['todo', 'list', '--json'], ['log'], ['log', '-p'], ['todo']]) {
    const {stdout, stderr} = await runCli(t, repo, argv);
    t.notRegex(stdout + stderr, /[\u001b\u202e\u009b]/, argv.join(' '));
  }
});

test('colour is only written where it is wanted', async t => {
  const repo = await tempRepo(t);
  await startGoal(t, repo);
  await runCli(t, repo, ['gate', 'ask', 'Which of the two ports?']);
  for (const argv of [['gate'], ['log', '-p'], ['config'], ['help', 'gates'], ['todo', 'nope']]) {
    const {stdout, stderr} = await runCli(t, repo, argv);
    t.false((stdout + stderr).includes('\u001b'), argv.join(' '));
  }

  t.true((await runCli(t, repo, ['log', '-p'], {color: true})).stdout.includes('\u001b[32m'));
});

test('the version, with and without a repository', async t => {
  const repo = await tempRepo(t);
  await says(t, repo, ['--version'], ['loopx 0.0.0-test']);
  await says(t, repo, ['-V'], ['loopx 0.0.0-test'], {cwd: '/'});
});
