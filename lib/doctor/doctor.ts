// Looks at all that a long run depends on before it starts. Every examination is on its own: one that fails, or doesn't
// end, is a finding and hides no other.
import {setTimeout} from 'node:timers/promises';
import {Failure, isFailure} from '../failure.ts';
import {type Examination, examinations} from './examinations.ts';
import {bad, type Finding, type Sign, warn} from './finding.ts';
import type {Patient, WholePatient} from './patient.ts';

/** The longest that one examination may take. */
const usualLimitMs = 5000;

/**
 * Runs the examinations that can be run: all in a repository, else those of the machine.
 *
 * @returns All findings, in the order of the table; of equal ones the first.
 * @throws {Failure} `interrupted` where the patient's signal aborts.
 */
export async function examineAll(
  patient: Patient,
  options: {readonly table?: readonly Examination[]; readonly limitMs?: number} = {},
): Promise<readonly Finding[]> {
  const {table = examinations, limitMs = usualLimitMs} = options;
  const over = new AbortController();
  // They all begin now, so one timer does for all of them.
  const late = setTimeout(limitMs, undefined, {signal: over.signal}).catch(() => {});
  const found = table.map(async examination => {
    const {name} = examination;
    const tooLate = late.then(() => [warn(`The examination of ${name} did not end within ${limitMs / 1000} s.`)]);
    const signs = await Promise.race([examineOne(examination, patient), tooLate]);
    return signs.map(sign => ({name, ...sign}));
  });
  try {
    const all = (await Promise.race([Promise.all(found), interrupted(patient.signal, over.signal)])).flat();
    // What stops several examinations for one cause is told once.
    return all.filter(({message}, index) => all.findIndex(other => other.message === message) === index);
  } finally {
    over.abort();
  }
}

async function examineOne(examination: Examination, patient: Patient): Promise<readonly Sign[]> {
  try {
    if (examination.of === 'machine') return await examination.examine(patient);
    return isWhole(patient) ? await examination.examine(patient) : [];
  } catch (error) {
    return [signOf(examination.name, error)];
  }
}

function isWhole(patient: Patient): patient is WholePatient {
  return !isFailure(patient.body);
}

function interrupted(signal: AbortSignal, over: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const stop = () => reject(new Failure('interrupted', 'Interrupted.'));
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, {once: true, signal: over});
  });
}

function signOf(name: string, error: unknown): Sign {
  if (isFailure(error)) return bad(error.message, error.hint);
  return bad(`The examination of ${name} failed: ${error instanceof Error ? error.message : String(error)}.`);
}
