import {Failure} from '../../lib/failure.ts';
import {defineCommand, usageParts} from '../command.ts';
import {commandHelp, nounHelp, overviewHelp} from '../help.ts';
import {helpTopics, readTopic} from '../help-topics.ts';
import {markdownLines} from '../markdown-text.ts';
import {nearest} from '../parse.ts';
import {printResult} from '../result.ts';
import type {Session} from '../session.ts';
import {commandTable, verbsOf} from './table.ts';

export const command = defineCommand({
  usage: 'help [topic..]',
  describe: 'Explain a command or a topic',
  examples: [
    ['', 'List commands and topics'],
    ['gates', 'Read about a topic'],
    ['todo add', 'Explain a command'],
  ],
  async run({topic: words}, session) {
    const topic = words.join(' ');
    const text = await helpText(topic, session);
    printResult(session, {schema: 'loopx/help@1', topic, text}, () => text.trimEnd());
  },
});

async function helpText(topic: string, session: Session): Promise<string> {
  const {stdout, json} = session;
  if (topic === '') return overviewHelp(stdout);
  const page = await readTopic(topic);
  if (page !== undefined) return json ? page : markdownLines(page, stdout).join('\n');
  const entry = commandTable[topic];
  if (entry) return commandHelp(await entry.load(), stdout.columns);
  if (verbsOf(topic).length > 0) return nounHelp(topic, stdout);
  const topics = await helpTopics();
  const near = nearest(topic, [...topics, ...Object.keys(commandTable).map(path => usageParts(path).path.join(' '))]);
  throw new Failure('not-found', `There is no help on "${topic}".`, {
    hint: near ? `Did you mean \`loopx help ${near}\`?` : `Topics: ${topics.join(', ')}.`,
  });
}
