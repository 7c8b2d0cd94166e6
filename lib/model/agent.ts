// What the goal knows of one agent: how many rounds it began, whether it idles, whether its service limits it.

export type Agent = {
  readonly id: string;
  /** Counts this agent's rounds, without gaps: a missing number is a missing record. */
  readonly rounds: number;
  readonly last?: {readonly round: string; readonly at: string; readonly seconds: number; readonly outcome: string};
  /** Set while the last rounds changed nothing: how many, since when, and the state that they saw. */
  readonly idle?: {readonly rounds: number; readonly at: string; readonly clock: number; readonly state: string};
  readonly limited?: {readonly until: string; readonly reason: string};
};
