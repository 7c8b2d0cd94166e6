// When rounds change nothing. The agent's record remembers what its last round saw: as long as neither the goal nor the
// code has moved since, another round would find the same. So loopx waits longer each time, and then asks a person.
import type {Agent} from '../model/agent.ts';
import {type Goal, type OpenTodo, openTodos} from '../model/goal.ts';
import {plainLine} from '../model/plain-text.ts';

const stallAfterDefault = 3;
const backOffMsFirst = 60_000;
const backOffMsMax = 3_600_000;
const quoteMax = 120;

/** How long the agent has stood still. */
export type Standstill = NonNullable<Agent['idle']>;

/** A question to a person, as a gate of the kind `stalled` asks it. */
export type StallQuestion = {
  readonly question: string;
  readonly options: readonly string[];
  readonly recommend: string;
};

/**
 * Returns since when nothing has changed for this agent, or undefined where it did change.
 *
 * @param code - A fingerprint of the code now: of HEAD and of what is not committed.
 */
export function standstillOf(goal: Goal, {idle}: Agent, code: string): Standstill | undefined {
  return idle && goal.changed <= idle.clock && idle.state === code ? idle : undefined;
}

/** Says whether a person is to be asked rather than the agent tried again. */
export function isStalled(goal: Goal, still: Standstill): boolean {
  return still.rounds >= Math.max(1, goal.policy.stallAfter ?? stallAfterDefault);
}

/** Returns how long to wait after so many rounds in a row that changed nothing: a minute, doubled each time. */
export function backOffMs(idleRounds: number): number {
  return Math.min(backOffMsMax, backOffMsFirst * 2 ** Math.max(0, idleRounds - 1));
}

/** Returns the todo that the agent stands still on: its last round's, or else the one that it would take next. */
export function stalledTodo(goal: Goal, agent: Agent, next: OpenTodo | undefined): OpenTodo | undefined {
  const last = goal.rounds.findLast(round => round.agent === agent.id && round.billed);
  return openTodos(goal).find(({id}) => id === last?.todo) ?? next;
}

/**
 * Returns what to ask a person about an agent that stands still: what repeated, how often, and what to choose.
 *
 * @param todo - What it stands still on; none where its rounds were to plan.
 */
export function stallQuestion(goal: Goal, agent: Agent, still: Standstill, todo: OpenTodo | undefined): StallQuestion {
  const times = still.rounds === 1 ? 'in its last round' : `in ${still.rounds} rounds in a row`;
  const last = goal.rounds.findLast(round => round.agent === agent.id && round.billed);
  const said = last ? ` The last one said "${plainLine(last.summary, quoteMax)}".` : '';
  const on = todo ? `${todo.id} "${plainLine(todo.title, quoteMax)}"` : 'its plan';
  return {
    question:
      `${agent.id} changed nothing ${times}; it stands still on ${on}.${said} ` +
      `Should it try again, ${todo ? 'drop this todo, ' : ''}or pause the goal?`,
    options: ['try again', ...(todo ? ['drop this todo'] : []), 'pause the goal'],
    recommend: 'pause the goal',
  };
}
