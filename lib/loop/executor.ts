// How loopx drives an agent's CLI. An executor says how to start the agent, reads its stream line by line, and judges
// how it ended. It is pure: no process, no clock; `process.ts` owns the child, so recorded transcripts replay through it.

export type Executor = {
  readonly name: string;
  /** The program that has to be on PATH, and what to do where it isn't, as a full sentence. */
  readonly needs: {readonly program: string; readonly whenMissing: string};
  /** How to start the agent for one round. */
  readonly plan: (round: RoundInput) => LaunchPlan;
  /** Returns a fresh reader of one round's output. */
  readonly read: (context: ReaderContext) => StreamReader;
  /** The signal that asks this agent to stop, before SIGKILL. */
  readonly interrupt: {
    readonly signal: 'SIGINT' | 'SIGTERM';
    readonly to: 'process' | 'group';
    readonly graceMs: number;
  };
};

/** What a reader must be told, because it has no clock and never saw what went in. */
export type ReaderContext = {
  /** Milliseconds since the Unix epoch, for reset times that come as a time of day. */
  readonly nowMs: () => number;
  /** The IANA zone in which the agent prints times of day; this machine's when left out. */
  readonly timeZone?: string;
  /** The round's prompt: a result line that stands in it is an example being echoed, not a result. */
  readonly prompt: string;
};

/** What an executor knows of the round that it is to drive. */
export type RoundInput = {
  readonly goal: string;
  readonly round: string;
  readonly todo: string | undefined;
  readonly agent: string;
  /** The brief: the prompt of the round. */
  readonly prompt: string;
  /** A file that holds the same text, for agents that want a path. */
  readonly promptFile: string;
  /** The worktree in which the agent works. */
  readonly cwd: string;
  /** The command that calls this loopx, for `LOOPX_BIN`. */
  readonly loopx: string;
  /** Extra arguments that the user configured for this executor. */
  readonly args: readonly string[];
  /** The command line of an executor of kind "command", run by sh. */
  readonly command?: string;
};

export type LaunchPlan = {
  readonly file: string;
  readonly args: readonly string[];
  /** Added to the user's environment, which the agent inherits untouched. */
  readonly env: Readonly<Record<string, string>>;
  /** Written to standard input, which is then closed. */
  readonly stdin: string;
  /** What to do where `file` is not installed, as a full sentence: see `Executor.needs`. */
  readonly whenMissing: string;
};

export type StreamReader = {
  /** Takes one line of standard output, without its line end; unknown lines become `raw`. */
  readonly line: (line: string) => readonly AgentEvent[];
  /** Says how the round ended. The only place that looks at the exit status and at standard error. */
  readonly finish: (exit: AgentExit) => AgentVerdict;
};

export type AgentExit = {
  readonly status: number | null;
  readonly signal: string | null;
  /** The last part of standard error, at most a few KB. */
  readonly stderrTail: string;
  /** Why loopx itself ended the agent, if it did. */
  readonly stopped?: 'interrupt' | 'timeout' | 'silence' | 'after-result';
};

export type AgentEvent =
  | {readonly kind: 'session'; readonly id: string}
  | {readonly kind: 'message'; readonly text: string}
  | {readonly kind: 'tool-call'; readonly id: string; readonly name: string; readonly input: string}
  | {readonly kind: 'tool-result'; readonly id: string; readonly ok: boolean; readonly output: string}
  | ({readonly kind: 'usage'} & Usage)
  | {readonly kind: 'retry'; readonly attempt: number; readonly delayMs?: number; readonly class: ErrorClass}
  | {readonly kind: 'rate-limit'; readonly resetAtMs: number; readonly window?: string}
  | {readonly kind: 'error'; readonly class: ErrorClass; readonly message: string}
  | {readonly kind: 'compaction'}
  /** The agent's own typed word on the round; the stream may go on, but nothing after it counts. */
  | {readonly kind: 'final'; readonly ok: boolean; readonly reason: string}
  | {readonly kind: 'result'; readonly result: AgentResult}
  | {readonly kind: 'raw'; readonly line: string};

/** Sums since the round began, not differences; what the agent doesn't tell is left out. */
export type Usage = {
  /** All tokens that went in, also those read from or written to a cache. */
  readonly inputTokens?: number;
  readonly outputTokens?: number;
  /** The part of `inputTokens` that was read from a cache. */
  readonly cachedTokens?: number;
  /** US dollars. */
  readonly costUsd?: number;
  /** Time spent in calls of the model, in milliseconds. */
  readonly modelMs?: number;
  /** Tokens in the context at the last call, and the window's size. */
  readonly contextTokens?: number;
  readonly contextWindow?: number;
};

export type ErrorClass =
  | 'rate-limit'
  | 'usage-limit'
  | 'overloaded'
  | 'auth'
  | 'context-overflow'
  | 'network'
  | 'max-turns'
  | 'budget'
  | 'permission'
  | 'interrupted'
  | 'stalled'
  | 'crash'
  | 'unknown';

/** What an agent reports of its round in one final JSON line: `{"loopx": {"outcome": "done", "summary": "…"}}`. */
export type AgentResult = {
  readonly outcome: 'progress' | 'done' | 'no-change' | 'blocked' | 'failed';
  readonly summary: string;
  readonly question?: {readonly text: string; readonly options: readonly string[]; readonly recommend?: string};
  readonly artifacts?: readonly {readonly path: string; readonly kind?: string}[];
  readonly usage?: Usage;
};

export type AgentVerdict = {
  readonly ok: boolean;
  /** Set unless `ok`. */
  readonly error?: {readonly class: ErrorClass; readonly message: string; readonly resetAtMs?: number};
  readonly result?: AgentResult;
  /** The agent's last message, for a summary where it reported none. */
  readonly lastMessage: string;
  readonly sessionId?: string;
  readonly usage: Usage;
  /** Whether a model was called at all: only then is the round billed. */
  readonly calledModel: boolean;
};
