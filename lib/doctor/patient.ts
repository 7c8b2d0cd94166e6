// What the doctor looks at: this machine, and the repository if there is one. Goals are read once for all examinations.
import {statfs} from 'node:fs/promises';
import {type Config, readConfig} from '../config/config.ts';
import {type Failure, isFailure} from '../failure.ts';
import type {Repository} from '../git/repository.ts';
import type {GoalStore} from '../store/goal-store.ts';
import {type GoalView, viewGoal} from '../store/view.ts';
import type {World} from '../world.ts';

export type Patient = {
  readonly world: World;
  readonly cwd: string;
  /** Such as `20.19.0`. */
  readonly nodeVersion: string;
  /** Aborts when the user interrupts. */
  readonly signal: AbortSignal;
  /** The settings, or why they can't be read. */
  readonly config: Config | Failure;
  /** The repository and its goals, or why it can't be opened. */
  readonly body: Body | Failure;
  /** Returns how many bytes may still be written to the disk that holds `path`; undefined where the disk doesn't say. */
  readonly freeBytes: (path: string) => Promise<number | undefined>;
};

export type Body = {
  readonly repository: Repository;
  readonly store: GoalStore;
  readonly goals: () => Promise<readonly SeenGoal[]>;
};

/** A patient with a repository. */
export type WholePatient = Patient & {readonly body: Body};

/** A goal, and its state or why that can't be read. */
export type SeenGoal = {readonly id: string; readonly tip: string; readonly view: GoalView | Failure};

/** Returns what there is to look at. What can't be opened is a finding later, not an exception now. */
export async function openPatient(
  found: Pick<Patient, 'world' | 'cwd' | 'nodeVersion' | 'signal'> & {
    readonly repository: {readonly repository: Repository; readonly store: GoalStore} | Failure;
  },
): Promise<Patient> {
  const {repository: place, ...rest} = found;
  const top = isFailure(place) ? undefined : place.repository.top;
  return {
    ...rest,
    config: await orFailure(readConfig(rest.world.env, top)),
    body: isFailure(place) ? place : {...place, goals: once(() => readGoals(place.store))},
    freeBytes,
  };
}

/** Returns those of the goals whose state can be read. */
export async function readableGoals(body: Body): Promise<readonly GoalView[]> {
  return (await body.goals()).flatMap(({view}) => (isFailure(view) ? [] : [view]));
}

async function readGoals(store: GoalStore): Promise<readonly SeenGoal[]> {
  const tips = [...(await store.tips())];
  return Promise.all(tips.map(async ([id, tip]) => ({id, tip, view: await orFailure(viewGoal(store, id, tip))})));
}

async function orFailure<T>(promise: Promise<T>): Promise<T | Failure> {
  try {
    return await promise;
  } catch (error) {
    if (isFailure(error)) return error;
    throw error;
  }
}

async function freeBytes(path: string): Promise<number | undefined> {
  const {bavail, blocks, bsize} = await statfs(path);
  // Some network disks tell nothing and say that they have no blocks at all.
  return blocks > 0 ? bavail * bsize : undefined;
}

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => {
    made ??= make();
    return made;
  };
}
