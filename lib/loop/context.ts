// What the loop works with: one repository, its store, a writer for each agent, and somebody to tell.
import type {Config} from '../config/config.ts';
import type {Repository} from '../git/repository.ts';
import type {Writer} from '../store/append.ts';
import type {GoalStore} from '../store/goal-store.ts';
import type {World} from '../world.ts';

export type LoopContext = {
  readonly repository: Repository;
  readonly store: GoalStore;
  readonly world: World;
  readonly config: Config;
  /** Returns who writes as this agent. */
  readonly writerFor: (agent: string) => Writer;
  /** The command that calls this loopx again. */
  readonly loopx: readonly string[];
  /** Aborts when the user interrupts. */
  readonly signal: AbortSignal;
};

/** Returns where a goal's or a round's local files lie; deleting them loses no state. */
export function localPath({commonDir}: Repository, ...parts: readonly string[]): string {
  return [commonDir, 'loopx', ...parts].join('/');
}
