import {readdirSync, readFileSync} from 'node:fs';
import test from 'ava';
import stringWidth from 'string-width';
import {commandTable} from '../../cli/commands/table.ts';
import {helpTopics, readTopic} from '../../cli/help-topics.ts';
import {settings} from '../../lib/config/keys.ts';
import {exitStatuses} from '../../lib/failure.ts';
import {refuses, runCli, runJson} from '../support/cli.ts';
import {tempRepo} from '../support/repo.ts';

test('a topic is a page, readable in 40 columns', async t => {
  const repo = await tempRepo(t);
  for (const topic of await helpTopics()) {
    const {status, stdout} = await runCli(t, repo, ['help', topic], {columns: 40, cwd: '/'});
    t.is(status, 0);
    const prose = stdout.split('\n').filter(line => !/^ {4}(loopx|git|\{)/.test(line));
    for (const line of prose) t.true(stringWidth(line) <= 40, line);
  }
});

test('the page on exit statuses names every failure, the one on settings every setting (trap 60)', async t => {
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

test('the page on JSON names the schema of every command', async t => {
  const page = (await readTopic('json'))!;
  const folder = new URL('../../cli/', import.meta.url);
  for (const name of readdirSync(folder, {recursive: true, encoding: 'utf8'}).filter(name => name.endsWith('.ts'))) {
    const schemas = readFileSync(new URL(name, folder), 'utf8').matchAll(/schema: '(loopx\/[a-z-]+@\d+)'/g);
    for (const [, schema] of schemas) t.true(page.includes(`\`${schema}\``) || page.includes(`"${schema}"`), schema);
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

test('help on a command says what it takes, its own options before those of all commands', async t => {
  const repo = await tempRepo(t);
  const {stdout} = await runCli(t, repo, ['todo', 'claim', '--help'], {columns: 60});
  t.true(
    stdout.startsWith(`loopx todo claim <todo>

Take a todo so that no other agent works on it, or renew the
claim

Options:
      --lease  How long the claim holds, such as 30m or 2h

Everywhere:
      --json     Print one JSON document instead of text
`),
    stdout,
  );
  t.true(
    stdout.includes(`
Examples:
  loopx todo claim k3m9 --lease 2h
        Claim todo k3m9 for two hours
`),
  );
});

test('no help is cut off on any terminal, and each topic that one refers to exists', async t => {
  const repo = await tempRepo(t);
  const topics = await helpTopics();
  for (const columns of [40, 80]) {
    const {stdout} = await runCli(t, repo, ['help'], {columns});
    t.notRegex(stdout, /…$/m);
  }

  for (const [path, {load}] of Object.entries(commandTable)) {
    const {topic} = await load();
    if (topic !== undefined) t.true(topics.includes(topic), `${path} refers to ${topic}`);
    const {stdout} = await runCli(t, repo, [...path.split(' '), '--help']);
    t.notRegex(stdout, /…$/m);
  }
});

test('programs get the page as it is written', async t => {
  const repo = await tempRepo(t);
  const {text, ...rest} = await runJson<{text: string}>(t, repo, ['help', 'gates']);
  t.deepEqual(rest as object, {schema: 'loopx/help@1', topic: 'gates'});
  t.true(text.startsWith('# Gates\n'));
});
