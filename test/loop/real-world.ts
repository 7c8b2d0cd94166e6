// The world as it is, for tests of real processes.
import {setTimeout as sleep} from 'node:timers/promises';
import type {World} from '../../lib/world.ts';

export const realWorld: World = {
  now: () => Date.now(),
  random: () => Math.random(),
  sleep: (ms, signal) => sleep(ms, undefined, {signal}),
  env: process.env,
  pid: process.pid,
  machine: 'test',
  platform: process.platform,
};

/** Waits until the question is answered with yes; answers no after `ms`. */
export async function eventually(ask: () => boolean | Promise<boolean>, ms: number): Promise<boolean> {
  const endMs = Date.now() + ms;
  while (!(await ask())) {
    if (Date.now() > endMs) return false;
    await sleep(50);
  }

  return true;
}
