import type {Change} from '../../../lib/change/change.ts';
import {editGoal, type GoalEdit} from '../../../lib/change/goal.ts';
import {durationMs} from '../../../lib/config/keys.ts';
import {Failure} from '../../../lib/failure.ts';
import {changeGoalItself} from '../../change-goal.ts';
import {parseChecks} from '../../checks.ts';
import {defineCommand} from '../../command.ts';
import {goalDetails} from '../../goal-text.ts';
import {requirePerson} from '../../person.ts';

export const command = defineCommand({
  usage: 'goal edit',
  describe: 'Change what the goal is; a list that is given replaces the one before, and "" empties it',
  options: {
    'goal-text': {type: 'string', describe: 'What is to be reached', alias: 'g', value: 'TEXT'},
    check: {type: 'strings', describe: 'The commands that prove the goal reached; may be repeated', value: 'COMMAND'},
    constraint: {type: 'strings', describe: 'What must hold all the while; may be repeated', value: 'TEXT'},
    scope: {type: 'strings', describe: 'The paths that the work may touch; may be repeated', value: 'PATH'},
    phase: {type: 'string', describe: 'The phase it is in; "" for none', value: 'TEXT'},
    every: {type: 'string', describe: 'Start a round at most this often, such as 30m', value: 'TIME'},
    schedule: {type: 'boolean', describe: 'Whether the schedule stays; --no-schedule takes it away'},
    compute: {type: 'number', describe: 'The share of the time that rounds may take, from 0 to 1', value: 'SHARE'},
    'stall-after': {type: 'number', describe: 'Ask a person after so many rounds without a change', value: 'N'},
    reason: {type: 'string', describe: 'Why, for the log', value: 'TEXT'},
  },
  examples: [
    ['--check "npm test" --check "npm run lint"', 'Let two commands prove it'],
    ['--every 30m --compute 0.5', 'Half of the time at the most, a round every half hour'],
  ],
  topic: 'goals',
  async run(args, session) {
    if (args.goalText?.trim() === '') throw new Failure('usage', 'The goal needs a text.');
    if (args.every !== undefined && args.schedule === false)
      throw new Failure('usage', '--every and --no-schedule exclude each other.');
    const rules = policyOf(args);
    if (Object.keys(rules).length > 0) requirePerson(session, 'change what the goal may spend');
    const acceptance = parseChecks(withoutEmpty(args.check) ?? []);
    const edit: GoalEdit = {
      ...(args.goalText !== undefined && {objective: args.goalText}),
      ...(args.check.length > 0 && {acceptance}),
      ...(args.constraint.length > 0 && {constraints: withoutEmpty(args.constraint)}),
      ...(args.scope.length > 0 && {scope: withoutEmpty(args.scope)}),
      ...(args.phase !== undefined && {phase: args.phase || null}),
      ...(args.every !== undefined && {schedule: {everySeconds: everySeconds(args.every)}}),
      ...(args.schedule === false && {schedule: null}),
    };
    const {nowMs, columns} = {nowMs: session.world.now(), columns: session.stdout.columns};
    await changeGoalItself(session, withPolicy(edit, rules, args.reason), goal => [
      'Changed the goal.',
      ...goalDetails(goal, {nowMs, columns}),
    ]);
    await session.trustOwn(acceptance);
  },
});

type Rules = {readonly compute?: number; readonly stallAfter?: number};

// The policy is one field: what is not named stays as it is at the moment of the change.
function withPolicy(edit: GoalEdit, rules: Rules, reason: string | undefined): Change {
  return (view, draw) => {
    const changed = Object.keys(rules).length > 0;
    return editGoal({...edit, ...(changed && {policy: {...view.goal.policy, ...rules}})}, reason)(view, draw);
  };
}

function policyOf({compute, stallAfter}: {compute: number | undefined; stallAfter: number | undefined}): Rules {
  if (compute !== undefined && (compute < 0 || compute > 1))
    throw new Failure('usage', '--compute is a share of the time, from 0 to 1.');
  if (stallAfter !== undefined && (!Number.isInteger(stallAfter) || stallAfter < 1))
    throw new Failure('usage', '--stall-after needs a whole number of 1 or more.');
  return {...(compute !== undefined && {compute}), ...(stallAfter !== undefined && {stallAfter})};
}

function everySeconds(text: string): number {
  const seconds = Math.round(durationMs(text, '--every') / 1000);
  if (seconds < 1) throw new Failure('usage', "--every can't be less than 1s.");
  return seconds;
}

function withoutEmpty(texts: readonly string[]): readonly string[] {
  return texts.filter(text => text.trim() !== '');
}
