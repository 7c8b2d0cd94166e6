// Which files git may change between disk and repository: by line ends (`text`, `eol`, core.autocrlf), `ident`,
// `working-tree-encoding`, or a filter such as git-lfs. Says only what may happen; whether the bytes come back is tried
// out in round-trip.ts.
import {joinNul, splitNul} from './path-text.ts';
import {isSet, type Worktree} from './worktree.ts';

export type Conversion = {
  /** The attributes and settings that have a say, in one canonical line. */
  readonly rules: string;
  /** What may refuse to convert at all, a filter's name or an encoding: git then refuses the file. */
  readonly fallible: string | undefined;
};

const deciding = ['text', 'crlf', 'eol', 'ident', 'working-tree-encoding', 'filter'];

/** Returns the conversions of those paths for which any applies. Takes one git process for all. */
export async function readConversions(
  worktree: Worktree,
  paths: readonly string[],
): Promise<ReadonlyMap<string, Conversion>> {
  const output = await worktree.git.bytes(['check-attr', '-z', '--stdin', '--all'], {input: joinNul(paths)});
  const fields = splitNul(output);
  const attributes = new Map<string, Map<string, string>>();
  for (let at = 0; at + 2 < fields.length; at += 3) {
    const [path, name, value] = fields.slice(at, at + 3) as [string, string, string];
    if (!deciding.includes(name)) continue;
    if (!attributes.has(path)) attributes.set(path, new Map());
    attributes.get(path)!.set(name, value);
  }

  const candidates = convertsByDefault(worktree.config) ? paths : attributes.keys();
  const found = Array.from(candidates, (path): [string, Conversion | undefined] => {
    return [path, conversionOf(attributes.get(path) ?? new Map(), worktree.config)];
  });
  return new Map(found.filter((pair): pair is [string, Conversion] => pair[1] !== undefined));
}

/** Returns settings under which no filter program runs, so that listing files can't fail for want of one. */
export function withoutFilters(config: Worktree['config']): string[] {
  return driversOf(config).flatMap(driver => [
    `filter.${driver}.clean=`,
    `filter.${driver}.process=`,
    `filter.${driver}.required=false`,
  ]);
}

function conversionOf(attributes: Map<string, string>, config: Worktree['config']): Conversion | undefined {
  const filter = attributes.get('filter');
  const driver = filter !== undefined && driversOf(config).includes(filter) ? filter : undefined;
  const encoding = attributes.get('working-tree-encoding');
  const encoded = encoding !== undefined && !['set', 'unset', 'unspecified'].includes(encoding);
  const lines = attributes.get('text') ?? attributes.get('crlf');
  const converts =
    driver !== undefined ||
    encoded ||
    attributes.get('ident') === 'set' ||
    (lines === undefined ? attributes.has('eol') || convertsByDefault(config) : lines !== 'unset');
  if (!converts) return undefined;

  const commands = [...config].filter(([name]) => driver !== undefined && name.startsWith(`filter.${driver}.`));
  return {
    rules: JSON.stringify([
      deciding.map(name => attributes.get(name) ?? null),
      config.get('core.autocrlf') ?? null,
      config.get('core.eol') ?? null,
      commands,
    ]),
    fallible: driver ?? (encoded ? encoding : undefined),
  };
}

function convertsByDefault(config: Worktree['config']): boolean {
  return isSet(config, 'core.autocrlf') || config.get('core.autocrlf')?.toLowerCase() === 'input';
}

function driversOf(config: Worktree['config']): string[] {
  const names = Array.from(config.keys(), name => /^filter\.(.+)\.(clean|smudge|process)$/s.exec(name)?.[1]);
  return [...new Set(names.filter(name => name !== undefined))];
}
