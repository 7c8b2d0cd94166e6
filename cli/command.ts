// A command is a value: how it is called, what it takes, what it does. One table of options serves the fast parser,
// the help and the shell completion. Parsing ends where `run` begins.
import type {Session} from './session.ts';

export type OptionType = 'string' | 'number' | 'boolean' | 'strings';

export type Option = {
  readonly type: OptionType;
  readonly describe: string;
  readonly default?: string | number | boolean;
  readonly choices?: readonly string[];
  readonly alias?: string;
  readonly required?: boolean;
  /** What stands for the value in the help. */
  readonly value?: string;
};

export type Options = Readonly<Record<string, Option>>;

type ValueOf<O extends Option> = O['type'] extends 'string'
  ? string
  : O['type'] extends 'number'
    ? number
    : O['type'] extends 'boolean'
      ? boolean
      : readonly string[];

type IsSure<O extends Option> = O extends {default: string | number | boolean}
  ? true
  : O extends {required: true}
    ? true
    : O['type'] extends 'strings'
      ? true
      : false;

type CamelCase<S extends string> = S extends `${infer A}-${infer B}` ? `${A}${Capitalize<CamelCase<B>>}` : S;

/** The values of a command's options: sure ones are there, others may be undefined. */
export type Values<T extends Options> = {
  readonly [K in keyof T & string as CamelCase<K>]: IsSure<T[K]> extends true
    ? ValueOf<T[K]>
    : ValueOf<T[K]> | undefined;
};

/** The positional arguments by name; `[name]` may be undefined, `<name..>` is a list. */
export type Positionals<U extends string> = U extends `${string}<${infer N}..>${infer R}`
  ? {readonly [K in N]: readonly string[]} & Positionals<R>
  : U extends `${string}<${infer N}>${infer R}`
    ? {readonly [K in N]: string} & Positionals<R>
    : U extends `${string}[${infer N}..]${infer R}`
      ? {readonly [K in N]: readonly string[]} & Positionals<R>
      : U extends `${string}[${infer N}]${infer R}`
        ? {readonly [K in N]?: string} & Positionals<R>
        : unknown;

export type Command<U extends string = string, T extends Options = Options> = {
  /** The path and the positional arguments: `todo add <title>`. */
  readonly usage: U;
  readonly describe: string;
  readonly options?: T;
  /** Pairs of arguments and what they do. */
  readonly examples?: readonly (readonly [string, string])[];
  /** The help topic that says more. */
  readonly topic?: string;
  readonly run: (args: Positionals<U> & Values<T>, session: Session) => Promise<void>;
};

/** Declares a command; its options decide the types of its arguments. */
export function defineCommand<const U extends string, const T extends Options = Record<never, Option>>(
  command: Command<U, T>,
): Command<U, T> {
  return command;
}

/** The options that every command takes. */
export const globalOptions = {
  json: {type: 'boolean', describe: 'Print one JSON document instead of text'},
  goal: {type: 'string', describe: 'The goal, by its id or a unique beginning of it', value: 'GOAL'},
  project: {type: 'string', describe: 'The folder of the repository', value: 'DIR'},
  as: {type: 'string', describe: 'Act as this agent, such as claude@mbp', value: 'AGENT'},
  input: {
    type: 'boolean',
    describe: 'Ask on a terminal where something is missing; --no-input never asks',
    default: true,
  },
  color: {type: 'boolean', describe: 'Colour on a terminal; --no-color takes it away'},
  help: {type: 'boolean', describe: 'Show this help', alias: 'h'},
} as const satisfies Options;

/** Returns the words of a command's path, and its positional arguments as they stand in the usage. */
export function usageParts(usage: string): {
  readonly path: readonly string[];
  readonly positionals: readonly Positional[];
} {
  const words = usage.split(' ');
  const path = words.filter(word => /^[a-z]/.test(word));
  const positionals = words.flatMap(word => {
    const match = /^[<[]([a-z-]+)(\.\.)?[>\]]$/.exec(word);
    return match ? [{name: match[1]!, required: word.startsWith('<'), many: match[2] !== undefined}] : [];
  });
  return {path, positionals};
}

export type Positional = {readonly name: string; readonly required: boolean; readonly many: boolean};
