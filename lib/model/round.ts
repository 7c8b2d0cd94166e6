// A round is one bounded turn of an agent. Its events are the log: the state keeps the live rounds and the last few in
// short, and what they cost in sums.
import type {CheckResult} from './checks.ts';

/** How a round ended. */
export const roundOutcomes = ['progress', 'done', 'no-change', 'blocked', 'failed', 'interrupted'] as const;

export type RoundOutcome = (typeof roundOutcomes)[number];

/** Why an agent failed, in the words of its executor. */
export type RoundError = {readonly class: string; readonly message: string};

/** A code commit that a round made: by tree and patch-id it is found again after a rebase or a squash. */
export type RoundCommit = {
  readonly commit: string;
  readonly tree: string;
  readonly patch?: string;
  readonly subject?: string;
  /** On the last commit of a round: what lies between an older commit and this one, as one patch. */
  readonly ranges?: readonly CommitRange[];
};

/** A squash merge makes one commit with this patch-id, and from then on those that it was made of may be gone. */
export type CommitRange = {readonly base: string; readonly patch: string};

/** What a round used; tokens count input and output, money is in millionths of a US dollar. */
export type RoundUsage = {
  readonly tokens: number;
  readonly inputTokens?: number;
  readonly outputTokens?: number;
  readonly cachedTokens?: number;
  readonly microUsd: number;
  readonly modelSeconds?: number;
  readonly contextTokens?: number;
  readonly contextWindow?: number;
};

/** A finished round, as its event tells it. */
export type Round = {
  readonly round: string;
  readonly agent: string;
  readonly todo?: string;
  readonly outcome: RoundOutcome;
  readonly summary: string;
  readonly startedAt: string;
  readonly seconds: number;
  readonly usage: RoundUsage;
  readonly billed: boolean;
  readonly commits: readonly RoundCommit[];
  readonly checks: readonly CheckResult[];
  readonly artifacts: readonly string[];
  readonly changed: boolean;
  /** A fingerprint of the code that the next round would find. */
  readonly state: string;
  readonly error?: RoundError;
};
