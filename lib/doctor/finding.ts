// What an examination finds: one sentence, how bad it is, and what mends it.

export type FindingState = 'good' | 'warn' | 'bad';

export type Sign = {
  /** `bad` will make a run fail, or lose something; `warn` may, or is worth knowing. */
  readonly state: FindingState;
  /** One sentence. */
  readonly message: string;
  /** A command, or a sentence where no command would do. */
  readonly mend?: string;
};

export type Finding = Sign & {
  /** The examination that found it. */
  readonly name: string;
};

export function good(message: string): Sign {
  return {state: 'good', message};
}

export function warn(message: string, mend?: string): Sign {
  return sign('warn', message, mend);
}

export function bad(message: string, mend?: string): Sign {
  return sign('bad', message, mend);
}

export function sign(state: FindingState, message: string, mend?: string): Sign {
  return mend === undefined ? {state, message} : {state, message, mend};
}
