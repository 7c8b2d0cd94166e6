// A decision: what was decided, why, and what it replaces. Kept apart from the chatter and part of every brief.

export type Decision = {
  readonly id: string;
  readonly created: string;
  readonly text: string;
  readonly why?: string;
  readonly replaces?: readonly string[];
  /** The decision that took this one's place. */
  readonly replacedBy?: string;
  readonly round?: string;
  readonly at: string;
  readonly by: string;
};
