// Ids as they are printed: the shortest beginning that no other record of the goal shares, at least four characters.
import {type RecordLetter, shortId} from '../lib/model/ids.ts';
import {folders} from '../lib/store/view.ts';
import type {Session} from './session.ts';

export type Shorten = (id: string) => string;

/** Returns what shortens ids of one kind at a commit of the goal. */
export async function shortIds(
  session: Session,
  tip: string,
  letter: keyof typeof folders & RecordLetter,
): Promise<Shorten> {
  const paths = await (await session.store()).paths(tip, folders[letter]);
  return shorten(paths.map(path => path.replace(/^.*\/|\.yaml$/g, '')));
}

/** Returns what shortens these ids. */
export function shorten(ids: readonly string[]): Shorten {
  // Of sorted ids, only the neighbours of one can share its longest beginning.
  const sorted = [...ids].sort();
  const at = new Map(sorted.map((id, index) => [id, index]));
  return id => {
    const index = at.get(id);
    if (index === undefined) return id;
    return shortId(
      id,
      [sorted[index - 1], sorted[index + 1]].filter(other => other !== undefined),
    );
  };
}
