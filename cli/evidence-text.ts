// How a commit's rounds are told to people.

import type {Unclear} from '../lib/evidence/match.ts';
import type {CopyKey} from '../lib/evidence/note.ts';
import type {ShownRound} from '../lib/evidence/show.ts';

const copyTexts: Readonly<Record<CopyKey, string>> = {
  rewrite: 'git told so when it rewrote it',
  tree: 'the tree is the same',
  patch: 'the patch is the same',
  squash: 'the patch is that of several commits in one',
};

/** Returns how a copy of a commit is known. */
export function copyText(via: CopyKey, from: string): string {
  return `copy of ${from.slice(0, 12)}: ${copyTexts[via]}`;
}

/** Returns how it is known that a round belongs to a commit; nothing where the round made that very commit. */
export function knownText({via, from}: ShownRound): string | undefined {
  if (via === 'commit') return undefined;
  if (via === 'carried') return 'git carried its note along';
  if (via === 'note') return 'only its note says so: the round is not recorded here';
  return copyText(via, from ?? '');
}

/** Returns what can't be told about a commit. */
export function unclearText({via, rounds}: Pick<Unclear, 'via' | 'rounds'>): string {
  const names = rounds.map(({round, goal}) => `${round} of ${goal}`);
  const what = via === 'tree' ? 'The tree' : 'The patch';
  return names.length === 1
    ? `${what} is like that of ${names[0]}, and might as well be of somebody else.`
    : `${what} is like that of ${names.join(' and ')}, and tells not of which.`;
}
