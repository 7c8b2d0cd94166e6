// The round that this process runs in, as the loop tells it to the agent it starts.
import type {World} from '../lib/world.ts';

/** Returns the ids of the round and its todo; each is undefined where there is none. */
export function roundOf(env: World['env']): {readonly round?: string; readonly todo?: string} {
  const {LOOPX_ROUND: round = '', LOOPX_TODO: todo = ''} = env;
  return {
    ...(/^r-[0-9a-z]{8}$/.test(round) && {round}),
    ...(/^t-[0-9a-z]{8}$/.test(todo) && {todo}),
  };
}
