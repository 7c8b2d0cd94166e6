import test from 'ava';
import fc from 'fast-check';
import type {Goal, Policy} from '../../lib/model/goal.ts';
import {reserveFor, type SpendMonth, viewBudget} from '../../lib/policy/spend.ts';
import {live, me, minute, noon, round, situation} from './situation.ts';

const cost = (rounds: number, tokens = 0) => ({rounds, seconds: 0, tokens, microUsd: 0});
const view = (policy: Policy, months: readonly SpendMonth[], goal: Partial<Goal> = {}, nowMs = noon) =>
  viewBudget(situation({goal: {policy, ...goal}}).goal, months, nowMs);
const day: Policy = {budgets: [{hours: 24, rounds: 10}]};

test('a window counts all agents, across months, and what is reserved', t => {
  const months: readonly SpendMonth[] = [
    {[`2026-11-30T23 ${me}`]: cost(2)},
    {'2026-12-01T05 codex@ci': cost(3), [`2026-12-01T05 ${me}`]: cost(1)},
  ];
  t.deepEqual(view(day, months, {live: [live(), live({round: 'r-8', until: minute(0)})]}).lines, [
    {
      ...{measure: 'rounds', hours: 24, limit: 10, spent: 6, reserved: 1, left: 3},
      used: 0.7,
      exhausted: false,
      freesAt: null,
    },
  ]);
});

test('an hour counts until all of it has left the window', t => {
  const months = [{[`2026-11-30T11 ${me}`]: cost(4)}];
  t.is(view(day, months, {}, noon - 1).lines[0]!.spent, 4);
  t.is(view(day, months, {}, noon).lines[0]!.spent, 0);
});

test('an hour that a wrong clock put into the future counts now', t => {
  t.is(view(day, [{[`2026-12-04T09 ${me}`]: cost(4)}]).lines[0]!.spent, 4);
});

test('setting the clock back does not free what was spent', t => {
  t.is(view(day, [{[`2026-12-01T11 ${me}`]: cost(4)}], {}, noon - 3 * 86_400_000).lines[0]!.spent, 4);
});

test('an hour that cannot be read counts for ever', t => {
  const {exhausted} = view(day, [{[`2026-99-99T99 ${me}`]: cost(10)}]);
  t.like(exhausted, {spent: 10, freesAt: null});
});

test('there is room again when enough has left, not when anything has', t => {
  const months = [
    {[`2026-12-01T01 ${me}`]: cost(1), [`2026-12-01T03 ${me}`]: cost(9), [`2026-12-01T10 ${me}`]: cost(3)},
  ];
  t.is(view(day, months).exhausted?.freesAt, '2026-12-02T04:00:00.000Z');
});

test('of the limits that are exhausted, the one that stands in the way longest is named', t => {
  const policy = {
    budgets: [
      {hours: 1, rounds: 1},
      {hours: 24, tokens: 5},
      {hours: 5, rounds: 1, tokens: 100},
    ],
  };
  t.like(view(policy, [{[`2026-12-01T11 ${me}`]: cost(1, 5)}]).exhausted, {measure: 'tokens', hours: 24});
  const forGood = {budgets: [...policy.budgets, {rounds: 0}]};
  t.like(view(forGood, [{[`2026-12-01T11 ${me}`]: cost(1, 5)}]).exhausted, {hours: null, used: 1});
});

test('a grant widens every budget until it ends', t => {
  const policy = {
    budgets: [
      {hours: 24, rounds: 5},
      {rounds: 50, tokens: 100},
    ],
  };
  const grants = [
    {id: 'E1', at: minute(-60), rounds: 3, until: minute(1)},
    {id: 'E2', at: minute(-60), rounds: 1},
    {id: 'E3', at: minute(-60), rounds: 100, until: minute(0)},
  ];
  t.deepEqual(
    view(policy, [], {grants}).lines.map(({limit}) => limit),
    [9, 54, 100],
  );
});

test('a goal without budgets is never exhausted', t => {
  t.deepEqual(view({}, [{[`2026-12-01T11 ${me}`]: cost(1000)}]), {lines: [], exhausted: null});
});

test('a round reserves the mean of the last five that were billed', t => {
  const rounds = [900, 10, 20, 30, 40, 51].map(seconds => round({seconds, tokens: seconds * 2, microUsd: seconds * 3}));
  const unbilled = round({billed: false, seconds: 9999});
  t.deepEqual(reserveFor([...rounds, unbilled]), {rounds: 1, seconds: 31, tokens: 61, microUsd: 91});
  t.deepEqual(reserveFor([]), {rounds: 1, seconds: 0, tokens: 0, microUsd: 0});
});

test('when there is room again, there is room, and not a moment before', t => {
  const hour = fc.integer({min: 0, max: 47}).map(h => new Date(noon - h * 3_600_000).toISOString().slice(0, 13));
  const month = fc.uniqueArray(fc.tuple(hour, fc.integer({min: 0, max: 5})), {selector: ([key]) => key});
  fc.assert(
    fc.property(month, fc.integer({min: 1, max: 20}), (entries, rounds) => {
      const months = [Object.fromEntries(entries.map(([key, n]) => [`${key} ${me}`, cost(n)]))];
      const policy = {budgets: [{hours: 24, rounds}]};
      const {exhausted} = view(policy, months);
      if (!exhausted) return;
      const freesMs = Date.parse(exhausted.freesAt!);
      t.is(view(policy, months, {}, freesMs).exhausted, null);
      t.not(view(policy, months, {}, freesMs - 1).exhausted, null);
    }),
  );
});
