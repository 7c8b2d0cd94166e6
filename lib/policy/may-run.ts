// May it run? One table decides, and the first row that applies. Its order is its meaning: what is broken comes before
// what is over, a person's word before any budget, a budget before any work. Looking writes nothing and costs nothing.
import {blocksWork} from '../model/gate.ts';
import {type OpenTodo, openGates, openTodos} from '../model/goal.ts';
import {needsPlan} from './plan.ts';
import {hasFired, type Readiness, sortTodos} from './ready.ts';
import {dueMs, isoTime, skewMsMax} from './schedule.ts';
import * as say from './sentences.ts';
import {type BudgetView, viewBudget} from './spend.ts';
import {backOffMs, isStalled, type Standstill, stalledTodo, stallQuestion, standstillOf} from './stall.ts';
import type {Preflight, Ruling, Situation, Verdict} from './verdict.ts';

/** How often to look again at what can change without a trace in the goal: a watch, a process. */
const lookAgainMs = 60_000;

/** What several rows look at. */
type View = Situation &
  Readiness & {
    readonly budget: BudgetView;
    readonly dueMs: number;
    readonly still: Standstill | undefined;
    /** When an agent that stands still tries again. */
    readonly retryMs: number;
  };

type Row = {readonly name: string; readonly decides: (view: View) => Ruling | undefined};

/** The decision table; the first row that applies decides. */
export const decisionTable: readonly Row[] = [
  {name: 'this machine can work', decides: ({local}) => local.preflight && preflightRuling(local.preflight)},
  {name: 'the goal is not over', decides: decideFinished},
  {name: 'the goal is not paused', decides: decidePaused},
  {name: 'the agent has no round', decides: decideLive},
  {name: 'no gate stops the agent', decides: decideGate},
  {name: 'its service takes work', decides: decideLimited},
  {name: 'it is due', decides: decideDue},
  {name: 'there is budget', decides: decideBudget},
  {name: 'a todo is ready', decides: decideHeld},
  {name: 'there are todos', decides: decidePlan},
  {name: 'what is watched has changed', decides: decideWatched},
  {name: 'the last round changed something', decides: decideStill},
  {name: 'work that no gate stops', decides: decideFallback},
  {name: 'work', decides: decideReady},
];

/** Says whether an agent may begin a round now, and with what. */
export function mayRun(situation: Situation): Verdict {
  const view = viewOf(situation);
  for (const row of decisionTable) {
    const ruling = row.decides(view);
    if (ruling) return verdictOf(ruling, view.budget);
  }

  throw new Error('The decision table has a gap: its last row always decides.');
}

/** Returns the verdict where not even the goal can be read. */
export function preflightVerdict(preflight: Preflight): Verdict {
  return verdictOf(preflightRuling(preflight), {lines: [], exhausted: null});
}

function viewOf(situation: Situation): View {
  const {goal, agent, nowMs, months, local} = situation;
  const still = standstillOf(goal, agent, local.code);
  return {
    ...situation,
    ...sortTodos(goal, agent, {nowMs, watches: local.watches}),
    budget: viewBudget(goal, months, nowMs),
    dueMs: dueMs(goal, agent, nowMs),
    still,
    retryMs: still ? retryMs(still, nowMs) : 0,
  };
}

// A standstill that begins in the future was told by a wrong clock and makes nobody wait.
function retryMs(still: Standstill, nowMs: number): number {
  const sinceMs = Date.parse(still.at);
  return sinceMs <= nowMs + skewMsMax ? sinceMs + backOffMs(still.rounds) : 0;
}

function verdictOf(ruling: Ruling, budget: BudgetView): Verdict {
  const {decision, reason, message, todo = null, gate = null, fallback = false, nextCheckMs} = ruling;
  const nextCheckAt = nextCheckMs === undefined ? null : (isoTime(nextCheckMs) ?? null);
  return {
    ...{decision, shouldRun: decision === 'run', reason, message, todo, gate, fallback},
    ...{budget, nextCheckAt, billed: false},
  };
}

function preflightRuling({message, hint}: Preflight): Ruling {
  return {decision: 'wait', reason: 'preflight_failed', message: `${message} ${hint}`};
}

function decideFinished({goal}: View): Ruling | undefined {
  if (goal.status !== 'finished' && goal.status !== 'archived') return undefined;
  return {decision: 'stop', reason: 'goal_finished', message: say.finishedSentence(goal)};
}

function decidePaused({goal}: View): Ruling | undefined {
  const {compute} = goal.policy;
  if (goal.status !== 'paused' && (compute === undefined || compute > 0)) return undefined;
  return {decision: 'stop', reason: 'goal_paused', message: say.pausedSentence(goal)};
}

// A process that is known to live holds its agent even where a sleeping machine let the lease run out: two rounds in
// one worktree would undo each other. One that is known to be dead holds nobody.
function decideLive({goal, agent, nowMs, local}: View): Ruling | undefined {
  const live = goal.live.find(({round, agent: name, until}) => {
    const lives = local.roundProcessLives[round];
    return name === agent.id && lives !== false && (lives || Date.parse(until) > nowMs);
  });
  if (!live) return undefined;
  const message = say.roundSentence(live, nowMs);
  const nextCheckMs = Math.max(Date.parse(live.until), nowMs + (local.roundProcessLives[live.round] ? lookAgainMs : 0));
  return {decision: 'wait', reason: 'round_in_progress', message, nextCheckMs};
}

function decideGate({goal, agent, gates, ready, held}: View): Ruling | undefined {
  const whole = openGates(goal).find(({blocks}) => blocksWork(blocks, {agent: agent.id}));
  if (whole) {
    const gate = gates[whole.id];
    return {decision: 'ask', reason: 'gate_open', message: say.gateSentence(whole, gate), gate: gate ?? null};
  }

  if (ready.length > 0) return undefined;
  for (const {todo, obstacle} of held) {
    if (obstacle.kind !== 'gate') continue;
    const gate = gates[obstacle.gate.id];
    const message = say.gateSentence(obstacle.gate, gate);
    return {decision: 'ask', reason: 'gate_open', message, todo, gate: gate ?? null};
  }

  return undefined;
}

function decideLimited({agent, nowMs}: View): Ruling | undefined {
  const {limited} = agent;
  if (!limited || !(Date.parse(limited.until) > nowMs)) return undefined;
  const message = say.limitSentence(agent.id, limited);
  return {decision: 'wait', reason: 'rate_limited', message, nextCheckMs: Date.parse(limited.until)};
}

function decideDue({agent, nowMs, dueMs}: View): Ruling | undefined {
  if (dueMs <= nowMs) return undefined;
  return {decision: 'wait', reason: 'not_due', message: say.dueSentence(agent.id, dueMs), nextCheckMs: dueMs};
}

function decideBudget({budget}: View): Ruling | undefined {
  const line = budget.exhausted;
  if (!line) return undefined;
  const ruling: Ruling = {decision: 'throttle', reason: 'budget_exhausted', message: say.budgetSentence(line)};
  return line.freesAt === null ? ruling : {...ruling, nextCheckMs: Date.parse(line.freesAt)};
}

function decideHeld({ready, held, nowMs}: View): Ruling | undefined {
  if (ready.length > 0 || held.length === 0 || held.every(({obstacle}) => obstacle.kind === 'unchanged'))
    return undefined;
  const looks = held.flatMap(({obstacle}) => {
    if (obstacle.kind === 'claimed') return [obstacle.untilMs];
    return obstacle.kind === 'unchanged' ? [nowMs + lookAgainMs] : [];
  });
  const nextCheckMs = Math.min(...looks);
  return {decision: 'wait', reason: 'nothing_ready', message: say.heldSentence(held), nextCheckMs};
}

function decidePlan(view: View): Ruling | undefined {
  const {goal, agent, still} = view;
  if (openTodos(goal).length > 0) return undefined;
  if (!needsPlan(goal, agent, still)) {
    return {decision: 'skip', reason: 'nothing_to_do', message: say.nothingSentence(goal)};
  }

  return stillRuling(view) ?? {decision: 'run', reason: 'needs_plan', message: say.planSentence(goal)};
}

function decideWatched({ready, held, nowMs}: View): Ruling | undefined {
  if (ready.length > 0) return undefined;
  const message = say.watchSentence(held.map(({todo}) => todo));
  return {decision: 'skip', reason: 'no_change', message, nextCheckMs: nowMs + lookAgainMs};
}

// A todo whose watch fired is itself a change.
function decideStill(view: View): Ruling | undefined {
  return view.ready.some(todo => hasFired(todo, view.local.watches)) ? undefined : stillRuling(view);
}

function stillRuling({goal, agent, ready, still, retryMs, nowMs}: View): Ruling | undefined {
  if (!still) return undefined;
  if (isStalled(goal, still)) {
    const todo = stalledTodo(goal, agent, ready[0]);
    const {question} = stallQuestion(goal, agent, still, todo);
    return {decision: 'ask', reason: 'stalled', message: question, todo: todo ?? null};
  }

  if (retryMs <= nowMs) return undefined;
  const message = say.idleSentence(agent.id, still.rounds, retryMs);
  return {decision: 'skip', reason: 'no_change', message, nextCheckMs: retryMs};
}

function decideFallback(view: View): Ruling | undefined {
  const todo = chosen(view);
  const todos = openTodos(view.goal);
  const open = openGates(view.goal).find(({blocks}) => todos.some(({id}) => blocks.includes(`todo:${id}`)));
  if (!open) return undefined;
  const [message, gate] = [say.readySentence(todo, open), view.gates[open.id] ?? null];
  return {decision: 'run', reason: 'safe_fallback', message, todo, gate, fallback: true};
}

function decideReady(view: View): Ruling {
  const todo = chosen(view);
  return {decision: 'run', reason: 'todo_ready', message: say.readySentence(todo, undefined), todo};
}

// While the rest stands still, only what has fired is worth a round.
function chosen({ready, still, retryMs, nowMs, goal, local}: View): OpenTodo {
  const rests = still !== undefined && (isStalled(goal, still) || retryMs > nowMs);
  return (rests ? ready.find(todo => hasFired(todo, local.watches)) : undefined) ?? ready[0]!;
}
