// Git's hooks in a repository: first a plan, then the plan is applied. Scripts of other people keep their bytes and mode
// but for our lines; folders that are shared with a project's other users or with other repositories (core.hooksPath, as
// husky sets it) are not touched, and nobody's core.hooksPath is ever set. There the plan says which line to add by hand.
import {chmod, lstat, mkdir, open, readFile, realpath, rename, rm} from 'node:fs/promises';
import {basename, dirname, join, relative, resolve} from 'node:path';
import {Failure} from '../failure.ts';
import {hooksFolder} from '../git/config.ts';
import type {Repository} from '../git/repository.ts';
import {
  callsLoopx,
  type HookName,
  hookNames,
  insertBlock,
  isOwnHook,
  isShellScript,
  lineByHand,
  newHook,
} from './git-hook-block.ts';
import {removeBlock} from './marked-block.ts';

export type HookStep = {readonly hook: HookName; readonly file: string} & (
  | {readonly kind: 'create'; readonly after: string}
  | {readonly kind: 'change'; readonly before: string; readonly after: string}
  | {readonly kind: 'remove'; readonly before: string}
  | {readonly kind: 'present'}
  | {readonly kind: 'by-hand'; readonly because: string; readonly line: string}
);

/** What has to be done so that git's hooks call loopx, or no longer do: one step a hook. */
export type HooksPlan = {readonly folder: string; readonly steps: readonly HookStep[]};

const modeBits = 0o7777;

/** Plans what is missing so that each hook calls loopx. */
export async function planHooks(repository: Repository): Promise<HooksPlan> {
  const {folder, shared} = await findFolder(repository);
  const steps = hookNames.map(async (hook): Promise<HookStep> => {
    const file = join(folder, hook);
    const byHand = (because: string): HookStep => ({kind: 'by-hand', hook, file, because, line: lineByHand(hook)});
    const found = await look(file);
    if (
      found &&
      callsLoopx(found.script, hook) &&
      found.isRun &&
      (shared || removeBlock(found.script) === found.script)
    ) {
      return {kind: 'present', hook, file};
    }

    if (shared) return byHand(shared);
    if (!found) return {kind: 'create', hook, file, after: newHook(hook)};
    if (found.isLink) return byHand('it is a symbolic link, and what it points to may belong to others');
    if (!found.isRun) return byHand('it is not executable, so that git does not run it');
    if (!isShellScript(found.script)) return byHand('it is no shell script');
    const after = insertBlock(found.script, hook);
    if (after === found.script) return {kind: 'present', hook, file};
    return {kind: 'change', hook, file, before: found.script, after};
  });
  return {folder, steps: await Promise.all(steps)};
}

/** Plans what has to go so that no hook calls loopx; lines that a person put in are named. */
export async function planHookRemoval(repository: Repository): Promise<HooksPlan> {
  const {folder} = await findFolder(repository);
  // Somebody may have set core.hooksPath since.
  const folders = [...new Set([folder, join(repository.commonDir, 'hooks')])];
  const places = folders.flatMap(folder => hookNames.map(hook => ({hook, file: join(folder, hook)})));
  const steps = places.map(async ({hook, file}): Promise<readonly HookStep[]> => {
    const found = await look(file);
    if (!found || found.isLink) return [];
    const after = removeBlock(found.script);
    if (isOwnHook(found.script)) return [{kind: 'remove', hook, file, before: found.script}];
    if (after !== found.script) return [{kind: 'change', hook, file, before: found.script, after}];
    if (!callsLoopx(found.script, hook)) return [];
    return [{kind: 'by-hand', hook, file, because: 'a person put the line in', line: lineByHand(hook)}];
  });
  return {folder, steps: (await Promise.all(steps)).flat()};
}

/**
 * Does what the plan says; steps that are done, or are a person's, are passed over.
 *
 * @throws {Failure} `io-failed` where a file is no longer as it was planned, or can't be written.
 */
export async function applyHooks({steps}: HooksPlan): Promise<void> {
  for (const step of steps) {
    if (step.kind === 'present' || step.kind === 'by-hand') continue;
    try {
      await applyStep(step);
    } catch (error) {
      if (error instanceof Failure) throw error;
      throw new Failure('io-failed', `The hook ${step.file} can't be written: ${(error as Error).message}`, {
        cause: error,
      });
    }
  }
}

async function applyStep(step: Extract<HookStep, {kind: 'create' | 'change' | 'remove'}>): Promise<void> {
  const {file} = step;
  const found = await look(file);
  if (found?.script !== (step.kind === 'create' ? undefined : step.before)) {
    throw new Failure('io-failed', `The hook ${file} was changed by somebody else meanwhile.`, {hint: 'Try again.'});
  }

  if (step.kind === 'remove') return rm(file);
  await mkdir(dirname(file), {recursive: true});
  // Not in place: a shell may be reading the script just now.
  const draft = `${file}.loopx`;
  await rm(draft, {force: true});
  const handle = await open(draft, 'wx', 0o700);
  try {
    await handle.writeFile(Buffer.from(step.after, 'latin1'));
  } finally {
    await handle.close();
  }

  await chmod(draft, found?.mode ?? 0o755);
  await rename(draft, file);
}

async function look(
  file: string,
): Promise<{script: string; mode: number; isRun: boolean; isLink: boolean} | undefined> {
  try {
    const stats = await lstat(file);
    const script = (await readFile(file)).toString('latin1');
    const isLink = stats.isSymbolicLink();
    return {script, mode: stats.mode & modeBits, isRun: isLink || (stats.mode & 0o111) !== 0, isLink};
  } catch (error) {
    // A link to nowhere is something that we must not write over.
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    const dangling = await lstat(file).catch(() => undefined);
    return dangling && {script: '', mode: dangling.mode & modeBits, isRun: true, isLink: true};
  }
}

/** Returns the folder that git runs hooks from, and why it isn't ours to change, if so. */
async function findFolder({git, commonDir}: Repository): Promise<{folder: string; shared: string | undefined}> {
  const folder = resolve(git.dir, await hooksFolder(git));
  const [real, common] = await Promise.all([realOf(folder), realOf(commonDir)]);
  if (isInside(real, common)) return {folder, shared: undefined};
  const top = await realOf(git.dir);
  const shared = isInside(real, top)
    ? 'its folder is part of the project, where others would find the change'
    : 'its folder lies outside of the repository, where other repositories use it too';
  return {folder, shared};
}

function isInside(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way !== '' && way !== '..' && !way.startsWith('../') && !way.startsWith('..\\');
}

// The folder itself may be missing, as `git init` with an empty template leaves it.
async function realOf(path: string): Promise<string> {
  return realpath(path).catch(async () =>
    join(await realpath(dirname(path)).catch(() => dirname(path)), basename(path)),
  );
}
