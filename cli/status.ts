// Gathers what one screen of status tells. The cost depends on what is open, never on how much has happened.
import {scanCommits} from '../lib/evidence/scan.ts';
import {monthsOf} from '../lib/loop/situation.ts';
import type {Checkpoint} from '../lib/model/checkpoint.ts';
import type {Gate} from '../lib/model/gate.ts';
import {isOpenGate, type OpenTodo, openGates, openTodos} from '../lib/model/goal.ts';
import {recordPath} from '../lib/model/state.ts';
import {owningClaim} from '../lib/model/todo.ts';
import {sortTodos} from '../lib/policy/ready.ts';
import {type BudgetView, viewBudget} from '../lib/policy/spend.ts';
import {goalSize} from '../lib/store/size.ts';
import type {GoalView} from '../lib/store/view.ts';
import {claimant} from './person.ts';
import type {Session} from './session.ts';

export type Status = {
  readonly view: GoalView;
  readonly gates: readonly Gate[];
  readonly next: OpenTodo | undefined;
  readonly counts: {
    readonly open: number;
    readonly claimed: number;
    readonly blocked: number;
    readonly done: number;
    readonly verified: number;
  };
  readonly budget: BudgetView;
  readonly checkpoint: Checkpoint | undefined;
  readonly untracked: number;
  /** What the last agent's context held at its last call. */
  readonly context: {readonly tokens: number; readonly limit: number | null} | undefined;
  /** What the goal's history takes on disk. */
  readonly sizeBytes: number;
};

/** Reads all of it. */
export async function readStatus(session: Session): Promise<Status> {
  const {world} = session;
  const nowMs = world.now();
  const scanning = session.repository().then(repository => scanCommits(repository, world));
  const [view, repository, id, scan] = await Promise.all([
    session.view(),
    session.repository(),
    claimant(session),
    scanning,
  ]);
  const {goal} = view;
  const [gates, months, checkpoint, sizeBytes] = await Promise.all([
    view.load(openGates(goal).map(gate => recordPath.gate(gate.id))),
    monthsOf(view, nowMs),
    goal.checkpoint && view.get<Checkpoint>(recordPath.checkpoint(goal.checkpoint.id)),
    goalSize(repository, view),
  ]);
  const agent = {id, rounds: 0};
  const {ready} = sortTodos(goal, agent, {nowMs, watches: {}});
  const todos = openTodos(goal);
  const claimed = todos.filter(todo => owningClaim(todo.claims, nowMs)).length;
  return {
    view,
    gates: [...gates.values()] as unknown as readonly Gate[],
    next: ready[0] ?? todos.find(todo => todo.status === 'open'),
    counts: {
      open: goal.open.filter(item => !isOpenGate(item)).length,
      claimed,
      blocked: todos.filter(todo => todo.status === 'blocked').length,
      done: goal.totals.done,
      verified: goal.totals.verified,
    },
    budget: viewBudget(goal, months, nowMs),
    checkpoint,
    untracked: scan.untracked,
    context: goal.context && {tokens: goal.context.tokens, limit: goal.context.limit ?? null},
    sizeBytes,
  };
}
