// What every agent finds in its environment, whichever executor drives it, so that tools and hooks which the agent
// starts know the round they belong to.
import type {RoundInput} from '../executor.ts';

/** Returns the variables of the round; an empty `LOOPX_TODO` keeps an outer round's todo from showing through. */
export function roundEnv(round: RoundInput): Record<string, string> {
  return {
    LOOPX_GOAL: round.goal,
    LOOPX_ROUND: round.round,
    LOOPX_TODO: round.todo ?? '',
    LOOPX_AGENT: round.agent,
    LOOPX_BIN: round.loopx,
    LOOPX_PROMPT_FILE: round.promptFile,
  };
}
