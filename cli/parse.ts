// Parses a command's arguments by its table of options, with yargs' own small parser: yargs itself is loaded only for
// help and completion, since a hot command starts in the time of two loaded packages.
import parser from 'yargs-parser';
import {Failure} from '../lib/failure.ts';
import {type Command, globalOptions, type Option, type Options, usageParts} from './command.ts';

export type Parsed = {
  readonly values: Readonly<Record<string, unknown>>;
  readonly global: Readonly<Record<string, unknown>>;
};

/**
 * Returns the arguments of a command by name, in camel case.
 *
 * @throws {Failure} `usage` for what is unknown, missing, or no value of its option.
 */
export function parseArgs(command: Command, args: readonly string[]): Parsed {
  const options: Options = {...globalOptions, ...command.options};
  const {path, positionals} = usageParts(command.usage);
  const hint = `See \`loopx ${path.join(' ')} --help\`.`;
  const parsed = parser.detailed(args.map(hideText), parserOptions(options));
  if (parsed.error) throw new Failure('usage', `${parsed.error.message}.`, {hint});
  const given: Record<string, unknown> = Object.fromEntries(
    Object.entries(parsed.argv).map(([name, value]) => [name, showTexts(value, args)]),
  );
  const known = new Set(
    Object.entries(options).flatMap(([name, option]) => [name, ...(option.alias ? [option.alias] : [])]),
  );
  for (const name of Object.keys(given)) {
    if (name !== '_' && !known.has(name)) {
      const near = nearest(name, [...known]);
      throw new Failure('usage', `There is no option --${name}.`, {hint: near ? `Did you mean --${near}?` : hint});
    }
  }

  const values: Record<string, unknown> = {};
  for (const [name, option] of Object.entries(options)) {
    const value = optionValue(name, option, given[name] ?? (option.alias ? given[option.alias] : undefined), hint);
    if (value !== undefined) values[camelCase(name)] = value;
  }

  const rest = (given._ as readonly unknown[]).map(String);
  for (const {name, required, many} of positionals) {
    const value = many ? rest.splice(0) : rest.shift();
    if (value !== undefined) values[name] = value;
    if (required && (value === undefined || value.length === 0)) {
      throw new Failure('usage', `<${name}> is missing.`, {hint: `Use: loopx ${command.usage}`});
    }
  }

  if (rest.length > 0) {
    const quote = positionals.length > 0 ? ' Put a text of several words in quotes.' : '';
    throw new Failure('usage', `"${rest[0]}" is one argument too many.`, {
      hint: `Use: loopx ${command.usage}.${quote}`,
    });
  }

  const global = Object.fromEntries(Object.keys(globalOptions).map(name => [name, values[name]]));
  return {values, global};
}

// A text that begins with a dash, such as a list or the options of another program, is a value all the same: the name
// of an option holds no space. The parser sees its number instead, behind a character that no argument can hold.
const textAfterDash = /^-[^=]*\s/;

function hideText(arg: string, index: number): string {
  return textAfterDash.test(arg) ? `\0${index}` : arg;
}

function showTexts(value: unknown, args: readonly string[]): unknown {
  if (Array.isArray(value)) return value.map(item => showTexts(item, args));
  return typeof value === 'string' && value.startsWith('\0') ? args[Number(value.slice(1))] : value;
}

function parserOptions(options: Options) {
  const named = (type: Option['type']) => Object.keys(options).filter(name => options[name]!.type === type);
  const alias = Object.fromEntries(
    Object.entries(options).flatMap(([name, {alias: short}]) => (short ? [[name, [short]]] : [])),
  );
  return {
    boolean: named('boolean'),
    string: [...named('string'), ...named('strings'), ...named('number')],
    array: named('strings'),
    alias,
    configuration: {
      'camel-case-expansion': false,
      'strip-aliased': true,
      'dot-notation': false,
      'greedy-arrays': false,
      'parse-numbers': false,
      'parse-positional-numbers': false,
      'boolean-negation': true,
      'duplicate-arguments-array': true,
      'flatten-duplicate-arrays': true,
      'populate--': false,
    },
  };
}

function optionValue(name: string, option: Option, given: unknown, hint: string): unknown {
  const value = option.type !== 'strings' && Array.isArray(given) ? given.at(-1) : given;
  if (value === undefined) {
    if (option.required) throw new Failure('usage', `--${name} is missing.`, {hint});
    return option.default ?? (option.type === 'strings' ? [] : undefined);
  }

  if (option.type === 'strings') return (value as readonly unknown[]).map(String);
  if (option.type === 'boolean') return Boolean(value);
  if (value === '' && option.type !== 'string') throw new Failure('usage', `--${name} needs a value.`, {hint});
  if (option.choices && !option.choices.includes(String(value))) {
    throw new Failure('usage', `--${name} can't be "${value}".`, {hint: `Use one of: ${option.choices.join(', ')}.`});
  }

  if (option.type === 'string') return String(value);
  const number = Number(value);
  if (Number.isFinite(number)) return number;
  throw new Failure('usage', `--${name} needs a number, not "${value}".`, {hint});
}

export function camelCase(name: string): string {
  return name.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

/** Returns the known word that is at most two edits away, if there is one. */
export function nearest(word: string, known: readonly string[]): string | undefined {
  // Of words at the same distance, one that only goes on is the likelier: `--al` is more of a `--all` than of an `--as`.
  const [best] = known
    .map(other => [distance(word, other), other] as const)
    .sort((a, b) => a[0] - b[0] || Number(b[1].startsWith(word)) - Number(a[1].startsWith(word)));
  return best && best[0] <= Math.min(2, Math.floor(word.length / 2)) ? best[1] : undefined;
}

function distance(a: string, b: string): number {
  let row = Array.from({length: b.length + 1}, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      next[j] = Math.min(row[j]! + 1, next[j - 1]! + 1, row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1));
    }

    row = next;
  }

  return row[b.length]!;
}
