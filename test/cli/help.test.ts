import test from 'ava';
import stringWidth from 'string-width';
import {helpTopics, readTopic} from '../../cli/help-topics.ts';
import {settings} from '../../lib/config/keys.ts';
import {exitStatuses} from '../../lib/failure.ts';
import {refuses, runCli, runJson} from '../support/cli.ts';
import {tempRepo} from '../support/repo.ts';

test('a topic is a page, readable in 40 columns', async t => {
  const repo = await tempRepo(t);
  for (const topic of ['goals', 'gates', 'quota', 'config', 'json', 'exit-status', 'state']) {
    t.true((await helpTopics()).includes(topic));
    const {status, stdout} = await runCli(t, repo, ['help', topic], {columns: 40, cwd: '/'});
    t.is(status, 0);
    const prose = stdout.split('\n').filter(line => !/^ {4}(loopx|git|\{)/.test(line));
    for (const line of prose) t.true(stringWidth(line) <= 40, line);
  }
});

test('the page on exit statuses names every failure, the one on settings every setting', async t => {
  const statuses = (await readTopic('exit-status'))!;
  for (const [code, status] of Object.entries(exitStatuses)) {
    const row = statuses.split('\n').find(line => line.includes(`\`${code}\``));
    t.is(row?.split('|')[1]?.trim(), String(status), code);
  }

  const page = (await readTopic('config'))!.replace(/ +/g, ' ');
  for (const [key, setting] of Object.entries(settings)) {
    t.true(page.includes(`| \`${key}\` | ${setting.default} |`), key);
  }
});

test('help on a command, a noun, and on nothing that is known', async t => {
  const repo = await tempRepo(t);
  const explained = await runCli(t, repo, ['help', 'todo', 'claim']);
  t.is(explained.stdout, `${(await runCli(t, repo, ['todo', 'claim', '--help'])).stdout.trimEnd()}\n`);
  t.regex(explained.stdout, /^loopx todo claim <todo>\n\nTake a todo/);
  const noun = await runCli(t, repo, ['help', 'gate']);
  t.is(noun.stdout, (await runCli(t, repo, ['gate', '--help'])).stdout);
  t.regex(noun.stdout, /^ {2}ask <question> {2}|^ {2}gate ask <question> {2}/);
  const message = 'There is no help on "gatse".';
  await refuses(t, repo, ['help', 'gatse'], {
    status: 1,
    code: 'not-found',
    message,
    hint: 'Did you mean `loopx help gates`?',
  });
});

test('programs get the page as it is written', async t => {
  const repo = await tempRepo(t);
  const {text, ...rest} = await runJson<{text: string}>(t, repo, ['help', 'gates']);
  t.deepEqual(rest as object, {schema: 'loopx/help@1', topic: 'gates'});
  t.true(text.startsWith('# Gates\n'));
});
