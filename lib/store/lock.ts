// A short advisory lock among the writers of this machine. It only keeps them from colliding: truth is the ref, so a
// lock that can't be had, or that a dead process left, costs time and nothing else.
import {mkdir, open, rm, stat} from 'node:fs/promises';
import {dirname} from 'node:path';
import type {World} from '../world.ts';

const waitMsMax = 8000;
/** Many times what a writer needs; a lock that is older was left by a dead one, and whoever comes next waits so long. */
const staleMs = 1000;

/** Runs `work` while holding the lock file, or without it where it can't be had in time. */
export async function withLock<T>(file: string, world: World, work: () => Promise<T>): Promise<T> {
  const held = await take(file, world);
  try {
    return await work();
  } finally {
    if (held) await rm(file, {force: true});
  }
}

async function take(file: string, world: World): Promise<boolean> {
  const startMs = world.now();
  for (let pauses = 0; world.now() - startMs < waitMsMax && pauses < 2000; pauses += 1) {
    try {
      const handle = await open(file, 'wx');
      await handle.writeFile(`${world.pid} ${world.machine}\n`);
      await handle.close();
      return true;
    } catch (error) {
      const {code} = error as NodeJS.ErrnoException;
      if (code === 'ENOENT') {
        const made = await mkdir(dirname(file), {recursive: true}).then(
          () => true,
          () => false,
        );
        if (!made) return false;
      } else if (code !== 'EEXIST') return false;
    }

    await removeStale(file, world);
    await world.sleep(4 + world.random() * 16);
  }

  return false;
}

// Two who both find it stale may both remove it, and one the other's new one: then they collide at the ref, no worse.
async function removeStale(file: string, world: World): Promise<void> {
  const info = await stat(file).catch(() => undefined);
  if (info && world.now() - info.mtimeMs > staleMs) await rm(file, {force: true});
}
