// The line that a round leaves on each commit it made, for people and for `grep`. It is logfmt: git's own merge of notes
// (`cat_sort_uniq`) keeps such lines apart, and it reads well in `git log --notes=loopx`. The event is the record; the
// line is made from nothing else, so that every machine makes the same one and a lost one can be made again.
import type {CheckResult} from '../model/checks.ts';
import type {Round} from '../model/round.ts';

export type Note = {
  readonly goal: string;
  readonly round: string;
  readonly todo?: string;
  readonly agent: string;
  readonly outcome: string;
  /** Names have no spaces, commas, colons, quotes or equal signs here. */
  readonly checks?: readonly {readonly name: string; readonly outcome: CheckResult['outcome']}[];
  /** The first letters of the fingerprint of the code after the round. */
  readonly state?: string;
  /** On a commit that the round didn't make itself: how it is known to be a copy. */
  readonly via?: CopyKey;
  /** The first letters of the commit that it is a copy of. */
  readonly from?: string;
};

/**
 * How a copy of a round's commit was told: git said so when it rewrote it, its tree, its patch-id, or, of several commits
 * in one, the patch-id of them all.
 */
export type CopyKey = (typeof copyKeys)[number];

const copyKeys = ['rewrite', 'tree', 'patch', 'squash'] as const;

const fromLength = 12;
const stateLength = 12;
const checksMax = 20;

/** Returns what a finished round says on its commits. */
export function noteOf(
  goal: string,
  round: Pick<Round, 'round' | 'todo' | 'agent' | 'outcome' | 'checks' | 'state'>,
): Note {
  const {todo, agent, outcome, checks, state} = round;
  return {
    goal,
    round: round.round,
    ...(todo && {todo}),
    agent,
    outcome,
    ...(checks.length > 0 && {
      checks: checks.slice(0, checksMax).map(({name, outcome}) => ({name: plainName(name), outcome})),
    }),
    ...(state && {state: state.slice(0, stateLength)}),
  };
}

/** Returns what a round says on a copy of one of its commits. */
export function copyNote(note: Note, {via, from}: {readonly via: CopyKey; readonly from: string}): Note {
  return {...note, via, from: from.slice(0, fromLength)};
}

/** Returns what a round says on a commit, whether it made it itself or not. */
export function withoutKey({via: _via, from: _from, ...note}: Note): Note {
  return note;
}

/** Returns a note as its line. */
export function formatNote({goal, round, todo, agent, outcome, checks, state, via, from}: Note): string {
  const list = checks?.map(check => `${check.name}:${check.outcome}`).join(',');
  const pairs = Object.entries({goal, round, todo, agent, outcome, checks: list, state, via, from});
  return pairs.flatMap(([key, value]) => (value === undefined ? [] : [`${key}=${quoted(value)}`])).join(' ');
}

/** Returns the note that a line holds; undefined where it is a line of somebody else. Unknown keys are passed over. */
export function parseNote(line: string): Note | undefined {
  const fields = new Map<string, string>();
  for (const match of line.matchAll(/(?<=^|\s)([a-z]+)=("(?:[^"\\]|\\.)*"|[^\s"]*)(?=\s|$)/g)) {
    const value = unquoted(match[2]!);
    if (value !== undefined) fields.set(match[1]!, value);
  }

  const [goal, round, agent, outcome] = ['goal', 'round', 'agent', 'outcome'].map(key => fields.get(key));
  if (!goal || !round || !agent || !outcome) return undefined;
  const [todo, checks, state, via, from] = ['todo', 'checks', 'state', 'via', 'from'].map(key => fields.get(key));
  const copied = copyKeys.find(key => key === via);
  return {
    ...{goal, round},
    ...(todo && {todo}),
    ...{agent, outcome},
    ...(checks && {checks: checks.split(',').flatMap(parseCheck)}),
    ...(state && {state}),
    ...(copied && {via: copied}),
    ...(from && {from}),
  };
}

function parseCheck(text: string): NonNullable<Note['checks']> {
  const match = /^([^:]*):(pass|fail|timeout|not-trusted)\b/.exec(text);
  return match ? [{name: match[1]!, outcome: match[2] as CheckResult['outcome']}] : [];
}

function plainName(name: string): string {
  return name.replace(/[\s,:="\\\p{Cc}]+/gu, '-').replace(/^-|-$/g, '') || 'check';
}

function quoted(value: string): string {
  return /^[^\s"=\\\p{Cc}]+$/u.test(value) ? value : JSON.stringify(value);
}

function unquoted(value: string): string | undefined {
  if (!value.startsWith('"')) return value;
  try {
    return JSON.parse(value) as string;
  } catch {
    return undefined;
  }
}
