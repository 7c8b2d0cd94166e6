// Events that make and change a goal itself.
import {checkCommands, treeId} from '../checks.ts';
import {contestPaths, settleGoal} from '../contest.ts';
import {defineEvent} from '../event.ts';
import {type Goal, goalFormat, noTotals} from '../goal.ts';
import type {Json} from '../json.ts';
import {setFields} from '../register.ts';
import {count, list, matching, nullable, number, object, oneOf, optional, record, text} from '../shape.ts';
import {changeGoal, everyPath, goalPath, staysArchived} from '../state.ts';

export const goalIdShape = matching(/^[a-z0-9-]{1,40}-[0-9a-z]{4}$/, 'the id of a goal');
const spendFields = {
  rounds: optional(count),
  seconds: optional(count),
  tokens: optional(count),
  microUsd: optional(count),
};
const policy = object({
  compute: optional(number),
  stallAfter: optional(count),
  budgets: optional(list(object({hours: optional(count), ...spendFields}))),
});
const schedule = object({everySeconds: count});
const status = oneOf('active', 'paused', 'finished', 'archived');

/** What a person may change of a goal; null takes an optional field away. */
export const goalFields = {
  objective: optional(text),
  acceptance: optional(checkCommands),
  constraints: optional(list(text)),
  scope: optional(list(text)),
  phase: optional(nullable(text)),
  status: optional(status),
  policy: optional(policy),
  schedule: optional(nullable(schedule)),
};

export const sawShape = record(list(text));

export const goalCreated = defineEvent(
  'goal.created',
  {
    goal: goalIdShape,
    format: count,
    objective: text,
    acceptance: checkCommands,
    constraints: list(text),
    scope: list(text),
    phase: optional(text),
    policy,
    schedule: optional(schedule),
  },
  {
    changes: true,
    touches: () => [],
    fold(draft, event) {
      if (draft.get(goalPath)) return;
      const {goal, objective, acceptance, constraints, scope, phase, schedule: due} = event;
      const created: Goal = {
        ...{format: goalFormat, id: goal, created: event.id, objective, status: 'active'},
        ...(phase !== undefined && {phase}),
        ...{acceptance, constraints, scope, policy: event.policy},
        ...(due !== undefined && {schedule: due}),
        ...{createdAt: event.at, createdBy: event.by, amendments: [], grants: [], clock: 0, changed: 0},
        ...{totals: noTotals, live: [], rounds: [], open: []},
      };
      draft.put(goalPath, created);
    },
    subject: event => `start goal ${event.goal}: ${event.objective}`,
  },
);

export const goalEdited = defineEvent(
  'goal.edited',
  {goal: goalIdShape, set: object(goalFields), saw: sawShape, reason: optional(text)},
  {
    changes: true,
    touches: event => contestPaths(event.goal, Object.keys(event.set)),
    fold(draft, event) {
      changeGoal(draft, goal => setFields(goal, event.id, event.set as Record<string, Json>, event.saw));
      settleGoal(draft, Object.keys(event.set), event);
    },
    subject: event =>
      event.set.status ? `${statusVerb[event.set.status]} goal` : `edit goal: ${Object.keys(event.set).join(', ')}`,
  },
);

const statusVerb = {active: 'resume', paused: 'pause', finished: 'finish', archived: 'archive'};

export const goalAmended = defineEvent(
  'goal.amended',
  {text},
  {
    changes: true,
    touches: () => [],
    fold(draft, event) {
      const amendment = {id: event.id, at: event.at, by: event.by, text: event.text};
      changeGoal(draft, goal => ({...goal, amendments: [...goal.amendments, amendment]}));
    },
    subject: event => `amend goal: ${event.text}`,
  },
);

export const goalFinished = defineEvent(
  'goal.finished',
  {commit: treeId, tree: treeId, saw: sawShape, reason: optional(text)},
  {
    changes: true,
    touches: () => [],
    fold(draft, event) {
      const finished = {commit: event.commit, tree: event.tree, at: event.at, by: event.by};
      changeGoal(draft, goal => ({...setFields(goal, event.id, {status: 'finished'}, event.saw), finished}));
    },
    subject: event => `finish goal at ${event.commit.slice(0, 8)}`,
  },
);

export const goalArchived = defineEvent(
  'goal.archived',
  {
    saw: sawShape,
    /** The rounds that were live, whose lease was over. One that nobody saw is billed yet, when it ends. */
    rounds: list(matching(/^r-[0-9a-z]{8}$/, 'the id of a round')),
    reason: optional(text),
  },
  {
    changes: true,
    touches: () => [everyPath],
    fold(draft, event) {
      for (const path of draft.paths()) if (!staysArchived(path)) draft.remove(path);
      changeGoal(draft, ({checkpoint: _, ...goal}) => ({
        ...setFields(goal, event.id, {status: 'archived'}, event.saw),
        live: goal.live.filter(({round}) => !event.rounds.includes(round)),
        open: [],
      }));
    },
    subject: event => `archive goal${event.reason ? `: ${event.reason}` : ''}`,
  },
);

export const quotaGranted = defineEvent(
  'quota.granted',
  {...spendFields, until: optional(text), reason: optional(text)},
  {
    changes: true,
    touches: () => [],
    fold(draft, event) {
      const {id, at, until, rounds, seconds, tokens, microUsd} = event;
      const given = Object.entries({until, rounds, seconds, tokens, microUsd}).filter(
        ([, value]) => value !== undefined,
      );
      changeGoal(draft, goal => ({...goal, grants: [...goal.grants, {id, at, ...Object.fromEntries(given)}]}));
    },
    subject: () => 'grant quota',
  },
);
