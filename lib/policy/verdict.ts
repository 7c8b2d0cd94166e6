// What is asked before a round, and what is answered. The question holds all that the answer depends on, so that the
// same situation has the same answer; the answer is a value to print, test and store, and only its reader acts on it.
import type {Agent} from '../model/agent.ts';
import type {Gate} from '../model/gate.ts';
import type {Goal, OpenTodo} from '../model/goal.ts';
import type {Watches} from './ready.ts';
import type {BudgetView, SpendMonth} from './spend.ts';

/** All that a decision depends on. */
export type Situation = {
  readonly goal: Goal;
  /** The agent that wants to work; one that never did is `{id, rounds: 0}`. */
  readonly agent: Agent;
  /** Milliseconds since the Unix epoch. */
  readonly nowMs: number;
  /** The records of the open gates, by id. */
  readonly gates: Readonly<Record<string, Gate>>;
  /** The goal's records of spend, one a month. */
  readonly months: readonly SpendMonth[];
  readonly local: LocalFacts;
};

/** What only this machine can tell. */
export type LocalFacts = {
  /** Why no round could work here, and the mend. */
  readonly preflight?: Preflight;
  /** Whether the process of a round that began here lives; rounds of other machines are left out. */
  readonly roundProcessLives: Readonly<Record<string, boolean | undefined>>;
  /** A fingerprint of the code now: of HEAD and of what is not committed. */
  readonly code: string;
  readonly watches: Watches;
};

/** Full sentences: what is wrong, and what to do. */
export type Preflight = {readonly message: string; readonly hint: string};

export type Decision = 'run' | 'ask' | 'wait' | 'skip' | 'throttle' | 'stop';

export type Reason =
  | 'preflight_failed'
  | 'goal_finished'
  | 'goal_paused'
  | 'round_in_progress'
  | 'gate_open'
  | 'rate_limited'
  | 'not_due'
  | 'budget_exhausted'
  | 'nothing_ready'
  | 'needs_plan'
  | 'nothing_to_do'
  | 'no_change'
  | 'stalled'
  | 'safe_fallback'
  | 'todo_ready';

export type Verdict = {
  readonly decision: Decision;
  readonly shouldRun: boolean;
  readonly reason: Reason;
  /** For a person: what holds, and what to do about it. */
  readonly message: string;
  /** The todo to take, or the one that the question is about. */
  readonly todo: OpenTodo | null;
  /** The question that stops the agent, or that stops other work. */
  readonly gate: Gate | null;
  /** Whether this is what is left to do while a gate stops other work. */
  readonly fallback: boolean;
  readonly budget: BudgetView;
  /** When to look again, in ISO 8601; null where only a change can help. */
  readonly nextCheckAt: string | null;
  /** Asking costs nothing. */
  readonly billed: false;
};

/** What a row of the table says; the rest of a verdict follows. */
export type Ruling = Pick<Verdict, 'decision' | 'reason' | 'message'> &
  Partial<Pick<Verdict, 'todo' | 'gate' | 'fallback'>> & {readonly nextCheckMs?: number};
