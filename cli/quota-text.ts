// What a goal may spend, and where it stands, for people and for programs.
import type {Goal} from '../lib/model/goal.ts';
import {type BudgetLine, type SpendMonth, viewBudget} from '../lib/policy/spend.ts';
import type {GoalView} from '../lib/store/view.ts';
import {windowLength} from './goal-text.ts';
import {fieldLines} from './layout.ts';
import {amount, duration, money, plural, when} from './print.ts';
import {type Document, printResult} from './result.ts';
import type {Session} from './session.ts';

/** Prints a goal's budgets with what is spent of each. */
export async function printQuota(session: Session, view: GoalView, lead: readonly string[] = []): Promise<void> {
  const {goal} = view;
  const nowMs = session.world.now();
  const {lines} = viewBudget(goal, await view.all<SpendMonth>('spend'), nowMs);
  const {compute = null, stallAfter = null, budgets = []} = goal.policy;
  const document: Document = {
    schema: 'loopx/quota@1',
    goal: goal.id,
    ...{compute, stallAfter, budgets, lines, grants: goal.grants},
  };
  printResult(session, document, () => [
    ...lead,
    ...(lines.length === 0
      ? ['No budget is set: rounds are not limited.', '  Set one: loopx quota set --rounds 20 --per 24h']
      : []),
    ...fieldLines(
      [
        ...lines.map(line => [windowText(line), lineText(line, nowMs)] as const),
        ...grantFields(goal, nowMs),
        ['compute', compute === null ? undefined : `${Math.round(compute * 100)}% of the time at the most`],
      ],
      session.stdout.columns,
    ),
  ]);
}

function windowText({hours}: BudgetLine): string {
  return hours === null ? 'in all' : `in ${windowLength(hours)}`;
}

function lineText({measure, limit, spent, reserved, exhausted, freesAt}: BudgetLine, nowMs: number): string {
  const text = amountOf[measure];
  const running = reserved > 0 ? ` and ${text(reserved)} reserved` : '';
  const room = freesAt === null ? 'until more is granted: loopx quota grant' : `room again ${when(freesAt, nowMs)}`;
  const so = measure === 'rounds' ? String(spent) : text(spent);
  return `${so}${running} of ${text(limit)}${exhausted ? `; exhausted, ${room}` : ''}`;
}

function grantFields(goal: Goal, nowMs: number): readonly (readonly [string, string])[] {
  return goal.grants
    .filter(({until}) => until === undefined || Date.parse(until) > nowMs)
    .map(({until, rounds, seconds, tokens, microUsd}) => {
      const parts = Object.entries({rounds, seconds, tokens, microUsd}).flatMap(([measure, count]) =>
        count === undefined ? [] : [amountOf[measure as keyof typeof amountOf](count)],
      );
      return ['granted', `${parts.join(', ')}${until === undefined ? '' : `, ends ${when(until, nowMs)}`}`] as const;
    });
}

const amountOf = {
  rounds: (count: number) => plural(count, 'round'),
  seconds: duration,
  tokens: (count: number) => `${amount(count)} tokens`,
  microUsd: money,
};
