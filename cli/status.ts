// Gathers what one screen of status tells. The cost depends on what is open, never on how much has happened.
import {scanCommits} from '../lib/evidence/scan.ts';
import {Failure} from '../lib/failure.ts';
import {openGit} from '../lib/git/command.ts';
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
import {readSyncStates, type SyncState} from '../lib/sync/waiting.ts';
import {chooseGoal} from './choose-goal.ts';
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
  /** How many commits on HEAD belong to no round; undefined where nobody can tell, as of a remote. */
  readonly untracked: number | undefined;
  /** What the last agent's context held at its last call. */
  readonly context: {readonly tokens: number; readonly limit: number | null} | undefined;
  /** How the goal stands with each connected remote, going by where it was last seen. */
  readonly sync: readonly SyncState[];
  /** What the goal's history takes on disk; undefined for a remote. */
  readonly sizeBytes: number | undefined;
  /** Where it was read, if not here. */
  readonly remote: string | undefined;
};

/** Reads all of it, of the goal that the command is about. */
export async function readStatus(session: Session): Promise<Status> {
  const {world} = session;
  const scanning = session.repository().then(repository => scanCommits(repository, world));
  const [view, repository, id, scan] = await Promise.all([
    session.view(),
    session.repository(),
    claimant(session),
    scanning,
  ]);
  const [state, sync, sizeBytes] = await Promise.all([
    stateOf(view, id, world.now()),
    session.store().then(store => readSyncStates(repository, store, view)),
    goalSize(repository, view),
  ]);
  return {...state, untracked: scan.untracked, sync, sizeBytes, remote: undefined};
}

/** Where to look: a URL or a remote's name, as seen from a folder, which need not be in a repository. */
export type Elsewhere = {readonly remote: string; readonly dir: string; readonly goal: string | undefined};

/** Reads what the tip of a goal elsewhere tells. */
export async function readRemoteStatus({world, signal, agent}: Session, at: Elsewhere): Promise<Status> {
  const {peekGoals} = await import('../lib/store/peek.ts');
  const peek = await peekGoals(openGit(at.dir, world.env), at.remote, world, signal);
  try {
    if ((await peek.reader.tips()).size === 0) {
      throw new Failure('no-goal', `There is no goal at ${peek.url}, or it does not show any.`, {
        hint: 'Goals get there by `loopx sync`, or by a push of a clone that is connected.',
      });
    }

    const view = await chooseGoal(peek.reader, {named: at.goal ?? world.env.LOOPX_GOAL});
    const state = await stateOf(view, agent ?? '', world.now());
    return {...state, untracked: undefined, sync: [], sizeBytes: undefined, remote: peek.url};
  } finally {
    await peek.close();
  }
}

/** @param id - Who asks: a todo may be for some agents only. */
async function stateOf(view: GoalView, id: string, nowMs: number) {
  const {goal} = view;
  const [gates, months, checkpoint] = await Promise.all([
    view.load(openGates(goal).map(gate => recordPath.gate(gate.id))),
    monthsOf(view, nowMs),
    goal.checkpoint && view.get<Checkpoint>(recordPath.checkpoint(goal.checkpoint.id)),
  ]);
  const agent = {id, rounds: 0};
  const {ready} = sortTodos(goal, agent, {nowMs, watches: {}});
  const todos = openTodos(goal);
  const claimed = todos.filter(todo => owningClaim(todo.claims, nowMs)).length;
  return {
    view,
    gates: [...gates.values()] as unknown as readonly Gate[],
    next: ready[0],
    counts: {
      open: goal.open.filter(item => !isOpenGate(item)).length,
      claimed,
      blocked: todos.filter(todo => todo.status === 'blocked').length,
      done: goal.totals.done,
      verified: goal.totals.verified,
    },
    budget: viewBudget(goal, months, nowMs),
    checkpoint,
    context: goal.context && {tokens: goal.context.tokens, limit: goal.context.limit ?? null},
  };
}
