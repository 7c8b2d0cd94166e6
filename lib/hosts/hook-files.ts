// Reading and writing the files of hooks. A file is written beside its place and moved there, since a shell may be
// reading the script just now; and only over what was there when the plan was made.
import {chmod, lstat, mkdir, open, readFile, rename, rm} from 'node:fs/promises';
import {dirname} from 'node:path';
import {Failure} from '../failure.ts';
import type {FileStep, HooksPlan} from './hook-step.ts';

export type FoundFile = {
  readonly script: string;
  readonly mode: number;
  readonly isRun: boolean;
  readonly isLink: boolean;
};

const modeBits = 0o7777;

/**
 * Does what the plan says about files; steps that are done, or are a person's, are passed over.
 *
 * @throws {Failure} `io-failed` where a file is no longer as it was planned, or can't be written.
 */
export async function applyHooks({steps, files}: Pick<HooksPlan, 'steps' | 'files'>): Promise<void> {
  for (const step of [...steps, ...files]) {
    if (step.kind !== 'create' && step.kind !== 'change' && step.kind !== 'remove') continue;
    try {
      await applyStep(step);
    } catch (error) {
      if (error instanceof Failure) throw error;
      throw new Failure('io-failed', `${step.file} can't be written: ${(error as Error).message}`, {cause: error});
    }
  }
}

/** Returns what is in a hook's place; undefined where nothing is. */
export async function lookAt(file: string): Promise<FoundFile | undefined> {
  try {
    const stats = await lstat(file);
    const script = (await readFile(file)).toString('latin1');
    const isLink = stats.isSymbolicLink();
    return {script, mode: stats.mode & modeBits, isRun: isLink || (stats.mode & 0o111) !== 0, isLink};
  } catch (error) {
    // A link to nowhere is something that we must not write over.
    const {code} = error as NodeJS.ErrnoException;
    // `core.hooksPath=/dev/null` is how people switch hooks off: a folder that is none holds no hook.
    if (code === 'ENOTDIR') return undefined;
    if (code !== 'ENOENT') throw error;
    const dangling = await lstat(file).catch(() => undefined);
    return dangling && {script: '', mode: dangling.mode & modeBits, isRun: true, isLink: true};
  }
}

async function applyStep(step: FileStep): Promise<void> {
  const {file} = step;
  const found = await lookAt(file);
  if (found?.script !== (step.kind === 'create' ? undefined : step.before)) {
    throw new Failure('io-failed', `${file} was changed by somebody else meanwhile.`, {hint: 'Try again.'});
  }

  if (step.kind === 'remove') return rm(file);
  await mkdir(dirname(file), {recursive: true});
  const draft = `${file}.loopx`;
  await rm(draft, {force: true});
  const handle = await open(draft, 'wx', 0o700);
  try {
    await handle.writeFile(Buffer.from(step.after, 'latin1'));
  } finally {
    await handle.close();
  }

  await chmod(draft, found?.mode ?? (step.kind === 'create' ? step.newMode : undefined) ?? 0o755);
  await rename(draft, file);
}
