// What goes on beside a running agent: the live checkpoint is refreshed, the lease is renewed, and what is known is
// written down, so that a crash loses at most a moment.
import {renewRound} from '../change/round.ts';
import {changeGoal} from '../store/append.ts';
import type {LoopContext} from './context.ts';
import {refreshLive} from './live.ts';
import type {Live} from './round.ts';

const tickMs = 1000;

export type Upkeep = {
  /** Says that something new is known. */
  readonly sign: () => void;
  /** Ends the upkeep, once what it is doing is done. */
  readonly stop: () => Promise<void>;
};

/** Starts the upkeep of a round. Trouble with it never ends the round: it is told, and tried again. */
export function startUpkeep(
  context: LoopContext,
  of: {
    readonly goal: string;
    readonly agent: string;
    readonly round: string;
    readonly live: Live;
    readonly note: () => Promise<void>;
    readonly onTrouble: (message: string) => void;
  },
): Upkeep {
  const {world, config, repository, signal} = context;
  const leaseMs = config.durationMs('round.lease');
  const intervalMs = config.durationMs('checkpoint_interval');
  const over = new AbortController();
  let isNew = true;

  const trying = async (work: () => Promise<unknown>) => {
    try {
      await work();
    } catch (error) {
      of.onTrouble((error as Error).message);
    }
  };
  const refresh = () =>
    trying(() => refreshLive(repository, {...of.live, message: `During round ${of.round} by ${of.agent}`}));

  const go = async () => {
    let liveAtMs = world.now();
    let leaseAtMs = world.now();
    while (!over.signal.aborted) {
      await world.sleep(tickMs, over.signal).catch(() => {});
      if (isNew) {
        isNew = false;
        await trying(of.note);
      }

      if (world.now() - liveAtMs >= intervalMs && !over.signal.aborted) {
        liveAtMs = world.now();
        await refresh();
      }

      if (world.now() - leaseAtMs >= leaseMs / 3 && !over.signal.aborted) {
        leaseAtMs = world.now();
        await trying(() => changeGoal(context.writerFor(of.agent), of.goal, renewRound(of.round, leaseMs)));
      }
    }
  };
  const going = go();
  // What is there when the user interrupts is saved before the agent is told to stop: it may clean up badly.
  let saving: Promise<unknown> = Promise.resolve();
  const onAbort = () => {
    saving = refresh();
  };
  signal.addEventListener('abort', onAbort, {once: true});

  return {
    sign: () => {
      isNew = true;
    },
    stop: async () => {
      over.abort();
      signal.removeEventListener('abort', onAbort);
      await going;
      await saving;
      await trying(of.note);
    },
  };
}
