// Judges a round: from the agent's typed word, from what changed, and from the checks that loopx itself ran. Words in
// free text decide nothing.
import {allPassed, type CheckResult} from '../model/checks.ts';
import type {RoundError, RoundOutcome} from '../model/round.ts';
import type {AgentVerdict, ErrorClass} from './executor.ts';

export type RoundFacts = {
  readonly verdict: AgentVerdict;
  /** What the agent reported by `loopx round report` or by its result line; the last word counts. */
  readonly report: {readonly outcome: string; readonly summary: string} | undefined;
  /** How the todo stands in the state, after what the agent did to it. */
  readonly todoStatus: 'open' | 'blocked' | 'done' | 'dropped' | undefined;
  /** Whether code or state is not as the round found it. */
  readonly changed: boolean;
  /** Whether an open gate stops the todo already, so that it needs no other mark. */
  readonly gated: boolean;
  readonly commits: number;
  /** Results of the todo's own checks. */
  readonly checks: readonly CheckResult[];
};

export type Judgement = {
  readonly outcome: RoundOutcome;
  readonly summary: string;
  /** What becomes of the todo. */
  readonly todo: 'done' | 'reopen' | 'block' | 'keep';
  readonly verified: boolean;
  readonly error?: RoundError;
};

/** Says how a round ended. */
export function judgeRound(facts: RoundFacts): Judgement {
  const {verdict, report, todoStatus, changed, checks} = facts;
  const error = verdict.error;
  const summary =
    report?.summary ||
    said(verdict.lastMessage) ||
    (error ? error.message : changed ? 'Changed the code.' : 'Changed nothing.');
  const kept = (outcome: RoundOutcome, told = summary): Judgement => ({
    outcome,
    summary: told,
    todo: 'keep',
    verified: false,
    ...(error && {error: {class: error.class, message: error.message}}),
  });
  if (error?.class === 'interrupted') return kept('interrupted', report?.summary || 'Interrupted.');

  // An agent that closed its todo and then crashed has closed it all the same; the checks say whether rightly.
  const claimsDone = todoStatus === 'done' || (!error && report?.outcome === 'done');
  const failed = checks.filter(check => check.outcome === 'fail' || check.outcome === 'timeout');
  if (claimsDone && failed.length > 0) {
    return {
      ...kept(changed ? 'progress' : 'failed', `${sentence(summary)} But ${failed.map(failureText).join(', and ')}.`),
      todo: todoStatus === 'done' ? 'reopen' : 'keep',
    };
  }

  if (claimsDone) return {...kept('done'), todo: 'done', verified: allPassed(checks)};
  if (error) return kept('failed', error.message);
  if (report?.outcome === 'blocked')
    return {...kept('blocked'), todo: todoStatus === 'open' && !facts.gated ? 'block' : 'keep'};
  if (todoStatus === 'blocked') return kept('blocked');
  if (report?.outcome === 'failed') return kept('failed');
  return kept(changed ? 'progress' : 'no-change');
}

/** How long to leave an agent alone after an error of its service, in milliseconds; undefined: no such error. */
export function pauseAfter(
  error: {class: ErrorClass; resetAtMs?: number} | undefined,
  nowMs: number,
): number | undefined {
  if (!error) return undefined;
  // A reset that has just passed needs a margin, never a day.
  if (error.resetAtMs !== undefined) return Math.max(error.resetAtMs - nowMs, 0) + 60_000;
  return pauses[error.class];
}

const pauses: Partial<Record<ErrorClass, number>> = {
  'rate-limit': 5 * 60_000,
  'usage-limit': 30 * 60_000,
  overloaded: 2 * 60_000,
  network: 60_000,
};

/**
 * Says whether only a person can mend what is wrong, so that another round would fail alike: its login, its permissions,
 * or whatever keeps the agent from reaching a model at all without being told to wait.
 */
export function needsPerson(report: {
  readonly outcome: RoundOutcome;
  readonly billed: boolean;
  readonly error?: {readonly class: string} | undefined;
}): boolean {
  const {outcome, billed, error} = report;
  if (error?.class === 'auth' || error?.class === 'permission') return true;
  return outcome === 'failed' && !billed && pauses[(error?.class ?? 'unknown') as ErrorClass] === undefined;
}

function sentence(text: string): string {
  return /[.!?…]$/.test(text) ? text : `${text}.`;
}

/** Returns why a check did not pass, with the last line that it printed: the next round starts from it. */
export function failureText({name, outcome, status, tail}: CheckResult): string {
  const last = tail?.trim().split('\n').at(-1)?.trim() ?? '';
  const how = outcome === 'timeout' ? 'took too long' : `failed${status === undefined ? '' : ` with ${status}`}`;
  return `the check ${name} ${how}${last === '' ? '' : `: ${[...last].slice(0, 200).join('')}`}`;
}

function said(message: string): string {
  const line =
    message
      .split('\n')
      .map(text => text.trim())
      .filter(text => text !== '' && !text.startsWith('{'))
      .at(-1) ?? '';
  return line.length <= 300 ? line : `${[...line].slice(0, 299).join('')}…`;
}
