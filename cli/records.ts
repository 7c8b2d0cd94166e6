// Records as `--json` shows them to programs: every field that is promised is there, null where there is none, and none
// of the bookkeeping that only replay needs.
import type {Decision} from '../lib/model/decision.ts';
import type {Gate} from '../lib/model/gate.ts';
import type {Goal} from '../lib/model/goal.ts';
import {isClosed, owningClaim, type Todo} from '../lib/model/todo.ts';

/** Returns a goal as programs see it. */
export function goalJson(goal: Goal): object {
  const {heads: _, open: __, live: ___, rounds: ____, created: _____, ...shown} = goal;
  return {...shown, phase: goal.phase ?? null, schedule: goal.schedule ?? null, finished: goal.finished ?? null};
}

/** Returns a todo as programs see it; `claim` is the one that owns it now. */
export function todoJson(todo: Todo, nowMs: number): object {
  const {heads: _, created: __, clock: ___, claims, ...shown} = todo;
  const absent = {
    ...{parent: null, dependsOn: [], agent: null, executor: null, phase: null, detail: null, watch: null},
    ...{reason: null, result: null, verified: null, checks: []},
  };
  const claim = isClosed(todo.status) ? undefined : owningClaim(claims, nowMs);
  return {...absent, ...shown, required: todo.required !== false, claim: claim ?? null};
}

/** Returns a gate as programs see it. */
export function gateJson(gate: Gate): object {
  const {heads: _, created: __, ...shown} = gate;
  return {recommend: null, answer: null, evidence: null, ...shown};
}

/** Returns a decision as programs see it. */
export function decisionJson(decision: Decision): object {
  const {created: _, ...shown} = decision;
  return {why: null, replaces: [], replacedBy: null, round: null, ...shown};
}
