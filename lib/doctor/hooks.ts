// Whether git's hooks reach loopx, in every worktree. That their files are there proves nothing: git may look elsewhere,
// or not be allowed to run them, and another program may have made them anew. So a probe goes through post-commit.
import {existsSync} from 'node:fs';
import {readFile} from 'node:fs/promises';
import {dirname, join, relative} from 'node:path';
import {isFailure} from '../failure.ts';
import {worktreeTops} from '../git/hooks.ts';
import {openRepository, type Repository} from '../git/repository.ts';
import {isConnected} from '../hosts/connect.ts';
import {callsLoopx} from '../hosts/git-hook-block.ts';
import {planHooks} from '../hosts/git-hooks.ts';
import {hookBodyFile} from '../hosts/hook-body.ts';
import type {ByHand, HookStep, HooksPlan} from '../hosts/hook-step.ts';
import {bad, good, type Sign, warn} from './finding.ts';
import {probedHook, probeHook} from './hook-probe.ts';
import type {WholePatient} from './patient.ts';
import {shellWord} from './shell-word.ts';

type ByHandStep = Extract<HookStep, {kind: 'by-hand'}>;

/** More worktrees than these are not gone into. */
const worktreesMax = 16;

export async function examineHooks(patient: WholePatient): Promise<readonly Sign[]> {
  const {repository} = patient.body;
  // That is a finding of its own, with the same mend.
  if (!(await isConnected(repository))) return [];
  const plan = await planHooks(repository);
  const signs = await planSigns(plan, repository);
  const proofs = await prove(plan, repository, patient);
  const others = (await worktreeTops(repository)).filter(top => top !== repository.top).slice(0, worktreesMax);
  const elsewhere = await Promise.all(others.map(top => examineWorktree(top, patient)));
  const mine = proofs.length > 0 && proofs.every(({state}) => state === 'good');
  const away = elsewhere.flat();
  if (mine && others.length > 0 && away.length === 0) {
    const worktrees = `${others.length + 1} worktrees`;
    return [good(`Commits are heard of: probes of the hook ${probedHook} have arrived from ${worktrees}.`), ...signs];
  }

  return [...proofs, ...signs, ...away];
}

async function planSigns(
  {steps, files, settings, advice, folder}: HooksPlan,
  {commonDir}: Repository,
): Promise<readonly Sign[]> {
  const missing = steps.filter(({kind}) => kind === 'create' || kind === 'change').map(({hook}) => hook);
  const listed = steps.filter(({kind}) => kind === 'registered').map(({hook}) => hook);
  const isUnlisted = settings.length > 0 || files.some(({kind}) => kind !== 'remove');
  const names = [...missing, ...(isUnlisted ? listed : [])];
  const signs = names.length > 0 ? [warn(`Hooks are missing or old: ${names.join(', ')}.`, 'loopx connect')] : [];
  const byHand = steps.filter(step => step.kind === 'by-hand');
  const inVain = byHand.length > 0 && (await isInVain(commonDir, folder));
  for (const because of new Set(byHand.map(step => step.because))) {
    const [first, ...others] = byHand.filter(step => step.because === because);
    signs.push(byHandSign(first!, others, inVain));
  }

  return [...signs, ...advice.map(adviceSign)];
}

/** Returns what a probe says; nothing where the plan says already that it can't arrive. */
async function prove(plan: HooksPlan, repository: Repository, patient: WholePatient): Promise<readonly Sign[]> {
  const step = plan.steps.find(({hook}) => hook === probedHook);
  if (!step || (step.kind !== 'present' && step.kind !== 'registered')) return [];
  const isMissing = step.kind === 'registered' && (plan.settings.length > 0 || plan.files.length > 0);
  if (isMissing) return [];
  const {commonDir} = repository;
  const why = await probeHook(step, plan.folder, {...patient, repository});
  if (why === undefined) return [good(`Commits are heard of: a probe of the hook ${probedHook} has arrived.`)];
  const isBodyThere = existsSync(hookBodyFile(commonDir));
  const mend = isBodyThere ? `See what hinders it: sh -x ${shellWord(step.file)}` : 'loopx connect';
  const spool = join(commonDir, 'loopx', 'spool');
  return [bad(`The hook ${step.file} is installed, but a probe of it did not reach ${spool}: ${why}.`, mend)];
}

/** Returns what keeps another worktree's commits from being heard of; nothing where a probe arrives. */
async function examineWorktree(top: string, patient: WholePatient): Promise<readonly Sign[]> {
  try {
    const repository = await openRepository(top, patient.world.env);
    const plan = await planHooks(repository);
    const proofs = await prove(plan, repository, patient);
    if (proofs.some(({state}) => state === 'good')) return [];
    if (proofs.length > 0) return proofs;
    const step = plan.steps.find(({hook}) => hook === probedHook);
    const mend =
      step?.kind === 'by-hand'
        ? `Add this line to ${step.file}: ${step.line}`
        : `loopx connect --project ${shellWord(top)}`;
    return [warn(`Commits in the worktree ${top} are not heard of: git runs no hook of loopx there.`, mend)];
  } catch (error) {
    if (!isFailure(error)) throw error;
    return [warn(`The worktree ${top} can't be looked at: ${error.message}`)];
  }
}

function byHandSign(first: ByHandStep, others: readonly ByHandStep[], inVain: boolean): Sign {
  const names = [first, ...others].map(step => step.hook).join(', ');
  const likewise = others.map(step => step.hook).join(', ');
  return warn(
    `Hooks are ${inVain ? 'installed but not running' : 'not installed'}: ${names} in ${dirname(first.file)}, since ${first.because}.`,
    `Add this line to ${first.file}: ${first.line}${likewise && ` # likewise, with their names: ${likewise}`}`,
  );
}

function adviceSign({file, because, line}: ByHand): Sign {
  return warn(`Our hooks won't last, since ${because}.`, `Add this to ${file}: ${line}`);
}

/** Says whether our hooks are where git would look if core.hooksPath didn't send it elsewhere. */
async function isInVain(commonDir: string, folder: string): Promise<boolean> {
  const usual = join(commonDir, 'hooks');
  const script = await readFile(join(usual, probedHook), 'latin1').catch(() => '');
  return relative(usual, folder) !== '' && callsLoopx(script, probedHook);
}
