// A goal is what all rounds serve. Its record, goal.yaml, holds what one screen of status needs: the cost of looking
// depends on what is open, never on how much has happened. `open`, totals and live rounds are derived by the fold.
import type {CheckpointTrigger} from './checkpoint.ts';
import type {CheckCommand} from './checks.ts';
import type {GateBlock} from './gate.ts';
import type {Registers} from './register.ts';
import type {Claim, TodoStatus} from './todo.ts';

/** The format of the records. What changes a fold's output or the writer's bytes is a new format. */
export const goalFormat = 1;

/** How many rounds goal.yaml tells in short. */
export const shortRoundsMax = 10;

export type GoalStatus = 'active' | 'paused' | 'finished' | 'archived';

export type Goal = Registers & {
  readonly format: number;
  readonly id: string;
  readonly objective: string;
  readonly status: GoalStatus;
  readonly phase?: string;
  readonly acceptance: readonly CheckCommand[];
  readonly constraints: readonly string[];
  /** Path patterns that the work may touch; none means all. */
  readonly scope: readonly string[];
  readonly policy: Policy;
  readonly schedule?: Schedule;
  readonly createdAt: string;
  readonly createdBy: string;
  readonly finished?: {readonly commit: string; readonly tree: string; readonly at: string; readonly by: string};
  readonly amendments: readonly Amendment[];
  readonly grants: readonly Grant[];
  readonly clock: number;
  /** Clock of the last event that is more than a round's book-keeping. */
  readonly changed: number;
  readonly totals: Totals;
  /** The newest checkpoint, unless it was pruned. */
  readonly checkpoint?: {readonly id: string; readonly at: string; readonly trigger: CheckpointTrigger};
  /** What the last round's context held at its last call, and the window's size. */
  readonly context?: {readonly tokens: number; readonly limit?: number};
  readonly live: readonly LiveRound[];
  readonly rounds: readonly ShortRound[];
  readonly open: readonly OpenItem[];
};

export type Amendment = {readonly id: string; readonly at: string; readonly by: string; readonly text: string};

/** What may be spent; `compute` is the share of wall time that rounds may take, 0 to 1. */
export type Policy = {
  readonly compute?: number;
  /** After so many rounds in a row that changed nothing, a person is asked. */
  readonly stallAfter?: number;
  readonly budgets?: readonly Budget[];
};

/** A limit for a rolling window of so many hours, or for the whole life of the goal. */
export type Budget = {readonly hours?: number} & Partial<Spend>;

/** What rounds cost. Money is in millionths of a US dollar, so that sums don't depend on their order. */
export type Spend = {
  readonly rounds: number;
  readonly seconds: number;
  readonly tokens: number;
  readonly microUsd: number;
};

export type Grant = Partial<Spend> & {readonly id: string; readonly at: string; readonly until?: string};

export type Schedule = {readonly everySeconds: number};

export type Totals = Spend & {
  readonly events: number;
  /** All rounds that ended, also those that were not billed. */
  readonly ended: number;
  readonly modelSeconds: number;
  readonly todos: number;
  readonly done: number;
  readonly verified: number;
  readonly dropped: number;
};

/** A round that has begun and not ended. */
export type LiveRound = {
  readonly round: string;
  readonly agent: string;
  readonly n: number;
  /** The goal's clock when it began: what changed later changed meanwhile. */
  readonly clock: number;
  readonly todo?: string;
  readonly at: string;
  readonly until: string;
  readonly executor?: string;
  readonly head?: string;
  readonly reserve: Partial<Spend>;
  readonly report?: {readonly outcome: string; readonly summary: string};
};

export type ShortRound = {
  readonly round: string;
  readonly agent: string;
  readonly todo?: string;
  readonly outcome: string;
  readonly summary: string;
  readonly at: string;
  readonly seconds: number;
  readonly tokens: number;
  readonly microUsd: number;
  readonly billed: boolean;
};

export type OpenItem = OpenTodo | OpenGate;

export type OpenTodo = {
  readonly id: string;
  readonly status: TodoStatus;
  readonly priority: number;
  readonly rank?: number;
  /** The clock of its creation. */
  readonly clock: number;
  readonly parent?: string;
  readonly dependsOn?: readonly string[];
  readonly agent?: string;
  readonly watch?: string;
  readonly watched?: string;
  readonly claims?: readonly Claim[];
  readonly title: string;
};

export type OpenGate = {
  readonly id: string;
  readonly status: 'open';
  readonly blocks: readonly GateBlock[];
  readonly title: string;
};

export const noTotals: Totals = {
  events: 0,
  ended: 0,
  rounds: 0,
  seconds: 0,
  tokens: 0,
  microUsd: 0,
  modelSeconds: 0,
  todos: 0,
  done: 0,
  verified: 0,
  dropped: 0,
};

export function isOpenGate(item: OpenItem): item is OpenGate {
  return item.id.startsWith('g-');
}

/** Returns the open todos in the order in which they should be worked on. */
export function openTodos(goal: Goal): readonly OpenTodo[] {
  return goal.open.filter(item => !isOpenGate(item)) as readonly OpenTodo[];
}

/** Returns the open gates, oldest first. */
export function openGates(goal: Goal): readonly OpenGate[] {
  return goal.open.filter(isOpenGate);
}
