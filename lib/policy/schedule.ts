// When an agent is due again: by the goal's schedule, and by its duty cycle, the share of wall time that rounds may
// take. Both count from the end of the agent's last round, so that a late round is never followed by a burst.
import type {Agent} from '../model/agent.ts';
import type {Goal} from '../model/goal.ts';

/** A time that lies further ahead than this comes from a clock that is wrong. */
export const skewMsMax = 3_600_000;

const dateMsMax = 8.64e15;

/**
 * Returns when this agent's next round is due, in milliseconds since the Unix epoch; a time in the past is due now.
 *
 * A last round that ended more than an hour from now was told by a wrong clock and holds nobody up.
 */
export function dueMs(goal: Goal, agent: Agent, nowMs: number): number {
  if (!agent.last) return 0;
  const endedMs = Date.parse(agent.last.at);
  if (!(endedMs <= nowMs + skewMsMax)) return 0;
  const everyMs = (goal.schedule?.everySeconds ?? 0) * 1000;
  return endedMs + Math.max(everyMs, restSeconds(agent.last.seconds, goal.policy.compute) * 1000);
}

/** Returns how long to rest after a round of so many seconds, so that rounds take the share `compute` of the time. */
export function restSeconds(roundSeconds: number, compute: number | undefined): number {
  if (compute === undefined || compute >= 1) return 0;
  return compute <= 0 ? Number.POSITIVE_INFINITY : roundSeconds * (1 / compute - 1);
}

/** Returns a time in ISO 8601, or undefined for one that never comes. */
export function isoTime(ms: number): string | undefined {
  return Number.isFinite(ms) ? new Date(Math.min(Math.max(ms, 0), dateMsMax)).toISOString() : undefined;
}

/** Returns an ISO time as people read it, to the minute: `2026-12-02 01:00 UTC`. */
export function clockTime(iso: string): string {
  const at = Date.parse(iso);
  const text = Number.isNaN(at) ? undefined : isoTime(at);
  return text ? `${text.slice(0, 10)} ${text.slice(11, 16)} UTC` : iso;
}
