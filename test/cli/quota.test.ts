import test from 'ava';
import {agentEnv, refuses, runCli, runJson, says, startGoal} from '../support/cli.ts';
import {tempRepo} from '../support/repo.ts';

const none = ['No budget is set: rounds are not limited.', '  Set one: loopx quota set --rounds 20 --per 24h'];

test('without a budget the quota says how to set one', async t => {
  const repo = await tempRepo(t);
  await startGoal(t, repo);
  await says(t, repo, ['quota'], none);
});

test('budgets of several windows stand side by side; one of the same window takes the place of the other', async t => {
  const repo = await tempRepo(t);
  await startGoal(t, repo);
  const set = 'Set what the goal may spend.';
  await says(t, repo, ['quota', 'set', '--rounds', '20', '--per', '24h'], [set, '  in 24 h  0 of 20 rounds']);
  await says(
    t,
    repo,
    ['quota', 'set', '--usd', '5', '--compute', '0.5'],
    [set, '  in 24 h  0 of 20 rounds', '  in all   $0.00 of $5.00', '  compute  50% of the time at the most'],
  );
  const {budgets} = await runJson<{budgets: object[]}>(t, repo, [
    ...['quota', 'set', '--minutes', '90', '--tokens', '2000000', '--per', '24h'],
  ]);
  t.deepEqual(budgets, [{hours: 24, seconds: 5400, tokens: 2_000_000}, {microUsd: 5_000_000}]);
  await says(
    t,
    repo,
    ['quota', 'set', '--none', '--rounds', '100', '--per', '7d'],
    [set, '  in 7 d   0 of 100 rounds', '  compute  50% of the time at the most'],
  );
  await says(
    t,
    repo,
    ['quota', 'set', '--none', '--compute', '1'],
    [set, ...none, '  compute  100% of the time at the most'],
  );
});

test('a grant adds to the limits, and tells when it ends', async t => {
  const repo = await tempRepo(t);
  await startGoal(t, repo, 'Port it', ['--rounds', '0']);
  await says(t, repo, ['quota'], ['  in all  0 of 0 rounds; exhausted, until more is granted: loopx quota grant']);
  await says(
    t,
    repo,
    ['quota', 'grant', '--rounds', '5', '--until', '2h', '--reason', 'Friday'],
    ['Granted more than the budgets say.', '  in all   0 of 5 rounds', '  granted  5 rounds, ends in 2 h'],
  );
  const document = await runJson(t, repo, ['quota', 'show']);
  t.like(document, {
    ...{schema: 'loopx/quota@1', compute: null, stallAfter: null, budgets: [{rounds: 0}]},
    lines: [{measure: 'rounds', hours: null, limit: 5, spent: 0, reserved: 0, left: 5, exhausted: false}],
    grants: [{rounds: 5, until: '2026-01-01T14:00:00.000Z'}],
  });
});

test('only a person sets and grants', async t => {
  const repo = await tempRepo(t);
  await startGoal(t, repo);
  const refusal = (deed: string) => ({
    ...{status: 3, code: 'person-needed', hint: 'Run it in a terminal of your own.'},
    message: `Only a person can ${deed}, and this is a session of claude@test.`,
  });
  const env = agentEnv;
  await refuses(t, repo, ['quota', 'set', '--none'], refusal('set what a goal may spend'), {env});
  await refuses(t, repo, ['quota', 'grant', '--rounds', '9'], refusal('grant more than the budgets say'), {env});
  t.is((await runCli(t, repo, ['quota', 'show'], {env})).status, 0);
});

test('amounts that make no sense are refused', async t => {
  const repo = await tempRepo(t);
  await startGoal(t, repo);
  const usage = {status: 2, code: 'usage'};
  const hint = 'For example: loopx quota set --rounds 20 --per 24h';
  await refuses(t, repo, ['quota', 'set'], {...usage, message: 'Nothing to set was named.', hint});
  await refuses(t, repo, ['quota', 'set', '--rounds', '-1'], {...usage, message: "--rounds can't be less than 0."});
  await refuses(t, repo, ['quota', 'set', '--compute', '50'], {
    ...usage,
    message: '--compute is a share of the time, from 0 to 1.',
  });
  await refuses(t, repo, ['quota', 'grant'], {
    ...{...usage, message: 'A grant needs an amount.', hint: 'For example: loopx quota grant --rounds 5'},
  });
  const past = {...usage, message: '--until 2020-01-01 is in the past.'};
  await refuses(t, repo, ['quota', 'grant', '--rounds', '5', '--until', '2020-01-01'], past);
});
