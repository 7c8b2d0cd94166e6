// Budgets as they are typed: amounts, and the window they hold for.
import {durationMs} from '../lib/config/keys.ts';
import {Failure} from '../lib/failure.ts';
import type {Budget, Spend} from '../lib/model/goal.ts';

export const amountOptions = {
  rounds: {type: 'number', describe: 'Allow so many rounds', value: 'N'},
  minutes: {type: 'number', describe: 'Allow so many minutes of rounds', value: 'N'},
  tokens: {type: 'number', describe: 'Allow so many tokens', value: 'N'},
  usd: {type: 'number', describe: 'Allow so many US dollars', value: 'N'},
} as const;

export const budgetOptions = {
  ...amountOptions,
  per: {
    type: 'string',
    describe: 'The rolling window of the budget, such as 5h, 24h or 7d; left out: for good',
    value: 'TIME',
  },
} as const;

/** More than anybody spends; sums of it stay exact. */
const amountMax = 1e9;

export type Amounts = Partial<Record<keyof typeof amountOptions, number | undefined>>;

/** Returns typed amounts in the units of the record. */
export function spendFrom({rounds, minutes, tokens, usd}: Amounts): Partial<Spend> {
  for (const [name, value] of Object.entries({rounds, minutes, tokens, usd})) {
    if (value !== undefined && value < 0) throw new Failure('usage', `--${name} can't be less than 0.`);
    if (value !== undefined && value > amountMax)
      throw new Failure('usage', `--${name} can't be more than ${amountMax}.`);
    if (name === 'rounds' && value !== undefined && !Number.isInteger(value)) {
      throw new Failure('usage', '--rounds needs a whole number.');
    }
  }

  return {
    ...(rounds !== undefined && {rounds: Math.round(rounds)}),
    ...(minutes !== undefined && {seconds: Math.round(minutes * 60)}),
    ...(tokens !== undefined && {tokens: Math.round(tokens)}),
    ...(usd !== undefined && {microUsd: Math.round(usd * 1_000_000)}),
  };
}

/** Returns the one budget that was typed, or undefined where none was. */
export function budgetsFrom(args: Amounts & {per?: string | undefined}): readonly Budget[] | undefined {
  const amounts = spendFrom(args);
  if (Object.keys(amounts).length === 0) {
    if (args.per !== undefined)
      throw new Failure('usage', '--per needs an amount.', {hint: 'For example: --rounds 20 --per 24h'});
    return undefined;
  }

  if (args.per === undefined) return [amounts];
  const hours = Math.round(durationMs(args.per, '--per') / 3_600_000);
  if (hours < 1) throw new Failure('usage', "--per can't be less than 1h.");
  return [{hours, ...amounts}];
}
