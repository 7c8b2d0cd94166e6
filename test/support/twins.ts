// Two replicas of one goal in memory, for tests of what happens when two people did not see each other.
import type {Change} from '../../lib/change/change.ts';
import type {AnyEvent} from '../../lib/model/event.ts';
import {changeGoal} from '../../lib/store/append.ts';
import {memoryStore, type Objects} from '../../lib/store/memory-store.ts';
import {mergeGoal} from '../../lib/store/merge.ts';
import {type GoalView, viewGoal} from '../../lib/store/view.ts';
import {testGoal, testWriter} from './store.ts';
import {type TestWorld, testWorld} from './world.ts';

export type Twin = {
  readonly world: TestWorld;
  readonly tip: () => Promise<string>;
  readonly view: () => Promise<GoalView>;
  /** Changes the goal as this twin sees it; returns the events that were written. */
  readonly change: (change: Change) => Promise<readonly AnyEvent[]>;
};

export type Twins = {
  readonly a: Twin;
  readonly b: Twin;
  /** Merges until both have the same tip. */
  readonly sync: () => Promise<void>;
};

export async function openTwins(): Promise<Twins> {
  const objects: Objects = new Map();
  const stores = [memoryStore(objects), memoryStore(objects)] as const;
  const worlds = [testWorld({seed: 1, machine: 'a'}), testWorld({seed: 2, machine: 'b'})] as const;
  const writers = stores.map((store, index) => testWriter(store, worlds[index as 0 | 1]));
  const {goal, tip: root} = await testGoal(writers[0]!);
  await stores[1].forward(goal, root, undefined);
  const twin = (index: 0 | 1): Twin => {
    const tip = async () => (await stores[index].tips()).get(goal)!;
    return {
      world: worlds[index],
      tip,
      view: async () => viewGoal(stores[index], goal, await tip()),
      change: async change => (await changeGoal(writers[index]!, goal, change)).events,
    };
  };
  const [a, b] = [twin(0), twin(1)];
  return {
    a,
    b,
    async sync() {
      await mergeGoal(stores[0], goal, await a.tip(), await b.tip());
      await mergeGoal(stores[1], goal, await b.tip(), await a.tip());
    },
  };
}
