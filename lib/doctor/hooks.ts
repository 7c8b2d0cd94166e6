// Whether git's hooks reach loopx. That their files are there proves nothing: git may look elsewhere, or not be allowed
// to run them. So post-commit is run as git runs it, and the spool must have heard of it. Of a script of somebody else
// only our lines are run: nobody knows what the rest does. The probe leaves a line that says nothing: it names no commit.
import {existsSync} from 'node:fs';
import {readFile} from 'node:fs/promises';
import {basename, dirname, join, relative} from 'node:path';
import {cleanEnv} from '../git/command.ts';
import {isConnected} from '../hosts/connect.ts';
import {callsLoopx, isOwnHook} from '../hosts/git-hook-block.ts';
import {type HookStep, planHooks} from '../hosts/git-hooks.ts';
import {hookBodyFile} from '../hosts/hook-body.ts';
import {bad, good, type Sign, warn} from './finding.ts';
import type {WholePatient} from './patient.ts';
import {runProgram} from './programs.ts';
import {shellWord} from './shell-word.ts';

type ByHand = Extract<HookStep, {kind: 'by-hand'}>;

const probedHook = 'post-commit';
const answerMs = 3000;

export async function examineHooks(patient: WholePatient): Promise<readonly Sign[]> {
  const {repository} = patient.body;
  // That is a finding of its own, with the same mend.
  if (!(await isConnected(repository))) return [];
  const {steps, folder} = await planHooks(repository);
  const missing = steps.filter(step => step.kind === 'create' || step.kind === 'change').map(step => step.hook);
  const signs = missing.length > 0 ? [warn(`Hooks are missing or old: ${missing.join(', ')}.`, 'loopx connect')] : [];
  const byHand: ByHand[] = [];
  for (const step of steps) if (step.kind === 'by-hand' && !(await calledByHusky(step))) byHand.push(step);
  for (const because of new Set(byHand.map(step => step.because))) {
    const [first, ...others] = byHand.filter(step => step.because === because);
    signs.push(byHandSign(first!, others, await isInVain(repository.commonDir, folder)));
  }

  const probed = steps.find(step => step.hook === probedHook);
  if (!probed || missing.includes(probedHook) || byHand.some(step => step.hook === probedHook)) return signs;
  const file = probed.kind === 'by-hand' ? huskyFile(probed) : probed.file;
  return [await probe(file, patient), ...signs];
}

function byHandSign(first: ByHand, others: readonly ByHand[], inVain: boolean): Sign {
  const names = [first, ...others].map(step => step.hook).join(', ');
  const likewise = others.map(step => step.hook).join(', ');
  return warn(
    `Hooks are ${inVain ? 'installed but not running' : 'not installed'}: ${names} in ${dirname(first.file)}, since ${first.because}.`,
    `Add this line to ${first.file}: ${first.line}${likewise && ` # likewise, with their names: ${likewise}`}`,
  );
}

/** Says whether our hooks are where git would look if core.hooksPath didn't send it elsewhere. */
async function isInVain(commonDir: string, folder: string): Promise<boolean> {
  const usual = join(commonDir, 'hooks');
  const script = await readFile(join(usual, probedHook), 'latin1').catch(() => '');
  return relative(usual, folder) !== '' && callsLoopx(script, probedHook);
}

// Husky points core.hooksPath to a folder `_` that it makes itself, whose hooks call those of the folder around it.
async function calledByHusky(step: ByHand): Promise<boolean> {
  if (basename(dirname(step.file)) !== '_') return false;
  const script = await readFile(huskyFile(step), 'latin1').catch(() => '');
  return callsLoopx(script, step.hook) && existsSync(step.file);
}

function huskyFile(step: ByHand): string {
  return join(dirname(dirname(step.file)), step.hook);
}

async function probe(file: string, patient: WholePatient): Promise<Sign> {
  const {world, signal, body} = patient;
  const {top, gitDir, commonDir} = body.repository;
  const script = await readFile(file, 'latin1');
  const spool = join(commonDir, 'loopx', 'spool');
  const mark = `probe-${world.pid}-${world.now()}-${Math.floor(world.random() * 1e9)}`;
  const isOwn = isOwnHook(script);
  const [program, args] = isOwn ? [file, []] : ['sh', ['-c', ourLines(script), file]];
  const {problem, status, errors, isLate} = await runProgram(program, args, {
    cwd: top ?? gitDir,
    // In a folder that isn't there the hook finds no HEAD: the line tells of no commit.
    env: {
      ...cleanEnv(world.env),
      ...(isOwn && {GIT_DIR: join(commonDir, 'loopx', 'no-repository')}),
      LOOPX_ROUND: mark,
    },
    limitMs: answerMs,
    signal,
  });
  const heard = await readFile(spool, 'utf8').catch(() => '');
  if (heard.includes(` ${mark} `)) return good('Commits are heard of: a probe of the hook post-commit has arrived.');
  const mend = existsSync(hookBodyFile(commonDir)) ? `See what hinders it: sh -x ${shellWord(file)}` : 'loopx connect';
  const said = errors.trim().split('\n')[0];
  const why = problem ?? (isLate ? 'it does not end' : said || (status ? `exit status ${status}` : 'it wrote nothing'));
  return bad(`The hook ${file} is installed, but a probe of it did not reach ${spool}: ${why}.`, mend);
}

/** Returns the lines of a script that call loopx, under another hook's name: readers of the spool pass that over. */
function ourLines(script: string): string {
  const lines = script.split('\n');
  const first = lines.findIndex(line => line.includes(`loopx_hook=${probedHook} `));
  const last = lines.findIndex((line, index) => index >= first && line.includes('"$loopx_dir/hook"'));
  return lines
    .slice(first, Math.max(first, last) + 1)
    .join('\n')
    .replace(`loopx_hook=${probedHook} `, 'loopx_hook=probe ');
}
