// Help: what one command takes, what can be done with a noun, and the overview with the daily things first. Nothing is
// ever cut off here: on a narrow terminal, explanations stand below what they explain.
import {type Command, globalOptions, type Option, type Options, usageParts} from './command.ts';
import {commandTable, verbsOf} from './commands/table.ts';
import {helpTopics} from './help-topics.ts';
import {wrap} from './layout.ts';
import {type Output, styled} from './print.ts';

/** Returns the help of one command, laid out for so many columns. */
export async function commandHelp(command: Command, columns: number): Promise<string> {
  const width = Math.min(columns, 100);
  const path = usageParts(command.usage).path.join(' ');
  const examples = (command.examples ?? []).map(([args, about]) => [`loopx ${path} ${args}`.trimEnd(), about] as const);
  const sections = [
    [`loopx ${command.usage}`],
    wrap(command.describe, width),
    section('Options:', optionRows(command.options ?? {}), width),
    section('Examples:', examples, width),
    section('Everywhere:', optionRows(globalOptions), width),
    command.topic ? [`More: loopx help ${command.topic}`] : [],
  ];
  return `${sections
    .filter(lines => lines.length > 0)
    .map(lines => lines.join('\n'))
    .join('\n\n')}\n`;
}

type Row = readonly [name: string, about: string];

function section(title: string, rows: readonly Row[], columns: number): readonly string[] {
  return rows.length === 0 ? [] : [title, rowsText(rows, columns)];
}

function optionRows(options: Options): readonly Row[] {
  return Object.entries(options).map(([name, option]) => {
    const short = option.alias ? `-${option.alias}, ` : '    ';
    const value = option.type === 'boolean' ? '' : ` ${option.value ?? 'VALUE'}`;
    return [`${short}--${name}${value}`, `${option.describe}${remarks(option)}`];
  });
}

function remarks({choices, required, default: given, type}: Option): string {
  const all = [
    ...(choices ? [`one of ${choices.join(', ')}`] : []),
    ...(required ? ['must be given'] : []),
    ...(given !== undefined && type !== 'boolean' ? [`${given} unless said`] : []),
  ];
  return all.length > 0 ? ` (${all.join('; ')})` : '';
}

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
