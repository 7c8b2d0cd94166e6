// Clock, randomness and environment as values. `lib` never reads them from the process: it is given a World, so that
// tests run without waiting and without luck.

export type World = {
  /** Milliseconds since the Unix epoch. */
  readonly now: () => number;
  /** A number in [0, 1), as Math.random gives. */
  readonly random: () => number;
  /** Resolves after `ms` milliseconds, or rejects at once when the signal aborts. */
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly pid: number;
  /** This machine's name in agents' names: `claude@mbp`. Only [a-z0-9._-]. */
  readonly machine: string;
  readonly platform: string;
};
