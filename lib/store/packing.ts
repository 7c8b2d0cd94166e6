// An event adds a handful of loose objects, so that ten thousand of them would take hundreds of megabytes where twenty
// would do. What loopx wrote is therefore packed when there is enough of it and loopx has nothing better to do: at the
// end of a run or a sync, in the foreground, and never in a hook.
import {mkdir, open, readFile, rename, rm, stat, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {notesRef} from '../git/notes.ts';
import {isPartial, packBelow} from '../git/pack.ts';
import {listRefs} from '../git/refs.ts';
import type {Repository} from '../git/repository.ts';
import type {World} from '../world.ts';
import type {GoalStore} from './goal-store.ts';
import {viewGoal} from './view.ts';

export type Packing = 'not-due' | 'elsewhere' | 'partial-clone' | 'packed' | 'unfinished';

/** Some 2,000 to 5,000 objects. */
const dueEvents = 500;
const limitMs = 8000;
/** Whoever held the lock so long ago is gone. */
const staleMs = 60_000;

/**
 * Packs what loopx wrote, where many events were added since that was last done.
 *
 * @param options.dueEvents - How many events are many.
 * @throws {Failure} `git-failed` where git could not; nothing is lost then.
 */
export async function packWhenDue(
  repository: Repository,
  store: GoalStore,
  world: Pick<World, 'now'>,
  options: {readonly signal?: AbortSignal; readonly dueEvents?: number} = {},
): Promise<Packing> {
  const folder = join(repository.commonDir, 'loopx');
  const events = await countEvents(store);
  const before = await readPacked(join(folder, 'packed'));
  // Fewer than there were: a goal was deleted.
  if (events >= before && events - before < (options.dueEvents ?? dueEvents)) return 'not-due';
  if (await isPartial(repository.git)) return 'partial-clone';
  const lock = join(folder, 'locks', 'packing');
  if (!(await take(lock, world))) return 'elsewhere';
  try {
    const notes = (await listRefs(repository.git, notesRef)).get(notesRef);
    const tips = [...(await store.tips()).values(), ...(notes === undefined ? [] : [notes])];
    const {signal} = options;
    if (!(await packBelow(repository, tips, {limitMs, ...(signal && {signal})}))) return 'unfinished';
    await writeFile(join(folder, 'packed.new'), `${events}\n`);
    await rename(join(folder, 'packed.new'), join(folder, 'packed'));
    return 'packed';
  } finally {
    await rm(lock, {force: true});
  }
}

// A goal that can't be read is told of elsewhere.
async function countEvents(store: GoalStore): Promise<number> {
  const counts = [...(await store.tips())].map(async ([id, tip]) => {
    const view = await viewGoal(store, id, tip).catch(() => undefined);
    return view?.goal.totals.events ?? 0;
  });
  return (await Promise.all(counts)).reduce((sum, count) => sum + count, 0);
}

async function readPacked(file: string): Promise<number> {
  return Number(await readFile(file, 'utf8').catch(() => '0')) || 0;
}

async function take(file: string, world: Pick<World, 'now'>): Promise<boolean> {
  const held = await stat(file).catch(() => undefined);
  if (held && Math.abs(world.now() - held.mtimeMs) < staleMs) return false;
  await rm(file, {force: true});
  await mkdir(join(file, '..'), {recursive: true});
  try {
    await (await open(file, 'wx')).close();
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}
