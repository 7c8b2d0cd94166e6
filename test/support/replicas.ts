// Plays one goal on several replicas that write and merge at random, and holds every merge against the full fold.
import assert from 'node:assert/strict';
import fc from 'fast-check';
import type {AnyEvent} from '../../lib/model/event.ts';
import {changeGoal} from '../../lib/store/append.ts';
import {refuseBroken} from '../../lib/store/fetched.ts';
import {fsckGoal} from '../../lib/store/fsck.ts';
import type {GoalStore} from '../../lib/store/goal-store.ts';
import {mergeGoal} from '../../lib/store/merge.ts';
import {type Choice, drawCommand} from './commands.ts';
import {person, testGoal, testWriter, treesOf} from './store.ts';
import {type TestWorld, testNowMs, testWorld} from './world.ts';

export type Step =
  | ({readonly kind: 'act'; readonly who: number; readonly minutes: number; readonly byPerson: boolean} & Omit<
      Choice,
      'agent'
    >)
  | {readonly kind: 'sync'; readonly who: number; readonly from: number; readonly back: number};

const act = fc.record({
  kind: fc.constant('act' as const),
  who: fc.nat(2),
  minutes: fc.nat(45),
  byPerson: fc.boolean(),
  command: fc.nat(999),
  one: fc.nat(9999),
  two: fc.nat(9999),
});
// Mostly the present tip of another, at times one that it had earlier: that is what makes a base too young.
const sync = fc.record({
  kind: fc.constant('sync' as const),
  who: fc.nat(2),
  from: fc.nat(2),
  back: fc.oneof({weight: 2, arbitrary: fc.constant(0)}, {weight: 1, arbitrary: fc.integer({min: 1, max: 12})}),
});

/** A plan of so many steps; about one in four merges. */
export const plans = (lengths: {minLength: number; maxLength: number}) =>
  fc.record({
    steps: fc.array(fc.oneof({weight: 3, arbitrary: act}, {weight: 1, arbitrary: sync}), {
      ...lengths,
      size: 'max',
    }) as fc.Arbitrary<Step[]>,
    /** How far each replica's clock is from the truth, in minutes. */
    skews: fc.tuple(...[0, 1, 2].map(() => fc.integer({min: -300, max: 300}))),
    seed: fc.nat(),
  });

export type Plan = {readonly steps: readonly Step[]; readonly skews: readonly number[]; readonly seed: number};

/** What came up while playing, summed over plans. */
export type Tally = {kinds: Set<string>; commits: number; merged: number; widened: number; contests: number};

export const newTally = (): Tally => ({kinds: new Set(), commits: 0, merged: 0, widened: 0, contests: 0});

export type Stage = {
  readonly stores: readonly GoalStore[];
  /** Brings another replica's objects to a store. */
  readonly fetch: (to: number, from: number) => Promise<void>;
  /** Returns a store of its own that has the objects of `of`, and a goal at `tip`. */
  readonly mirror: (of: number, goal: string, tip: string) => Promise<GoalStore>;
};

const names = ['a', 'b', 'c'];

/** Plays a plan and checks everything that has to hold. */
export async function playPlan(plan: Plan, stage: Stage, tally: Tally): Promise<void> {
  const {stores} = stage;
  const worlds: TestWorld[] = plan.skews.map((minutes, index) =>
    testWorld({nowMs: testNowMs + minutes * 60_000, seed: plan.seed + index * 7919, machine: names[index]!}),
  );
  const agents = names.map(name => `claude@${name}`);
  const writers = stores.map((store, index) => ({
    person: testWriter(store, worlds[index]!, person),
    agent: testWriter(store, worlds[index]!, agents[index]!),
  }));
  for (const writer of writers) Object.assign(writer.agent, {nextId: writer.person.nextId});

  const {goal, tip: root} = await testGoal(writers[0]!.person);
  for (const index of [1, 2]) {
    await stage.fetch(index, 0);
    await stores[index]!.forward(goal, root, undefined);
  }

  const tips = stores.map(() => [root]);
  const tipOf = (index: number) => tips[index]!.at(-1)!;
  const acknowledged = new Map<string, AnyEvent>();

  const merge = async (who: number, theirs: string) => {
    const ours = tipOf(who);
    await refuseBroken(stores[who]!, theirs, ours);
    const merged = await mergeGoal(stores[who]!, goal, ours, theirs);
    if (merged.tip !== ours) tips[who]!.push(merged.tip);
    const {tree, folded} = await treesOf(stores[who]!, merged.tip);
    assert.equal(tree, folded, `the merge of ${ours} and ${theirs} is the fold of all their events`);
    assert.equal((await stores[who]!.tips()).get(goal), merged.tip);
    if (merged.kind !== 'merged') return;
    tally.merged += 1;
    if (merged.widened) tally.widened += 1;
    const other = await stage.mirror(who, goal, theirs);
    const mirrored = await mergeGoal(other, goal, theirs, ours);
    assert.equal(mirrored.tip, merged.tip, 'merging in the other direction makes the same commit');
  };

  for (const step of plan.steps) {
    const {who} = step;
    if (step.kind === 'act') {
      worlds[who]!.advance(step.minutes * 60_000);
      const writer = step.byPerson ? writers[who]!.person : writers[who]!.agent;
      const {tip, events} = await changeGoal(writer, goal, drawCommand({...step, agent: agents[who]!}));
      for (const event of events) {
        acknowledged.set(event.id, event);
        tally.kinds.add(event.event);
      }

      tips[who]!.push(tip);
    } else if (step.from !== who) {
      await stage.fetch(who, step.from);
      await merge(who, tips[step.from]!.at(-1 - step.back) ?? root);
    }
  }

  tally.kinds.add('goal.created');
  for (const [who, from] of [
    [0, 1],
    [0, 2],
    [1, 0],
    [2, 0],
  ] as const) {
    await stage.fetch(who, from);
    await merge(who, tipOf(from));
  }

  assert.deepEqual([...new Set(tips.map(list => list.at(-1)))].length, 1, 'all replicas have the same commit');
  const commits = await stores[0]!.commits([tipOf(0)], []);
  tally.commits += commits.length;
  const kept = new Map(commits.flatMap(commit => commit.events).map(event => [event.id, event]));
  for (const [id, event] of acknowledged) assert.deepEqual(kept.get(id), event, 'no acknowledged event is lost');
  const texts = await stores[0]!.read(tipOf(0), await stores[0]!.paths(tipOf(0), 'gates'));
  tally.contests += [...texts.values()].filter(text => text.includes('kind: contested')).length;
  const checked = stores[plan.seed % stores.length]!;
  assert.deepEqual((await fsckGoal(checked, tipOf(0))).problems, []);
}
