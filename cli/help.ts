// Help: yargs lays out one command's options; the overview lists what there is to do, the daily things first.
import yargs from 'yargs';
import {type Command, globalOptions, type Option, type Options, usageParts} from './command.ts';
import {commandTable, verbsOf} from './commands/table.ts';
import {helpTopics} from './help-topics.ts';
import {wrap} from './layout.ts';
import {type Output, styled, table} from './print.ts';

/** Returns the help of one command, laid out for so many columns. */
export async function commandHelp(command: Command, columns: number): Promise<string> {
  const {path} = usageParts(command.usage);
  let help = yargs([])
    .scriptName('loopx')
    .locale('en')
    .usage(`loopx ${command.usage}\n\n${command.describe}`)
    .wrap(Math.min(columns, 100))
    .version(false)
    .help(false)
    .options(optionTable(command.options ?? {}))
    .options(optionTable(globalOptions))
    .group(Object.keys(command.options ?? {}), 'Options:')
    .group(Object.keys(globalOptions), 'Everywhere:');
  for (const [args, about] of command.examples ?? [])
    help = help.example(`loopx ${path.join(' ')} ${args}`.trim(), about);
  if (command.topic) help = help.epilogue(`More: loopx help ${command.topic}`);
  return `${await help.getHelp()}\n`;
}

/** Returns the list of what can be done with one noun. */
export async function nounHelp(noun: string, output: Output): Promise<string> {
  const commands = await Promise.all(verbsOf(noun).map(verb => commandTable[`${noun} ${verb}`]!.load()));
  const rows = commands.map(({usage, describe}) => [usage, describe] as const);
  return `${commandRows(rows, output.columns)}\n\nEach explains itself: loopx ${noun} ${verbsOf(noun)[0]} --help\n`;
}

// Commands and what they do; below each other where the terminal is narrow.
function commandRows(rows: readonly (readonly [string, string])[], columns: number): string {
  const width = Math.max(...rows.map(([name]) => name.length));
  const isNarrow = columns < width + 45;
  if (isNarrow) return rows.flatMap(([name, about]) => [`  ${name}`, ...wrap(about, columns, '      ')]).join('\n');
  return table(
    rows.map(([name, about]) => [`  ${name}`, about]),
    columns,
  );
}

function optionTable(options: Options) {
  return Object.fromEntries(
    Object.entries(options).map(([name, option]) => [
      name,
      {
        describe: option.describe,
        type: yargsType(option),
        ...(option.alias && {alias: option.alias}),
        ...(option.choices && {choices: option.choices}),
        ...(option.default !== undefined && option.type !== 'boolean' && {default: option.default}),
        ...(option.required && {demandOption: true}),
        requiresArg: option.type !== 'boolean',
      },
    ]),
  );
}

function yargsType(option: Option): 'string' | 'number' | 'boolean' | 'array' {
  return option.type === 'strings' ? 'array' : option.type;
}

/** Returns the list of all commands. */
export async function overviewHelp(output: Output): Promise<string> {
  const entries = await Promise.all(
    Object.entries(commandTable).map(async ([path, {load}]) => [path, await load()] as const),
  );
  const daily = entries.filter(([path]) => !path.includes(' '));
  const nouns = entries.filter(([path]) => path.includes(' '));
  const rows = (list: typeof entries) =>
    commandRows(
      list.map(([path, {describe}]) => [path, describe]),
      output.columns,
    );
  const about = 'loopx keeps the goal of coding agents that work for days in the git repository itself.';
  const more = 'Each command explains itself: loopx COMMAND --help.';
  const topics = `Topics, to be read with loopx help TOPIC: ${(await helpTopics()).join(', ')}.`;
  return [
    ...wrap(about, output.columns),
    '',
    styled(output, 'bold', 'From nothing to a running goal'),
    '  loopx connect',
    '  loopx start-goal --goal-text "Port the parser to TypeScript" --check "npm test"',
    '  loopx todo add "Port src/lexer.js"',
    '  loopx run',
    '',
    styled(output, 'bold', 'Every day'),
    rows(daily),
    '',
    styled(output, 'bold', 'Records'),
    rows(nouns),
    '',
    ...wrap(more, output.columns),
    ...wrap(topics, output.columns),
    '',
  ].join('\n');
}
