import {startGoal} from '../../lib/change/goal.ts';
import {addTodo} from '../../lib/change/todo.ts';
import {Failure} from '../../lib/failure.ts';
import type {Goal} from '../../lib/model/goal.ts';
import {goalPath} from '../../lib/model/state.ts';
import {changeGoal, createGoal, drawFor} from '../../lib/store/append.ts';
import {budgetOptions, budgetsFrom} from '../budget.ts';
import {parseChecks} from '../checks.ts';
import {defineCommand} from '../command.ts';
import {oneLine} from '../print.ts';
import {goalJson} from '../records.ts';
import {printResult} from '../result.ts';
import type {Session} from '../session.ts';

export const command = defineCommand({
  usage: 'start-goal',
  describe: 'Start a goal in this repository',
  options: {
    'goal-text': {type: 'string', describe: 'What is to be reached', alias: 'g', value: 'TEXT'},
    check: {type: 'strings', describe: 'A command that proves the goal reached; may be repeated', value: 'COMMAND'},
    constraint: {type: 'strings', describe: 'What must hold all the while; may be repeated', value: 'TEXT'},
    scope: {type: 'strings', describe: 'A path that the work may touch; may be repeated', value: 'PATH'},
    phase: {type: 'string', describe: 'The phase it starts in', value: 'TEXT'},
    todo: {type: 'strings', describe: 'A first step; may be repeated', value: 'TITLE'},
    guided: {type: 'boolean', describe: 'Ask for what is missing, and show what to do next'},
    ...budgetOptions,
  },
  examples: [
    ['--guided --project . --goal-text "Port the parser to TypeScript"', 'Start one with a few questions'],
    ['--goal-text "Python 3 everywhere" --check "pytest -q" --rounds 40 --per 24h', 'Start one that a test proves'],
  ],
  topic: 'goals',
  async run(args, session) {
    await session.repository();
    const asked = await askMissing(args, session);
    const acceptance = parseChecks(asked.check);
    const {phase, scope} = args;
    const budgets = budgetsFrom(args);
    const writer = await session.writer();
    const {goal: id, events} = startGoal(
      {
        ...{objective: asked.text, acceptance, constraints: asked.constraint, scope},
        ...(phase !== undefined && {phase}),
        policy: budgets ? {budgets} : {},
      },
      drawFor(writer),
    );
    let {tip} = await createGoal(writer, id, events);
    await session.trustOwn(acceptance);
    for (const title of asked.todo) ({tip} = await changeGoal(writer, id, addTodo({title})));
    const goal = await session.recordAt<Goal>(tip, goalPath);
    printResult(session, {schema: 'loopx/goal@1', goal: goalJson(goal)}, () => told(goal));
  },
});

type Asked = {
  readonly text: string;
  readonly check: readonly string[];
  readonly constraint: readonly string[];
  readonly todo: readonly string[];
};

// On a terminal, what was left out is asked for; without one, only the text of the goal is needed.
async function askMissing(
  args: {
    goalText?: string | undefined;
    check: readonly string[];
    constraint: readonly string[];
    todo: readonly string[];
    guided?: boolean | undefined;
  },
  session: Session,
): Promise<Asked> {
  const {check, constraint, todo} = args;
  const mayAsk = session.mayAsk && (args.guided === true || args.goalText === undefined);
  const line = async (question: string) => (mayAsk ? (await session.stdin.ask(question)).trim() : '');
  const text = args.goalText ?? (await line('What is to be reached? '));
  if (text.trim() === '') {
    throw new Failure('usage', 'The goal has no text.', {hint: 'Give it with --goal-text "What is to be reached".'});
  }

  const checks =
    check.length > 0 ? check : await lines(line, 'Which command proves it, such as "npm test"? (empty: none) ');
  const constraints =
    constraint.length > 0 ? constraint : await lines(line, 'What must hold all the while? (empty: nothing) ');
  const todos = todo.length > 0 ? todo : await lines(line, 'The first step? (empty: let the agent plan) ');
  return {text, check: checks, constraint: constraints, todo: todos};
}

async function lines(line: (question: string) => Promise<string>, question: string): Promise<readonly string[]> {
  const answer = await line(question);
  return answer === '' ? [] : [answer];
}

function told(goal: Goal): readonly string[] {
  const proof = goal.acceptance.map(check => `  Proven by: ${check.run}`);
  const missing = '  Nothing proves it yet: loopx goal edit --check "npm test"';
  const {todos} = goal.totals;
  return [
    `Started ${goal.id}: ${oneLine(goal.objective)}`,
    ...(proof.length > 0 ? proof : [missing]),
    todos > 0 ? '  Work on it: loopx run' : '  Next: loopx todo add "The first step", or let an agent plan: loopx run',
    '  See where it is: loopx status',
  ];
}
