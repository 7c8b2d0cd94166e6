// A world for tests: its clock stands still until it is told to go on, its randomness comes from a seed, nobody waits.
import type {World} from '../../lib/world.ts';

export type TestWorld = World & {
  /** Moves the clock; a negative `ms` sets it back. */
  readonly advance: (ms: number) => void;
};

/** Noon of the day on which every test happens: 2026-01-01, UTC. */
export const testNowMs = Date.UTC(2026, 0, 1, 12);

/**
 * Returns a world of its own. Two worlds of one seed draw the same numbers, and so the same ids.
 *
 * @param options.nowMs - Milliseconds since the Unix epoch.
 * @param options.machine - As in agents' names.
 */
export function testWorld(
  options: {nowMs?: number; seed?: number; env?: Record<string, string>; machine?: string} = {},
): TestWorld {
  const {seed = 1, env = {}, machine = 'test'} = options;
  let nowMs = options.nowMs ?? testNowMs;
  return {
    now: () => nowMs,
    random: seededRandom(seed),
    sleep: async (_ms, signal) => signal?.throwIfAborted(),
    env,
    pid: 4242,
    machine,
    platform: 'linux',
    advance: ms => {
      nowMs += ms;
    },
  };
}

// Mulberry32: small, and good enough for tests.
function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
