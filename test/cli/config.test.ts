import test from 'ava';
import {agentEnv, refuses, runCli, runJson, says} from '../support/cli.ts';
import {tempRepo} from '../support/repo.ts';

type Setting = {key: string; value: string; source: string; from: string};

test('each setting says where it comes from', async t => {
  const repo = await tempRepo(t);
  await repo.write('.loopx.yaml', '# ours\nround:\n  timeout: 1h\n');
  const env = {LOOPX_CHECK_TIMEOUT: '5m'};
  const {stdout} = await runCli(t, repo, ['config'], {env});
  t.regex(stdout, /^default_executor = auto\n {4}by default\n/);
  t.true(stdout.includes(`round.timeout = 1h\n    from ${repo.dir}/.loopx.yaml\n`));
  t.true(stdout.includes('check.timeout = 5m\n    from LOOPX_CHECK_TIMEOUT\n'));
  t.is((await runCli(t, repo, ['config', 'list'], {env})).stdout, stdout);

  const {schema, settings} = await runJson<{schema: string; settings: Setting[]}>(t, repo, ['config'], {env});
  t.is(schema, 'loopx/config@1');
  const timeout = settings.find(({key}) => key === 'round.timeout');
  t.deepEqual(timeout, {key: 'round.timeout', value: '1h', source: 'project', from: `${repo.dir}/.loopx.yaml`});
});

test('a setting is got, set for oneself, and taken away', async t => {
  const repo = await tempRepo(t);
  const file = `${repo.env.XDG_CONFIG_HOME}/loopx/config.yaml`;
  await says(t, repo, ['config', 'get', 'round.lease'], ['30m']);
  await says(
    t,
    repo,
    ['config', 'set', 'round.lease', '1h'],
    [`Set round.lease in ${file}`, '  round.lease = 1h', `  from ${file}`],
  );
  await says(t, repo, ['config', 'get', 'round.lease'], ['1h']);
  await says(
    t,
    repo,
    ['config', 'unset', 'round.lease'],
    [`Took round.lease out of ${file}`, '  round.lease = 30m', '  by default'],
  );
});

test('the arguments of an agent are a value, although they begin with a dash', async t => {
  const repo = await tempRepo(t);
  for (const args of ['--permission-mode acceptEdits', '-c sandbox_mode="workspace-write"']) {
    t.is((await runCli(t, repo, ['config', 'set', 'executors.mine.args', args])).status, 0);
    await says(t, repo, ['config', 'get', 'executors.mine.args'], [args]);
  }
});

test('taking away what is not there changes nothing', async t => {
  const repo = await tempRepo(t);
  await runCli(t, repo, ['config', 'set', 'executors.mine.command', './agent.sh']);
  await runCli(t, repo, ['config', 'unset', 'executors.mine.command']);
  for (const key of ['executors.mine.args', 'executors.other.args', 'check.timeout']) {
    t.is((await runCli(t, repo, ['config', 'unset', key])).status, 0, key);
  }
});

test('a value that another source outweighs says so', async t => {
  const repo = await tempRepo(t);
  const {stdout} = await runCli(t, repo, ['config', 'set', 'round.lease', '1h'], {env: {LOOPX_ROUND_LEASE: '5m'}});
  t.regex(stdout, /\n {2}round\.lease = 5m\n {2}Yet it comes from LOOPX_ROUND_LEASE\n$/);
});

test("the project's file keeps its comments, and what is typed into it is trusted", async t => {
  const repo = await tempRepo(t);
  await repo.write('.loopx.yaml', '# ours\nround:\n  timeout: 1h\n');
  const set = ['config', 'set', 'executors.mine.command', './agent.sh', '--in-project'];
  t.is((await runCli(t, repo, set)).status, 0);
  const text = (await repo.read('.loopx.yaml')).toString();
  t.is(text, '# ours\nround:\n  timeout: 1h\nexecutors:\n  mine:\n    command: ./agent.sh\n');
  await says(t, repo, ['trust'], ['All commands are trusted.']);
});

test('wrong keys, values and words are refused with what would be right', async t => {
  const repo = await tempRepo(t);
  const list = 'List the settings with `loopx config`.';
  const unknown = {status: 1, code: 'config-invalid', message: 'There is no setting "round".', hint: list};
  await refuses(t, repo, ['config', 'get', 'round'], unknown);
  await refuses(t, repo, ['config', 'set', 'round', '1'], unknown);
  const wanted = 'it should be a duration such as 90s, 5m, 2h or 1d.';
  const invalid = {status: 1, code: 'config-invalid', message: `"soon" is no value for round.lease: ${wanted}`};
  await refuses(t, repo, ['config', 'set', 'round.lease', 'soon'], invalid);
  const usage = {status: 2, code: 'usage'};
  const actions = 'Use one of: list, get, set, unset.';
  await refuses(t, repo, ['config', 'delete', 'x'], {...usage, message: 'There is no "config delete".', hint: actions});
  await refuses(t, repo, ['config', 'get'], {
    ...{...usage, message: 'The setting is missing.', hint: 'For example: loopx config get round.timeout'},
  });
  await refuses(t, repo, ['config', 'set', 'round.lease'], {
    ...{...usage, message: 'The value is missing.', hint: 'Use: loopx config set round.lease VALUE'},
  });
  await refuses(t, repo, ['config', 'unset', 'round.lease', '1h'], {
    ...{...usage, message: '"config unset" takes no value.', hint: 'Use: loopx config unset round.lease'},
  });
});

test("an agent may not change a person's own settings", async t => {
  const repo = await tempRepo(t);
  const message = 'Only a person can change your settings, and this is a session of claude@test.';
  const refusal = {status: 3, code: 'person-needed', message, hint: 'Run it in a terminal of your own.'};
  await refuses(t, repo, ['config', 'set', 'executors.mine.command', './evil.sh'], refusal, {env: agentEnv});
  await refuses(t, repo, ['config', 'unset', 'round.lease'], refusal, {env: agentEnv});
});
