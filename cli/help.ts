// Help: what one command takes, what can be done with a noun, and the overview with the daily things first. Nothing is
// ever cut off here: on a narrow terminal, explanations stand below what they explain.
import {type Command, globalOptions, type Options, usageParts} from './command.ts';
import {commandTable, verbsOf} from './commands/table.ts';
import {helpTopics} from './help-topics.ts';
import {wrap} from './layout.ts';
import {type Output, styled} from './print.ts';

/** Returns the help of one command, laid out for so many columns. */
export async function commandHelp(command: Command, columns: number): Promise<string> {
  const {default: yargs} = await import('yargs');
  const width = Math.min(columns, 100);
  const {path} = usageParts(command.usage);
  const examples = (command.examples ?? []).flatMap(([args, about]) => [
    `  loopx ${path.join(' ')} ${args}`.trimEnd(),
    ...wrap(about, width, '        '),
  ]);
  const own = command.options ?? {};
  const help = yargs([])
    .scriptName('loopx')
    .locale('en')
    .usage([`loopx ${command.usage}`, '', ...wrap(command.describe, width)].join('\n'))
    .wrap(width)
    .version(false)
    .help(false)
    .options(described({...own, ...globalOptions}))
    .group(Object.keys(own), 'Options:')
    .group(Object.keys(globalOptions), 'Everywhere:')
    .epilogue(
      [
        ...(examples.length > 0 ? ['Examples:', ...examples] : []),
        ...(command.topic ? [...(examples.length > 0 ? [''] : []), `More: loopx help ${command.topic}`] : []),
      ].join('\n'),
    );
  return `${(await help.getHelp()).trimEnd()}\n`;
}

// What yargs lays out: it is told no type of a text, since the describing words say what it is.
function described(options: Options): Record<string, object> {
  const entries = Object.entries(options).map(([name, {type, describe, alias, choices, required, default: given}]) => [
    name,
    {
      describe,
      ...(type === 'string' ? {requiresArg: true} : {type: type === 'strings' ? 'array' : type}),
      ...(alias && {alias}),
      ...(choices && {choices}),
      ...(required && {demandOption: true}),
      ...(given !== undefined && type !== 'boolean' && {default: given}),
    },
  ]);
  return Object.fromEntries(entries);
}

type Row = readonly [name: string, about: string];

/** Returns the list of what can be done with one noun. */
export async function nounHelp(noun: string, output: Output): Promise<string> {
  const commands = await Promise.all(verbsOf(noun).map(verb => commandTable[`${noun} ${verb}`]!.load()));
  const rows = commands.map(({usage, describe}) => [usage, describe] as const);
  return `${rowsText(rows, output.columns)}\n\nEach explains itself: loopx ${noun} ${verbsOf(noun)[0]} --help\n`;
}

// Names and what they mean, side by side where both have room.
function rowsText(rows: readonly Row[], columns: number): string {
  const width = Math.max(...rows.map(([name]) => name.length)) + 4;
  if (columns < width + 30) {
    return rows.flatMap(([name, about]) => [`  ${name}`, ...wrap(about, columns, '        ')]).join('\n');
  }

  return rows
    .flatMap(([name, about]) => {
      const [first = '', ...more] = wrap(about, columns, ' '.repeat(width));
      return [`  ${name}`.padEnd(width) + first.trimStart(), ...more];
    })
    .join('\n');
}

/** Returns the list of all commands. */
export async function overviewHelp(output: Output): Promise<string> {
  const entries = await Promise.all(
    Object.entries(commandTable).map(async ([path, {load}]) => [path, await load()] as const),
  );
  const daily = entries.filter(([path]) => !path.includes(' '));
  const nouns = entries.filter(([path]) => path.includes(' '));
  const rows = (list: typeof entries) =>
    rowsText(
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
