// What may come next on a command line: words of commands, options, values of options, and ids of open records.
import {type Command, globalOptions, type Option, type Options, usageParts} from './command.ts';
import {commandTable} from './commands/table.ts';
import type {Session} from './session.ts';

/** A word and what it means. */
export type Completion = readonly [word: string, about: string];

/**
 * Returns what may stand in the place of the last word.
 *
 * @param words - The command line after `loopx`; the last one is being typed and may be empty.
 */
export async function completeWords(words: readonly string[], session: Session): Promise<readonly Completion[]> {
  const current = words.at(-1) ?? '';
  return (await candidates(words.slice(0, -1), current, session)).filter(([word]) => word.startsWith(current));
}

async function candidates(
  before: readonly string[],
  current: string,
  session: Session,
): Promise<readonly Completion[]> {
  const found = [2, 1].map(length => before.slice(0, length).join(' ')).find(path => commandTable[path] !== undefined);
  if (found === undefined) return pathWords(before);
  const command = await commandTable[found]!.load();
  const options: Options = {...globalOptions, ...command.options};
  const option = optionNamed(options, before.at(-1) ?? '');
  if (option && option.type !== 'boolean') return optionValues(option, before.at(-1)!, session);
  if (current.startsWith('-')) {
    return Object.entries(options).map(([name, {describe}]) => [`--${name}`, describe] as const);
  }

  return positionalWords(command, session);
}

async function pathWords(before: readonly string[]): Promise<readonly Completion[]> {
  const start = before.length === 0 ? '' : `${before.join(' ')} `;
  const paths = Object.keys(commandTable).filter(path => path.startsWith(start));
  const words = new Set(paths.map(path => path.slice(start.length).split(' ')[0]!));
  return Promise.all(
    [...words].map(async word => [word, (await commandTable[start + word]?.load())?.describe ?? ''] as const),
  );
}

function optionNamed(options: Options, word: string): Option | undefined {
  const name = /^--?([a-z-]+)$/.exec(word)?.[1];
  if (name === undefined) return undefined;
  return options[name] ?? Object.values(options).find(({alias}) => alias === name);
}

async function optionValues(option: Option, word: string, session: Session): Promise<readonly Completion[]> {
  if (option.choices) return option.choices.map(choice => [choice, ''] as const);
  if (word === '--goal') return goalIds(session);
  return option.value === 'TODO' ? openIds('t', session) : [];
}

async function positionalWords({usage}: Command, session: Session): Promise<readonly Completion[]> {
  const [first] = usageParts(usage).positionals;
  if (first?.name === 'todo') return openIds('t', session);
  if (first?.name === 'gate') return openIds('g', session);
  if (first?.name === 'goal') return goalIds(session);
  if (first?.name === 'shell') return ['bash', 'zsh', 'fish'].map(shell => [shell, ''] as const);
  if (first?.name !== 'topic') return [];
  const {helpTopics} = await import('./help-topics.ts');
  return (await helpTopics()).map(topic => [topic, ''] as const);
}

// Outside a repository, or where several goals are active, there is nothing to offer.
async function openIds(letter: 't' | 'g', session: Session): Promise<readonly Completion[]> {
  const view = await session.view().catch(() => undefined);
  const items = view?.goal.open.filter(({id}) => id.startsWith(`${letter}-`)) ?? [];
  return items.map(({id, title}) => [id, title] as const);
}

async function goalIds(session: Session): Promise<readonly Completion[]> {
  const store = await session.store().catch(() => undefined);
  return [...((await store?.tips()) ?? new Map()).keys()].map(id => [id, ''] as const);
}
