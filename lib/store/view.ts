// A goal as it is at one commit, read lazily: goal.yaml at once, other records when somebody asks for them.
import {Failure} from '../failure.ts';
import type {Goal} from '../model/goal.ts';
import {type RecordLetter, resolveId} from '../model/ids.ts';
import {everyPath, goalPath, recordPath, type StateRecord} from '../model/state.ts';
import {decodeRecord} from './codec.ts';
import type {GoalReader} from './goal-store.ts';

export type GoalView = {
  readonly id: string;
  readonly tip: string;
  readonly goal: Goal;
  /** Returns the records at these paths; one that isn't there is left out. */
  readonly load: (paths: readonly string[]) => Promise<ReadonlyMap<string, StateRecord>>;
  readonly get: <T extends StateRecord>(path: string) => Promise<T | undefined>;
  /** Returns all records of a folder such as `todos`, in the order of their paths. */
  readonly all: <T extends StateRecord>(folder: RecordFolder) => Promise<readonly T[]>;
  /** Returns the one id that a prefix names; throws `not-found` or `ambiguous`. */
  readonly resolve: (letter: keyof typeof folders, prefix: string) => Promise<string>;
  /** Returns the one record that a prefix of its id names. */
  readonly find: <T extends StateRecord>(letter: keyof typeof folders, prefix: string) => Promise<T>;
};

export const folders = {
  a: 'artifacts',
  c: 'checkpoints',
  d: 'decisions',
  g: 'gates',
  t: 'todos',
} as const satisfies Partial<Record<RecordLetter, string>>;

export type RecordFolder = (typeof folders)[keyof typeof folders] | 'agents' | 'spend';

/**
 * Returns a goal as it is at a commit.
 *
 * @throws {Failure} `state-unreadable` where goal.yaml can't be read: never an empty state in its place.
 */
export async function viewGoal(store: GoalReader, id: string, tip: string): Promise<GoalView> {
  const goal = (await loadRecords(store, tip, [goalPath])).get(goalPath) as Goal | undefined;
  if (!goal || !isGoal(goal)) {
    throw new Failure(
      'state-unreadable',
      `The state of goal ${id} at ${tip.slice(0, 12)} has no readable ${goalPath}.`,
      {
        hint: 'Run `loopx fsck` to see which commit broke it.',
      },
    );
  }

  const load: GoalView['load'] = paths => loadRecords(store, tip, paths);
  const ids = async (letter: keyof typeof folders) =>
    (await store.paths(tip, folders[letter])).map(path => path.replace(/^.*\/|\.yaml$/g, ''));
  const resolve: GoalView['resolve'] = async (letter, prefix) => resolveId(letter, prefix, await ids(letter));
  return {
    id,
    tip,
    goal,
    load,
    get: async <T extends StateRecord>(path: string) => (await load([path])).get(path) as T | undefined,
    all: async <T extends StateRecord>(folder: RecordFolder) =>
      [...(await loadFolder(store, tip, folder)).values()] as unknown as readonly T[],
    resolve,
    find: async <T extends StateRecord>(letter: keyof typeof folders, prefix: string) => {
      const path = `${folders[letter]}/${await resolve(letter, prefix)}.yaml`;
      return (await loadListed(store, tip, [path])).get(path) as T;
    },
  };
}

// What nothing goes without. A tree that was changed by hand may lack it.
function isGoal({format, clock, totals, open, live, rounds}: Goal): boolean {
  const counts = [format, clock, totals?.events];
  return counts.every(Number.isSafeInteger) && [open, live, rounds].every(Array.isArray);
}

/** Reads all records of one folder of a commit's tree; `''` means the whole tree. */
export async function loadFolder(
  store: GoalReader,
  commit: string,
  folder: string,
): Promise<ReadonlyMap<string, StateRecord>> {
  return loadListed(store, commit, await store.paths(commit, folder));
}

// What the tree lists has to be there: a lost object is not the same as no record.
async function loadListed(store: GoalReader, commit: string, paths: readonly string[]) {
  const records = await loadRecords(store, commit, paths);
  const lost = paths.find(path => !records.has(path));
  if (lost === undefined) return records;
  throw new Failure('state-unreadable', `${lost} at ${commit.slice(0, 12)} is listed, but git has lost it.`, {
    hint: 'Run `git fsck` to see what is missing, and fetch the goal again from a remote.',
  });
}

/** Reads those of the records that a commit's tree has. */
export async function loadRecords(
  store: GoalReader,
  commit: string,
  paths: readonly string[],
): Promise<ReadonlyMap<string, StateRecord>> {
  const texts = paths.length === 0 ? new Map<string, string>() : await store.read(commit, paths);
  const records = new Map<string, StateRecord>();
  for (const path of paths) {
    const text = texts.get(path);
    if (text !== undefined) records.set(path, decodeRecord(text) ?? (await decodeYaml(text, path, commit)));
  }

  return records;
}

/** Reads those of the records that events touch. */
export async function loadTouched(
  store: GoalReader,
  commit: string,
  paths: readonly string[],
): Promise<ReadonlyMap<string, StateRecord>> {
  return paths.includes(everyPath) ? loadFolder(store, commit, '') : loadRecords(store, commit, paths);
}

async function decodeYaml(text: string, path: string, commit: string): Promise<StateRecord> {
  const {parse} = await import('yaml');
  try {
    const value: unknown = parse(text, {maxAliasCount: 0});
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  } catch {
    // Told below, with the place.
  }

  throw new Failure('state-unreadable', `${path} at ${commit.slice(0, 12)} is no readable record.`, {
    hint: 'Run `loopx fsck` to see which commit broke it.',
  });
}

/** Returns what the goal knows of an agent. */
export async function agentOf(view: GoalView, name: string): Promise<import('../model/agent.ts').Agent> {
  return (await view.get(recordPath.agent(name))) ?? {id: name, rounds: 0};
}
