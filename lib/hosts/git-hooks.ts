// Git's hooks in a repository: first a plan, then the plan is applied. Scripts of other people keep their bytes and mode
// but for our lines. Folders that are shared with a project's other users or with other repositories (core.hooksPath, as
// husky sets it) and files that another program makes anew are not touched, and nobody's core.hooksPath is ever set.
// There git's own configuration names our hooks, where git knows of such; else the other program's list of what is the
// user's; and else the plan says which line to add by hand.
import {existsSync} from 'node:fs';
import {realpath} from 'node:fs/promises';
import {basename, dirname, join, relative, resolve} from 'node:path';
import {openGit} from '../git/command.ts';
import {type ConfigEntry, readConfig} from '../git/config.ts';
import {hooksFolder, knowsConfiguredHooks, worktreeTops} from '../git/hooks.ts';
import type {Repository} from '../git/repository.ts';
import {callsLoopx, type HookName, hookNames, insertBlock, isOwnHook, lineByHand, newHook} from './git-hook-block.ts';
import {lookAt} from './hook-files.ts';
import {calledFile, isLefthook, isPreCommit, obstacleOf, simpleGitHooksAdvice} from './hook-managers.ts';
import type {FileStep, HookStep, HooksPlan} from './hook-step.ts';
import {isListedByHand, lefthookLine, lefthookList, planLefthook, planLefthookRemoval} from './lefthook.ts';
import {removeBlock} from './marked-block.ts';

type Folder = {readonly folder: string; readonly shared: string | undefined};
type ByHandStep = Extract<HookStep, {kind: 'by-hand'}>;

/** Plans what is missing so that each hook calls loopx. */
export async function planHooks(repository: Repository): Promise<HooksPlan> {
  const place = await findFolder(repository);
  const inPlace = await Promise.all(hookNames.map(hook => planInPlace(repository, place, hook)));
  const refused = inPlace.filter(step => step.kind === 'by-hand');
  const listed = await planLists(repository, refused);
  const {folder, shared} = place;
  const {top} = repository;
  return {
    folder,
    steps: inPlace.map(step => listed.steps.find(({hook}) => hook === step.hook) ?? step),
    files: [...(await leftovers(folder)), ...listed.files],
    settings: listed.settings,
    advice: top === undefined || shared ? [] : await simpleGitHooksAdvice(top),
  };
}

/** Plans what has to go so that no hook calls loopx; lines that a person put in are named. Settings are not part of it. */
export async function planHookRemoval(repository: Repository): Promise<HooksPlan> {
  const {folder} = await findFolder(repository);
  // Somebody may have set core.hooksPath since.
  const folders = [...new Set([folder, join(repository.commonDir, 'hooks')])];
  const places = folders.flatMap(folder =>
    hookNames.flatMap(hook => ['', ...keptEnds].map(end => ({hook, file: join(folder, `${hook}${end}`)}))),
  );
  const steps = places.map(async ({hook, file}): Promise<readonly HookStep[]> => {
    const found = await lookAt(file);
    if (!found || found.isLink) return [];
    const after = removeBlock(found.script);
    if (isOwnHook(found.script)) return [{kind: 'remove', hook, file, before: found.script}];
    if (after !== found.script) return [{kind: 'change', hook, file, before: found.script, after}];
    if (!callsLoopx(found.script, hook)) return [];
    return [{kind: 'by-hand', hook, file, because: 'a person put the line in', line: lineByHand(hook)}];
  });
  const lists = await Promise.all((await worktreeTops(repository)).map(planLefthookRemoval));
  return {
    folder,
    steps: (await Promise.all(steps)).flat(),
    files: lists.filter(step => step !== undefined),
    settings: [],
    advice: [],
  };
}

/** Returns the name under which git's configuration has a hook of ours. */
export function configuredName(hook: HookName): string {
  return `loopx-${hook}`;
}

/** Under these ends of their names, pre-commit and lefthook keep what they found in their place. */
const keptEnds = ['.legacy', '.old'];

async function planInPlace({git, top}: Repository, {folder, shared}: Folder, hook: HookName): Promise<HookStep> {
  const file = calledFile(folder, hook);
  const found = await lookAt(file);
  // What husky calls need not be executable.
  const isRun = file === join(folder, hook) ? found?.isRun : existsSync(join(folder, hook));
  const isOurs = found !== undefined && callsLoopx(found.script, hook) && isRun === true;
  if (isOurs && (shared || removeBlock(found.script) === found.script)) return {kind: 'present', hook, file};
  if (shared) return {kind: 'by-hand', hook, file, because: shared, line: lineByHand(hook)};
  if (!found) return {kind: 'create', hook, file, after: newHook(hook)};
  const obstacle = obstacleOf(found, hook, top ?? git.dir);
  if (obstacle) return {kind: 'by-hand', hook, file, line: lineByHand(hook), ...obstacle};
  const kept = isPreCommit(found.script) && !isOurs ? await lookAt(`${file}.legacy`) : undefined;
  if (kept?.isRun && isOwnHook(kept.script)) return {kind: 'present', hook, file: `${file}.legacy`};
  const after = insertBlock(found.script, hook);
  if (after === found.script) return {kind: 'present', hook, file};
  return {kind: 'change', hook, file, before: found.script, after};
}

/** Plans lists of hooks for those that can't stand in their place. */
async function planLists(
  repository: Repository,
  refused: readonly ByHandStep[],
): Promise<Pick<HooksPlan, 'steps' | 'files' | 'settings'>> {
  if (refused.length === 0) return {steps: [], files: [], settings: []};
  const {git} = repository;
  if (await knowsConfiguredHooks(git)) {
    const config = await readConfig(git);
    const isMissing = ({key, value}: ConfigEntry) => !config.some(is => is.key === key && is.value === value);
    return {
      steps: refused.map(({hook, file}) => ({kind: 'registered', by: 'git', hook, file})),
      files: [],
      settings: refused.flatMap(({hook}) => hookSettings(hook)).filter(isMissing),
    };
  }

  const hooks: HookName[] = [];
  for (const {hook, file} of refused) if (isLefthook((await lookAt(file))?.script ?? '')) hooks.push(hook);
  const tops = hooks.length > 0 ? await worktreeTops(repository) : [];
  const plans = await Promise.all(tops.map(async top => planLefthook(openGit(top, git.env), top, hooks)));
  const here = repository.top === undefined ? undefined : {top: repository.top, plan: plans[0]};
  return {
    steps: here ? await Promise.all(hooks.map(hook => lefthookStep(here.top, hook, here.plan))) : [],
    files: plans.filter(plan => typeof plan === 'object'),
    settings: [],
  };
}

async function lefthookStep(top: string, hook: HookName, plan: FileStep | string | undefined): Promise<HookStep> {
  const file = lefthookList(top);
  if (typeof plan !== 'string' || (await isListedByHand(top, hook))) {
    return {kind: 'registered', by: 'lefthook', hook, file};
  }

  return {kind: 'by-hand', hook, file, because: `lefthook makes the hook anew, and ${plan}`, line: lefthookLine(hook)};
}

// Lefthook moves a hook of ours aside and never runs it again; where another is in its way, it stops working.
async function leftovers(folder: string): Promise<readonly FileStep[]> {
  const steps = hookNames.map(async (hook): Promise<readonly FileStep[]> => {
    const file = join(folder, `${hook}.old`);
    const found = await lookAt(file);
    return found && isOwnHook(found.script) ? [{kind: 'remove', file, before: found.script}] : [];
  });
  return (await Promise.all(steps)).flat();
}

function hookSettings(hook: HookName): readonly ConfigEntry[] {
  const section = `hook.${configuredName(hook)}`;
  return [
    // In this order, since git refuses to run an event whose hook has no command.
    {key: `${section}.command`, value: lineByHand(hook).replace(/ <\/dev\/null$/, '')},
    {key: `${section}.event`, value: hook},
  ];
}

/** Returns the folder that git runs hooks from, and why it isn't ours to change, if so. */
async function findFolder({git, commonDir}: Repository): Promise<Folder> {
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
