// Which open todos an agent could take now, and what stands in the way of the others. A todo that the agent holds
// already comes first: it goes on with its own. The rest keeps the goal's order, by priority and rank.
import type {Agent} from '../model/agent.ts';
import {blocksWork} from '../model/gate.ts';
import {type Goal, type OpenGate, type OpenTodo, openGates, openTodos} from '../model/goal.ts';
import {type Claim, owningClaim} from '../model/todo.ts';

/** Why a todo can't be taken; a gate is named only where nothing else is in the way. */
export type Obstacle =
  /** Called blocked, by something outside loopx. */
  | {readonly kind: 'blocked'}
  /** Meant for another agent. */
  | {readonly kind: 'agent'}
  /** Another agent's lease is running. */
  | {readonly kind: 'claimed'; readonly by: string; readonly untilMs: number}
  /** Todos it depends on are not closed. */
  | {readonly kind: 'depends'}
  /** It has children that are not closed. */
  | {readonly kind: 'children'}
  /** It watches something that is as it was. */
  | {readonly kind: 'unchanged'}
  /** It watches something that could not be looked at here. */
  | {readonly kind: 'unseen'}
  | {readonly kind: 'gate'; readonly gate: OpenGate};

export type HeldTodo = {readonly todo: OpenTodo; readonly obstacle: Obstacle};

export type Readiness = {readonly ready: readonly OpenTodo[]; readonly held: readonly HeldTodo[]};

/** Fingerprints of what this machine can watch, by the todo's `watch`. */
export type Watches = Readonly<Record<string, string | undefined>>;

/** Sorts the open todos into those that the agent could take now and those that it could not. */
export function sortTodos(goal: Goal, agent: Agent, facts: {nowMs: number; watches: Watches}): Readiness {
  const todos = openTodos(goal);
  const open = new Set(todos.map(todo => todo.id));
  const parents = new Set(todos.map(todo => todo.parent));
  const gates = openGates(goal);
  const mine: OpenTodo[] = [];
  const free: OpenTodo[] = [];
  const held: HeldTodo[] = [];
  for (const todo of todos) {
    const claim = owningClaim(todo.claims, facts.nowMs);
    const obstacle =
      ownObstacle(todo, agent.id, claim) ??
      linkObstacle(todo, open, parents) ??
      watchObstacle(todo, facts.watches) ??
      stopObstacle(todo, agent.id, gates);
    if (obstacle) held.push({todo, obstacle});
    else (claim ? mine : free).push(todo);
  }

  return {ready: [...mine, ...free], held};
}

/** Says whether a todo watches something that has changed since it was last looked at. */
export function hasFired(todo: OpenTodo, watches: Watches): boolean {
  if (todo.watch === undefined || todo.watched === undefined) return false;
  const seen = fingerprint(todo.watch, watches);
  return seen !== undefined && seen !== todo.watched;
}

function ownObstacle(todo: OpenTodo, name: string, claim: Claim | undefined): Obstacle | undefined {
  if (todo.agent !== undefined && todo.agent !== name && todo.agent !== name.split('@')[0]) return {kind: 'agent'};
  if (!claim || claim.agent === name) return undefined;
  return {kind: 'claimed', by: claim.agent, untilMs: Date.parse(claim.until)};
}

function linkObstacle(
  {id, dependsOn}: OpenTodo,
  open: ReadonlySet<string>,
  parents: ReadonlySet<string | undefined>,
): Obstacle | undefined {
  if (dependsOn?.some(other => open.has(other))) return {kind: 'depends'};
  return parents.has(id) ? {kind: 'children'} : undefined;
}

// Whoever blocks a todo and asks about it waits for the answer: the gate says more than the status.
function stopObstacle({id, status}: OpenTodo, name: string, gates: readonly OpenGate[]): Obstacle | undefined {
  const gate = gates.find(({blocks}) => blocksWork(blocks, {todo: id, agent: name}));
  if (gate) return {kind: 'gate', gate};
  return status === 'open' ? undefined : {kind: 'blocked'};
}

function watchObstacle({watch, watched}: OpenTodo, watches: Watches): Obstacle | undefined {
  if (watch === undefined) return undefined;
  const seen = fingerprint(watch, watches);
  if (seen === undefined) return {kind: 'unseen'};
  return seen === watched ? {kind: 'unchanged'} : undefined;
}

// What is watched is named by people, who may call it "constructor".
function fingerprint(watch: string, watches: Watches): string | undefined {
  return Object.hasOwn(watches, watch) ? watches[watch] : undefined;
}
