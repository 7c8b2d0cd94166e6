// A goal for people: all that it is, and where it stands.
import type {Budget, Goal} from '../lib/model/goal.ts';
import {openGates, openTodos} from '../lib/model/goal.ts';
import {fieldLines} from './layout.ts';
import {amount, duration, money, plural, when} from './print.ts';

/** Returns all that is readable of a goal. */
export function goalDetails(goal: Goal, {nowMs, columns}: {nowMs: number; columns: number}): readonly string[] {
  const {totals, policy, schedule, finished} = goal;
  const spent = [
    plural(totals.rounds, 'round'),
    duration(totals.seconds),
    `${amount(totals.tokens)} tokens`,
    money(totals.microUsd),
  ];
  const budgets = (policy.budgets ?? []).map(budgetText);
  return [
    goal.id,
    ...fieldLines(
      [
        ['goal', goal.objective],
        ['status', goal.status],
        ['phase', goal.phase],
        ['proof', goal.acceptance.map(check => check.run).join('\n') || 'none yet: loopx goal edit --check "npm test"'],
        ['keep', goal.constraints.join('\n')],
        ['only in', goal.scope.join('\n')],
        ['amended', goal.amendments.map(({at, text}) => `${text} (${when(at, nowMs)})`).join('\n')],
        ['todos', totals.todos > 0 ? todoCounts(goal) : 'none yet: loopx todo add "The first step"'],
        ['gates', openGates(goal).length > 0 ? `${openGates(goal).length} open: loopx gate list` : undefined],
        ['budget', budgets.join('\n')],
        ['compute', policy.compute === undefined ? undefined : `${Math.round(policy.compute * 100)}% of the time`],
        ['stall', policy.stallAfter ? `ask after ${plural(policy.stallAfter, 'round')} without a change` : undefined],
        ['schedule', schedule && `every ${duration(schedule.everySeconds)}`],
        ['spent', spent.join(', ')],
        ['finished', finished && `${when(finished.at, nowMs)} at ${finished.commit.slice(0, 12)} by ${finished.by}`],
        ['started', `${when(goal.createdAt, nowMs)} by ${goal.createdBy}`],
      ],
      columns,
    ),
  ];
}

/** Returns a budget as people say it: `20 rounds, $5.00 in 24 h`. */
export function budgetText({hours, rounds, seconds, tokens, microUsd}: Budget): string {
  const amounts = [
    rounds !== undefined && plural(rounds, 'round'),
    seconds !== undefined && duration(seconds),
    tokens !== undefined && `${amount(tokens)} tokens`,
    microUsd !== undefined && money(microUsd),
  ].filter(Boolean);
  return `${amounts.join(', ')} ${hours === undefined ? 'in all' : `in ${windowLength(hours)}`}`;
}

/** Returns the length of a window as people say it: a day is 24 h, a week 7 d. */
export function windowLength(hours: number): string {
  return hours > 24 && hours % 24 === 0 ? `${hours / 24} d` : `${hours} h`;
}

/** Returns how many todos there are of each kind. */
export function todoCounts(goal: Goal): string {
  const {todos, done, verified, dropped} = goal.totals;
  if (todos === 0) return 'none yet';
  const parts = [`${openTodos(goal).length} open`, `${done} done`, `${verified} verified`];
  return [...parts, ...(dropped > 0 ? [`${dropped} dropped`] : [])].join(', ');
}
