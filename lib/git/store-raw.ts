// Files stored byte for byte, whatever filters and line ends say.
import type {Git} from './command.ts';
import {joinQuotedLines} from './path-text.ts';

const refusedMax = 50;

/** Stores files as blobs without any filter. Returns their ids, and the paths that could not be read. */
export async function storeRaw(
  git: Git,
  paths: readonly string[],
): Promise<{blobs: ReadonlyMap<string, string>; refused: readonly string[]}> {
  const blobs = new Map<string, string>();
  const refused: string[] = [];
  for (let rest = paths; rest.length > 0; ) {
    const args = ['hash-object', '-w', '--no-filters', '--stdin-paths'];
    const result = await git.run(args, {input: joinQuotedLines(rest)});
    const ids = result.stdout.toString().split('\n').filter(Boolean);
    for (const [at, id] of ids.entries()) blobs.set(rest[at]!, id);
    if (ids.length === rest.length) break;
    // Git prints an id for each file until it meets one that it can't read, and stops there.
    refused.push(rest[ids.length]!);
    rest = rest.slice(ids.length + 1);
    if (refused.length < refusedMax) continue;
    refused.push(...rest);
    break;
  }

  return {blobs, refused};
}
