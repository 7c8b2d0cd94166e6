// Events of rounds. Beginning reserves; the end, or the end of the lease as the reader judges it, frees what was
// reserved. The first end that replay meets counts; another one finds no live round and changes nothing.
import type {Agent} from '../agent.ts';
import {checkResults} from '../checks.ts';
import {defineEvent, type EventHead} from '../event.ts';
import {type Goal, type LiveRound, type Spend, shortRoundsMax} from '../goal.ts';
import {roundOutcomes} from '../round.ts';
import {count, flag, list, matching, number, object, oneOf, optional, text} from '../shape.ts';
import {changeGoal, type Draft, goalPath, putTodo, recordPath} from '../state.ts';
import type {Todo} from '../todo.ts';
import {roundIdShape} from './gate.ts';
import {todoIdShape} from './todo.ts';

const agentShape = matching(/^[a-z0-9_-][a-z0-9._-]*@[a-z0-9._-]+$/, 'an agent');
const reserveShape = object({
  rounds: optional(count),
  seconds: optional(count),
  tokens: optional(count),
  microUsd: optional(count),
});
const usageShape = object({
  tokens: count,
  inputTokens: optional(count),
  outputTokens: optional(count),
  cachedTokens: optional(count),
  microUsd: count,
  modelSeconds: optional(number),
  contextTokens: optional(count),
  contextWindow: optional(count),
});
const commitShape = object({
  ...{commit: text, tree: text, patch: optional(text), subject: optional(text)},
  ranges: optional(list(object({base: text, patch: text}))),
});

export const roundBegun = defineEvent(
  'round.begun',
  {
    round: roundIdShape,
    agent: agentShape,
    /** Counts the agent's rounds from 1, without gaps. */
    n: count,
    todo: optional(todoIdShape),
    until: text,
    executor: optional(text),
    head: optional(text),
    reserve: reserveShape,
  },
  {
    changes: false,
    touches: event => [recordPath.agent(event.agent)],
    fold(draft, event) {
      const {round, agent, n, todo, at, until, executor, head, reserve} = event;
      const live: LiveRound = {
        ...{round, agent, n, clock: event.clock},
        ...(todo !== undefined && {todo}),
        ...{at, until},
        ...(executor !== undefined && {executor}),
        ...(head !== undefined && {head}),
        reserve,
      };
      changeGoal(draft, goal => ({...goal, live: [...goal.live.filter(other => other.round !== round), live]}));
      changeAgent(draft, agent, record => ({...record, rounds: Math.max(record.rounds, n)}));
    },
    subject: event => `round ${event.n} of ${event.agent} begins${event.todo ? ` on ${event.todo}` : ''}`,
  },
);

export const roundRenewed = defineEvent(
  'round.renewed',
  {round: roundIdShape, until: text},
  {
    changes: false,
    touches: () => [],
    fold: (draft, event) => changeLive(draft, event.round, live => ({...live, until: event.until})),
    subject: event => `round ${event.round} goes on`,
  },
);

export const roundReported = defineEvent(
  'round.reported',
  {round: roundIdShape, outcome: oneOf(...roundOutcomes), summary: text},
  {
    changes: false,
    touches: () => [],
    fold(draft, event) {
      const report = {outcome: event.outcome, summary: event.summary};
      changeLive(draft, event.round, live => ({...live, report}));
    },
    subject: event => `round ${event.round} reports ${event.outcome}: ${event.summary}`,
  },
);

export const roundFinished = defineEvent(
  'round.finished',
  {
    round: roundIdShape,
    agent: agentShape,
    todo: optional(todoIdShape),
    outcome: oneOf(...roundOutcomes),
    summary: text,
    startedAt: text,
    seconds: count,
    usage: usageShape,
    billed: flag,
    changed: flag,
    state: text,
    commits: list(commitShape),
    checks: checkResults,
    artifacts: list(text),
    error: optional(object({class: text, message: text})),
    session: optional(text),
  },
  {
    changes: false,
    touches: event => [
      recordPath.agent(event.agent),
      recordPath.spend(event.at),
      ...(event.todo ? [recordPath.todo(event.todo)] : []),
    ],
    fold(draft, event) {
      const before = draft.get<Goal>(goalPath);
      if (!before?.live.some(other => other.round === event.round)) return;
      const unchangedSince = before.changed;
      const {round, agent, todo, outcome, summary, startedAt, seconds, usage, billed} = event;
      const {tokens, microUsd} = usage;
      const cost: Spend = {rounds: billed ? 1 : 0, seconds: billed ? seconds : 0, tokens, microUsd};
      changeGoal(draft, goal => ({
        ...goal,
        live: goal.live.filter(other => other.round !== round),
        totals: {
          ...goal.totals,
          ...addSpend(goal.totals, cost),
          ended: goal.totals.ended + 1,
          modelSeconds: round3(goal.totals.modelSeconds + (usage.modelSeconds ?? 0)),
        },
        changed: event.changed ? event.clock : goal.changed,
        ...(usage.contextTokens !== undefined && {
          context: {
            tokens: usage.contextTokens,
            ...(usage.contextWindow !== undefined && {limit: usage.contextWindow}),
          },
        }),
        rounds: [
          ...goal.rounds,
          {round, agent, ...(todo && {todo}), outcome, summary, at: startedAt, seconds, tokens, microUsd, billed},
        ].slice(-shortRoundsMax),
      }));
      spend(draft, event, agent, cost);
      changeAgent(draft, agent, record => afterRound(record, event, unchangedSince));
      const attempted = todo && billed ? draft.get<Todo>(recordPath.todo(todo)) : undefined;
      if (attempted) putTodo(draft, {...attempted, attempts: attempted.attempts + 1});
    },
    subject: event => `round by ${event.agent}: ${event.outcome}, ${event.summary}`,
  },
);

export const agentLimited = defineEvent(
  'agent.limited',
  {agent: agentShape, until: text, reason: text},
  {
    changes: false,
    touches: event => [recordPath.agent(event.agent)],
    fold(draft, event) {
      const limited = {until: event.until, reason: event.reason};
      changeAgent(draft, event.agent, record => ({...record, limited}));
    },
    subject: event => `${event.agent} has to wait until ${event.until}: ${event.reason}`,
  },
);

type Ended = {round: string; outcome: string; seconds: number; changed: boolean; state: string; billed: boolean};

/** @param changed - The clock of the goal's last change before this round ended. */
function afterRound(agent: Agent, event: EventHead & Ended, changed: number): Agent {
  const {idle, ...rest} = agent;
  const last = {round: event.round, at: event.at, seconds: event.billed ? event.seconds : 0, outcome: event.outcome};
  if (event.changed) return {...rest, last};
  // A round that never reached a model says nothing about whether there is something to do.
  if (!event.billed || event.outcome === 'interrupted') return {...agent, last};
  // A person's answer, or anybody's commit, begins the count anew.
  const rounds = idle && changed <= idle.clock && idle.state === event.state ? idle.rounds : 0;
  return {...rest, last, idle: {rounds: rounds + 1, at: event.at, clock: event.clock, state: event.state}};
}

function changeLive(draft: Draft, round: string, change: (live: LiveRound) => LiveRound): void {
  changeGoal(draft, goal => ({...goal, live: goal.live.map(live => (live.round === round ? change(live) : live))}));
}

function changeAgent(draft: Draft, name: string, change: (agent: Agent) => Agent): void {
  const path = recordPath.agent(name);
  draft.put(path, change(draft.get<Agent>(path) ?? {id: name, rounds: 0}));
}

/** Sums by UTC hour and agent. A month's file maps `2026-11-30T05 claude@mbp` to what was spent. */
function spend(draft: Draft, event: EventHead, agent: string, cost: Spend): void {
  const path = recordPath.spend(event.at);
  const month = draft.get<Record<string, Spend>>(path) ?? {};
  const key = `${event.at.slice(0, 13)} ${agent}`;
  draft.put(path, {...month, [key]: month[key] ? addSpend(month[key], cost) : cost});
}

function addSpend(a: Spend, b: Spend): Spend {
  return {
    rounds: a.rounds + b.rounds,
    seconds: a.seconds + b.seconds,
    tokens: a.tokens + b.tokens,
    microUsd: a.microUsd + b.microUsd,
  };
}

// Sums of fractions depend on their order in the last digits; thousandths don't.
function round3(value: number): number {
  return Math.round(value * 1000) / 1000;
}
