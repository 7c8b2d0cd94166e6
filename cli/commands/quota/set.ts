import type {Change} from '../../../lib/change/change.ts';
import {editGoal} from '../../../lib/change/goal.ts';
import {Failure} from '../../../lib/failure.ts';
import type {Budget, Policy} from '../../../lib/model/goal.ts';
import {budgetOptions, budgetsFrom} from '../../budget.ts';
import {defineCommand} from '../../command.ts';
import {requirePerson} from '../../person.ts';
import {printQuota} from '../../quota-text.ts';

export const command = defineCommand({
  usage: 'quota set',
  describe: 'Set what the goal may spend; only a person can',
  options: {
    ...budgetOptions,
    none: {type: 'boolean', describe: 'Take all budgets away first'},
    compute: {type: 'number', describe: 'The share of the time that rounds may take, from 0 to 1', value: 'SHARE'},
    reason: {type: 'string', describe: 'Why, for the log', value: 'TEXT'},
  },
  examples: [
    ['--rounds 20 --per 24h', 'Twenty rounds a day'],
    ['--usd 50', 'Fifty dollars in all, beside the budgets of other windows'],
    ['--none', 'Limit nothing'],
  ],
  topic: 'quota',
  async run(args, session) {
    requirePerson(session, 'set what a goal may spend');
    const budgets = budgetsFrom(args);
    const {compute, none = false, reason} = args;
    if (compute !== undefined && (compute < 0 || compute > 1))
      throw new Failure('usage', '--compute is a share of the time, from 0 to 1.');
    if (budgets === undefined && compute === undefined && !none)
      throw new Failure('usage', 'Nothing to set was named.', {
        hint: 'For example: loopx quota set --rounds 20 --per 24h',
      });
    const change: Change = (view, draw) => {
      const {budgets: before = [], ...rest} = view.goal.policy;
      const next = withBudgets(none ? [] : before, budgets ?? []);
      const policy: Policy = {
        ...rest,
        ...(compute !== undefined && {compute}),
        ...(next.length > 0 && {budgets: next}),
      };
      return editGoal({policy}, reason)(view, draw);
    };
    await session.change(change);
    await printQuota(session, await session.view(), ['Set what the goal may spend.']);
  },
});

// There is one budget for each window: a new one takes the place of the one before.
function withBudgets(before: readonly Budget[], named: readonly Budget[]): readonly Budget[] {
  const kept = before.filter(({hours}) => !named.some(other => other.hours === hours));
  return [...kept, ...named].sort(
    (a, b) => (a.hours ?? Number.POSITIVE_INFINITY) - (b.hours ?? Number.POSITIVE_INFINITY),
  );
}
