// Every way loopx says no. The code is for scripts, the message says what happened, the hint what to do next.
// Whatever else is thrown is a bug of ours and keeps its stack.

/** The exit status of each failure code: 1 could not, 2 usage, 3 the state says no, 4 lost a race. */
export const exitStatuses = {
  'not-a-repository': 1,
  'not-connected': 1,
  'not-found': 1,
  ambiguous: 2,
  usage: 2,
  'no-goal': 1,
  'git-missing': 1,
  'git-failed': 1,
  'git-locked': 1,
  'remote-failed': 1,
  'state-unreadable': 1,
  'state-newer': 1,
  'shallow-history': 1,
  'no-common-history': 1,
  'nothing-to-restore': 1,
  'executor-missing': 1,
  'executor-unknown': 1,
  'config-invalid': 1,
  'checks-failed': 1,
  'fsck-failed': 1,
  'doctor-failed': 1,
  'io-failed': 1,
  'gate-vague': 2,
  'gate-open': 3,
  'gate-closed': 3,
  'person-needed': 3,
  'quota-exhausted': 3,
  'not-now': 3,
  'goal-closed': 3,
  'todo-claimed': 3,
  'todo-closed': 3,
  'todo-blocked': 3,
  'round-live': 3,
  'round-over': 3,
  'not-trusted': 3,
  'not-verified': 3,
  'ref-moved': 4,
  interrupted: 130,
} as const;

export type FailureCode = keyof typeof exitStatuses;

/** A refusal that a person or a script can act on. */
export class Failure extends Error {
  readonly code: FailureCode;
  readonly hint: string | undefined;

  constructor(code: FailureCode, message: string, options: {hint?: string; cause?: unknown} = {}) {
    super(message, {cause: options.cause});
    this.name = 'Failure';
    this.code = code;
    this.hint = options.hint;
  }

  get exitStatus(): number {
    return exitStatuses[this.code];
  }
}

/** Says whether `error` is a failure, of one of the given codes if any are given. */
export function isFailure(error: unknown, ...codes: FailureCode[]): error is Failure {
  return error instanceof Failure && (codes.length === 0 || codes.includes(error.code));
}
