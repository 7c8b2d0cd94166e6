// What may still be spent. Spend is kept in sums by UTC hour, so a window is exact to the hour and errs on the careful
// side: an hour counts as long as any of it lies in the window, and one that a wrong clock put into the future counts
// now. Running rounds have reserved what they may cost; a reservation ends with its round, or with its round's lease.
import type {Budget, Goal, Grant, LiveRound, ShortRound, Spend} from '../model/goal.ts';
import {isoTime} from './schedule.ts';

export type Measure = keyof Spend;

export const measures: readonly Measure[] = ['rounds', 'seconds', 'tokens', 'microUsd'];

/** One month's file: what each agent spent in each hour, by `2026-11-30T05 claude@mbp`. */
export type SpendMonth = Readonly<Record<string, Spend>>;

/** One limit, and where the goal stands. */
export type BudgetLine = {
  readonly measure: Measure;
  /** The length of the rolling window; null means the goal's whole life. */
  readonly hours: number | null;
  /** With what was granted. */
  readonly limit: number;
  readonly spent: number;
  readonly reserved: number;
  readonly left: number;
  /** Spent and reserved as a share of the limit; 1 and above is exhausted. */
  readonly used: number;
  readonly exhausted: boolean;
  /** When an exhausted limit has room again if nothing else is spent; null when only a grant makes room. */
  readonly freesAt: string | null;
};

export type BudgetView = {
  readonly lines: readonly BudgetLine[];
  /** Of the limits that are exhausted, the one that stands in the way longest. */
  readonly exhausted: BudgetLine | null;
};

/** Returns where a goal stands with each of its limits. */
export function viewBudget(goal: Goal, months: readonly SpendMonth[], nowMs: number): BudgetView {
  const lines = (goal.policy.budgets ?? []).flatMap(budget =>
    measures
      .filter(measure => budget[measure] !== undefined)
      .map(measure => line(goal, months, nowMs, budget, measure)),
  );
  const exhausted = lines.filter(({exhausted}) => exhausted).sort((a, b) => freesMs(b) - freesMs(a));
  return {lines, exhausted: exhausted[0] ?? null};
}

/** Returns what a round is expected to cost: one round, and the mean of the last five that were billed. */
export function reserveFor(rounds: readonly ShortRound[]): Spend {
  const billed = rounds.filter(round => round.billed).slice(-5);
  const mean = (measure: 'seconds' | 'tokens' | 'microUsd') =>
    Math.ceil(billed.reduce((sum, round) => sum + round[measure], 0) / Math.max(billed.length, 1));
  return {rounds: 1, seconds: mean('seconds'), tokens: mean('tokens'), microUsd: mean('microUsd')};
}

type Share = {readonly amount: number; readonly leavesMs: number};

function line(goal: Goal, months: readonly SpendMonth[], nowMs: number, budget: Budget, measure: Measure): BudgetLine {
  const spending: readonly Share[] =
    budget.hours === undefined
      ? [{amount: goal.totals[measure], leavesMs: Number.POSITIVE_INFINITY}]
      : windowShares(months, measure, budget.hours, nowMs);
  const reserving = reservedShares(goal.live, measure, nowMs);
  const limit = (budget[measure] ?? 0) + granted(goal.grants, measure, nowMs);
  const [spent, reserved] = [sum(spending), sum(reserving)];
  const exhausted = spent + reserved >= limit;
  return {
    measure,
    hours: budget.hours ?? null,
    ...{limit, spent, reserved},
    left: Math.max(0, limit - spent - reserved),
    used: limit > 0 ? (spent + reserved) / limit : 1,
    exhausted,
    freesAt: exhausted ? freesAt([...spending, ...reserving], limit) : null,
  };
}

function windowShares(months: readonly SpendMonth[], measure: Measure, hours: number, nowMs: number): readonly Share[] {
  return months
    .flatMap(month => Object.entries(month))
    .map(([key, spend]) => ({amount: spend[measure], leavesMs: hourEndMs(key) + hours * 3_600_000}))
    .filter(({leavesMs}) => leavesMs > nowMs);
}

// An hour that can't be read counts for ever: a limit never opens because a record is odd.
function hourEndMs(key: string): number {
  const startMs = Date.parse(`${key.slice(0, 13)}:00:00Z`);
  return Number.isNaN(startMs) ? Number.POSITIVE_INFINITY : startMs + 3_600_000;
}

function reservedShares(live: readonly LiveRound[], measure: Measure, nowMs: number): readonly Share[] {
  return live
    .map(({reserve, until}) => ({amount: reserve[measure] ?? 0, leavesMs: Date.parse(until)}))
    .filter(({leavesMs}) => leavesMs > nowMs);
}

function granted(grants: readonly Grant[], measure: Measure, nowMs: number): number {
  return grants
    .filter(({until}) => until === undefined || Date.parse(until) > nowMs)
    .reduce((total, grant) => total + (grant[measure] ?? 0), 0);
}

function freesAt(shares: readonly Share[], limit: number): string | null {
  let used = sum(shares);
  for (const {amount, leavesMs} of [...shares].sort((a, b) => a.leavesMs - b.leavesMs)) {
    used -= amount;
    if (used < limit) return isoTime(leavesMs) ?? null;
  }

  return null;
}

function freesMs({freesAt}: BudgetLine): number {
  return freesAt === null ? Number.POSITIVE_INFINITY : Date.parse(freesAt);
}

function sum(shares: readonly Share[]): number {
  return shares.reduce((total, {amount}) => total + amount, 0);
}
