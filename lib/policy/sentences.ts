// What verdicts tell a person: each says what holds and what to do about it, in words that stand alone at three in the
// morning. Texts from the state are quoted on one line, without anything that could act on a screen.
import type {Gate} from '../model/gate.ts';
import type {Goal, LiveRound, OpenGate, OpenTodo} from '../model/goal.ts';
import {plainLine} from '../model/plain-text.ts';
import type {HeldTodo, Obstacle} from './ready.ts';
import {clockTime, isoTime} from './schedule.ts';
import type {BudgetLine, Measure} from './spend.ts';

const quoteMax = 200;
const quoteAllMax = 2000;

export const finishedSentence = (goal: Goal) =>
  `The goal ${goal.id} is ${goal.status}; start another with \`loopx start-goal\`.`;

export const pausedSentence = (goal: Goal) =>
  goal.status === 'paused'
    ? `The goal ${goal.id} is paused; let it go on with \`loopx goal resume\`.`
    : 'The share of time that rounds may take is 0; raise it with `loopx quota set --compute 0.5`.';

export const roundSentence = (live: LiveRound, nowMs: number) =>
  Date.parse(live.until) > nowMs
    ? `${live.agent} has a round already: ${live.round}, begun at ${clockTime(live.at)}, with a lease until ${clockTime(live.until)}.`
    : `The lease of round ${live.round} ended at ${clockTime(live.until)}, but its process still runs; end it with \`loopx round end\`.`;

export function gateSentence(open: OpenGate, gate: Gate | undefined): string {
  const options = gate?.options.length
    ? ` (${gate.options.map(option => plainLine(option, quoteMax)).join(' | ')})`
    : '';
  const question = plainLine(open.title, quoteAllMax);
  return `A person has to decide: "${question}"${options}; answer with \`loopx gate answer ${open.id} "…"\`.`;
}

export const limitSentence = (name: string, limited: {until: string; reason: string}) =>
  `The service of ${name} takes no work before ${clockTime(limited.until)}: ${plainLine(limited.reason, quoteMax)}`;

export const dueSentence = (name: string, dueMs: number) =>
  `The next round of ${name} is not due before ${clockTime(isoTime(dueMs) ?? 'the end of time')}.`;

export function budgetSentence(line: BudgetLine): string {
  const span = line.hours === null ? 'for the whole goal' : `in ${line.hours} hours`;
  const [spent, limit] = [amount(line.measure, line.spent), amount(line.measure, line.limit)];
  const reserved = line.reserved > 0 ? `, and ${amount(line.measure, line.reserved)} reserved by running rounds` : '';
  const frees = line.freesAt === null ? '' : `; there is room again at ${clockTime(line.freesAt)}`;
  return `The budget of ${limit} ${span} is used up: ${spent} spent${reserved}${frees}. More: \`loopx quota grant\`.`;
}

export function heldSentence(held: readonly HeldTodo[]): string {
  const kinds = [...new Set(held.map(({obstacle}) => obstacle.kind))];
  const parts = kinds.map(kind => {
    const todos = held.filter(({obstacle}) => obstacle.kind === kind).map(({todo}) => todo);
    return `${todos.length} ${heldWords[kind][todos.length === 1 ? 0 : 1]}`;
  });
  const blocked = held.find(({obstacle}) => obstacle.kind === 'blocked');
  const mend = blocked
    ? ` When nothing blocks ${blocked.todo.id} any more: \`loopx todo retry ${blocked.todo.id}\`.`
    : '';
  return `No todo is ready: ${parts.join(', ')}.${mend}`;
}

export const nothingSentence = (goal: Goal) =>
  goal.acceptance.length > 0 && goal.totals.done > 0
    ? 'Every todo is closed; if that is all, `loopx goal finish` runs the acceptance checks and finishes the goal.'
    : 'There is no open todo; add one with `loopx todo add`, or say what is missing with `loopx goal amend`.';

export const planSentence = (goal: Goal) =>
  goal.totals.todos === 0
    ? 'The goal has no todo yet; a round plans them.'
    : 'The goal was amended and has no open todo; a round plans what is missing.';

export const watchSentence = (todos: readonly OpenTodo[]) =>
  todos.length === 1
    ? `Only ${todos[0]!.id} is open, and what it watches has not changed.`
    : `Only ${todos.length} todos that watch something are open, and nothing of that has changed.`;

export const idleSentence = (name: string, rounds: number, untilMs: number) =>
  `Nothing has changed since ${rounds === 1 ? 'the last round' : `the last ${rounds} rounds`} of ${name}, ` +
  `which changed nothing; it tries again at ${clockTime(isoTime(untilMs) ?? '')}.`;

export const readySentence = (todo: OpenTodo, stopping: OpenGate | undefined) =>
  stopping
    ? `${todo.id} "${plainLine(todo.title, quoteMax)}" can go on while ${stopping.id} waits for a person: "${plainLine(stopping.title, quoteMax)}"`
    : `${todo.id} "${plainLine(todo.title, quoteMax)}" is ready.`;

const heldWords: Readonly<Record<Obstacle['kind'], readonly [string, string]>> = {
  blocked: ['is blocked', 'are blocked'],
  agent: ['is meant for another agent', 'are meant for other agents'],
  claimed: ['is claimed by another agent', 'are claimed by other agents'],
  depends: ['waits for todos that it depends on', 'wait for todos that they depend on'],
  children: ['waits for its parts', 'wait for their parts'],
  unchanged: ['watches something that has not changed', 'watch something that has not changed'],
  unseen: ['watches something that cannot be looked at here', 'watch something that cannot be looked at here'],
  gate: ['waits for a person', 'wait for a person'],
};

function amount(measure: Measure, value: number): string {
  if (measure === 'microUsd') return `$${(value / 1_000_000).toFixed(2)}`;
  if (measure === 'seconds') return `${Math.round(value / 6) / 10} minutes`;
  return `${value} ${value === 1 ? measure.slice(0, -1) : measure}`;
}
