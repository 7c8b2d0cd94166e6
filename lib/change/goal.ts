// What commands write about the goal itself.

import {Failure} from '../failure.ts';
import type {CheckCommand} from '../model/checks.ts';
import type {NewEvent} from '../model/event.ts';
import {type GoalStatus, goalFormat, type Policy, type Schedule, type Spend} from '../model/goal.ts';
import {goalId} from '../model/ids.ts';
import {sawOf} from '../model/register.ts';
import type {Draw} from '../store/append.ts';
import {type Change, given} from './change.ts';

export type GoalInput = {
  readonly objective: string;
  readonly acceptance?: readonly CheckCommand[];
  readonly constraints?: readonly string[];
  readonly scope?: readonly string[];
  readonly phase?: string;
  readonly policy?: Policy;
  readonly schedule?: Schedule;
};

/** Draws a new goal; returns its id with the events. */
export function startGoal(input: GoalInput, draw: Draw): {readonly goal: string; readonly events: readonly NewEvent[]} {
  if (input.objective.trim() === '') {
    throw new Failure('usage', 'A goal needs an objective.', {
      hint: 'Give it with --goal-text "What is to be reached".',
    });
  }

  const id = draw.id();
  const goal = goalId(input.objective, id);
  const {objective, acceptance = [], constraints = [], scope = [], phase, policy = {}, schedule} = input;
  const data = given({goal, format: goalFormat, objective, acceptance, constraints, scope, phase, policy, schedule});
  return {goal, events: [draw.event('goal.created', data, id)]};
}

export type GoalEdit = Partial<{
  readonly objective: string;
  readonly acceptance: readonly CheckCommand[];
  readonly constraints: readonly string[];
  readonly scope: readonly string[];
  readonly phase: string | null;
  readonly policy: Policy;
  readonly schedule: Schedule | null;
}>;

/** Sets fields of the goal; null takes an optional one away. */
export function editGoal(edit: GoalEdit, reason?: string): Change {
  return ({goal}, draw) => {
    const set = given(edit);
    if (Object.keys(set).length === 0)
      throw new Failure('usage', 'Nothing to change was named.', {hint: 'See `loopx goal edit --help`.'});
    return [draw.event('goal.edited', given({goal: goal.id, set, saw: sawOf(goal, Object.keys(set)), reason}))];
  };
}

/** Pauses or resumes the goal; being so already writes nothing. */
export function setGoalStatus(status: Exclude<GoalStatus, 'finished' | 'archived'>, reason?: string): Change {
  return ({goal}, draw) =>
    goal.status === status
      ? []
      : [draw.event('goal.edited', given({goal: goal.id, set: {status}, saw: sawOf(goal, ['status']), reason}))];
}

/** Adds to the goal midway, without changing what it was. */
export function amendGoal(text: string): Change {
  if (text.trim() === '') throw new Failure('usage', 'An amendment needs a text.');
  return (_, draw) => [draw.event('goal.amended', {text})];
}

/**
 * Finishes the goal, at the commit whose tree passed the acceptance checks.
 *
 * @param at.reason - Why, where a person finishes it without the proof.
 */
export function finishGoal(at: {readonly commit: string; readonly tree: string; readonly reason?: string}): Change {
  return ({goal}, draw) =>
    goal.status === 'finished' ? [] : [draw.event('goal.finished', given({...at, saw: sawOf(goal, ['status'])}))];
}

/**
 * Archives the goal: what is kept is the goal itself, its totals, decisions and lessons.
 *
 * @param reason - Why, where it is not finished.
 * @throws {Failure} `not-verified` where it is not finished and no reason is given; `round-live`.
 */
export function archiveGoal(reason?: string): Change {
  return ({goal}, draw) => {
    if (goal.status === 'archived') return [];
    if (goal.status !== 'finished' && !reason?.trim()) {
      throw new Failure('not-verified', `The goal ${goal.id} is ${goal.status}, not finished.`, {
        hint: 'Finish it first: loopx goal finish. Or say why it is over: loopx goal archive --reason "…"',
      });
    }

    const running = goal.live.find(live => Date.parse(live.until) > draw.now);
    if (running) {
      throw new Failure('round-live', `Round ${running.round} of ${running.agent} is running.`, {
        hint: 'Let it end first. So that no other begins: loopx goal pause',
      });
    }

    const rounds = goal.live.map(({round}) => round);
    return [draw.event('goal.archived', given({saw: sawOf(goal, ['status']), rounds, reason}))];
  };
}

/** Allows more than the budgets say, for good or until a time. */
export function grantQuota(grant: Partial<Spend> & {readonly until?: string; readonly reason?: string}): Change {
  const {until: _, reason: __, ...amounts} = grant;
  if (!Object.values(amounts).some(amount => (amount ?? 0) > 0)) {
    throw new Failure('usage', 'A grant needs an amount.', {hint: 'For example: loopx quota grant --rounds 5'});
  }

  return (_view, draw) => [draw.event('quota.granted', given(grant))];
}
