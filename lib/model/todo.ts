// A todo is one step. A claim on it is a lease, not a lock: when an agent dies the lease runs out and the todo is free
// again, with nobody having to notice the death. The fold keeps claims and never looks at the time; readers judge.
import type {CheckCommand} from './checks.ts';
import type {Registers} from './register.ts';

export type TodoStatus = 'open' | 'blocked' | 'done' | 'dropped';

export type Todo = Registers & {
  readonly id: string;
  readonly title: string;
  readonly status: TodoStatus;
  readonly priority: number;
  readonly rank?: number;
  readonly detail?: string;
  readonly phase?: string;
  readonly parent?: string;
  readonly dependsOn?: readonly string[];
  /** The only agent, or kind of agent (`codex`), that may take it. */
  readonly agent?: string;
  readonly executor?: string;
  readonly checks?: readonly CheckCommand[];
  /** Whether the goal needs it; left out means yes. */
  readonly required?: boolean;
  readonly reason?: string;
  readonly result?: string;
  readonly watch?: string;
  readonly watched?: string;
  readonly attempts: number;
  /** The newest checkpoint of its rounds; it may have been pruned. */
  readonly checkpoint?: string;
  readonly verified?: Verified;
  readonly claims: readonly Claim[];
  readonly createdAt: string;
  readonly createdBy: string;
  /** The clock of its creation: among equals, the older comes first. */
  readonly clock: number;
};

export type Claim = {readonly id: string; readonly agent: string; readonly until: string};

export type Verified = {
  /** The working tree on which loopx ran the checks. */
  readonly tree: string;
  readonly checks: readonly CheckCommand[];
  readonly by: string;
  readonly at: string;
};

/** The priorities run from 0, at once, to 4, some day. */
export const priorityDefault = 2;

export function isClosed(status: TodoStatus): boolean {
  return status === 'done' || status === 'dropped';
}

/**
 * Returns the claim that owns a todo: the earliest whose lease is running.
 *
 * @param nowMs - Milliseconds since the Unix epoch, by the reader's clock.
 */
export function owningClaim(claims: readonly Claim[] | undefined, nowMs: number): Claim | undefined {
  return claims?.find(claim => Date.parse(claim.until) > nowMs);
}
