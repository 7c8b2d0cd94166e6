// What a goal's history takes on disk: counted once, then only what is new.
import {mkdir, readFile, rename, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import type {Repository} from '../git/repository.ts';

type Counted = {readonly tip: string; readonly bytes: number};

/** Returns the bytes on disk of all objects of a goal; 0 where this git can't count them. */
export async function goalSize(
  {git, commonDir}: Repository,
  goal: {readonly id: string; readonly tip: string},
): Promise<number> {
  const file = join(commonDir, 'loopx', 'sizes', goal.id);
  const known = await readCounted(file);
  if (known?.tip === goal.tip) return known.bytes;
  const count = async (...range: readonly string[]) => {
    const result = await git.run(['rev-list', '--disk-usage', '--objects', ...range]);
    return result.status === 0 ? Number(result.stdout.toString().trim()) || 0 : undefined;
  };
  const since = known ? await count(goal.tip, `^${known.tip}`) : undefined;
  const bytes = since === undefined ? await count(goal.tip) : known!.bytes + since;
  if (bytes === undefined) return 0;
  await keep(file, {tip: goal.tip, bytes}).catch(() => {});
  return bytes;
}

async function readCounted(file: string): Promise<Counted | undefined> {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as Counted;
  } catch {
    return undefined;
  }
}

async function keep(file: string, counted: Counted): Promise<void> {
  await mkdir(join(file, '..'), {recursive: true});
  await writeFile(`${file}.new`, JSON.stringify(counted));
  await rename(`${file}.new`, file);
}
