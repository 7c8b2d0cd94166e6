import test from 'ava';
import type {AnyEvent} from '../../lib/model/event.ts';
import {encodeRecord} from '../../lib/store/codec.ts';
import {fsckGoal} from '../../lib/store/fsck.ts';
import type {GoalStore} from '../../lib/store/goal-store.ts';
import {memoryStore} from '../../lib/store/memory-store.ts';
import {eventsOnce} from '../../lib/store/merge.ts';
import {eventMessage, mergeMessage} from '../../lib/store/message.ts';
import {type EventBody, eventsOf} from '../support/events.ts';
import {fullFold} from '../support/store.ts';

const who = {name: 'Ada Test', mail: 'ada@example.org', seconds: 1_767_268_800};
const goal = 'test-0000';

type Forged = {
  parents?: readonly string[];
  message?: string;
  files?: Record<string, string>;
  events?: readonly AnyEvent[];
};

/** Writes a commit by hand: a right one, but for what is forged. */
async function write(store: GoalStore, forged: Forged): Promise<string> {
  const expected = (await store.tips()).get(goal);
  const {parents = expected === undefined ? [] : [expected], events = []} = forged;
  const before = parents.length === 0 ? [] : await store.commits(parents, []);
  const state = fullFold([...eventsOnce(before), ...events]);
  const files = [...state].map(([path, record]) => [path, encodeRecord(record)] as const);
  return store.write({
    ...{goal, expected, parents, base: 'empty', author: who, committer: who},
    files: new Map([...files, ...Object.entries(forged.files ?? {})]),
    message: forged.message ?? eventMessage(events),
  });
}

async function history(...bodies: readonly EventBody[]): Promise<{store: GoalStore; tip: string; tips: string[]}> {
  const store = memoryStore();
  const tips: string[] = [];
  for (const event of eventsOf(...bodies)) tips.push(await write(store, {events: [event]}));
  return {store, tips, tip: tips.at(-1)!};
}

const amend = (text: string) => ({event: 'goal.amended', text});
const begin = (n: number) => ({
  ...{event: 'round.begun', round: `r-0000000${n}`, agent: 'claude@test', n},
  ...{until: '2026-01-01T13:00:00.000Z', reserve: {}},
});
/** Returns the event that would come next, with changes. */
const next = (clock: number, body: EventBody, change: object = {}) =>
  ({...eventsOf(...Array.from({length: clock - 2}, () => amend('x')), body).at(-1)!, ...change}) as AnyEvent;

const codesOf = async (store: GoalStore, tip: string) =>
  (await fsckGoal(store, tip)).problems.map(({commit, code}) => [commit, code]);

test('a right history has no problems', async t => {
  const {store, tip} = await history(amend('a'), begin(1), begin(2));
  t.deepEqual(await fsckGoal(store, tip), {events: 4, commits: 4, problems: []});
});

test('a file that was changed behind the events is found, in the commit that changed it', async t => {
  const {store} = await history(amend('a'));
  const bad = await write(store, {events: [next(3, amend('b'))], files: {'todos/t-aaaaaaaa.yaml': 'id: t-aaaaaaaa\n'}});
  const good = await write(store, {events: [next(4, amend('c'))]});
  t.deepEqual(await codesOf(store, good), [[bad, 'tree']]);
});

test('a clock that is not one more than its parent is found', async t => {
  const {store} = await history(amend('a'));
  const bad = await write(store, {events: [next(3, amend('b'), {clock: 99})]});
  t.deepEqual(await codesOf(store, bad), [[bad, 'clock']]);
});

test('a clock that only the message claims is found', async t => {
  const {store} = await history(amend('a'));
  const bad = await write(store, {message: mergeMessage(goal, 99)});
  t.deepEqual(await codesOf(store, bad), [[bad, 'clock']]);
});

test('a round that is missing leaves a gap', async t => {
  const {store, tip} = await history(begin(1), begin(2), begin(4), begin(5));
  const {problems} = await fsckGoal(store, tip);
  t.deepEqual(problems, [{commit: tip, code: 'gap', message: 'rounds 3 of claude@test are missing'}]);
});

test('a body that holds no events is found', async t => {
  const {store} = await history(amend('a'));
  const bad = await write(store, {message: 'a note\n\nnothing: [that\n'});
  t.true((await codesOf(store, bad)).some(([commit, code]) => commit === bad && code === 'unreadable'));
});

test('an event that comes twice is found', async t => {
  const {store, tip} = await history(amend('a'));
  const [, event] = (await store.commits([tip], [])).flatMap(commit => commit.events).reverse();
  const bad = await write(store, {events: [{...event!, clock: 3}]});
  t.true((await codesOf(store, bad)).some(([commit, code]) => commit === bad && code === 'twice'));
});

async function forked(): Promise<{store: GoalStore; parents: string[]}> {
  const {store, tips} = await history(amend('a'), amend('left'));
  const [, fork, left] = tips as [string, string, string];
  await store.forward('side-0000', fork, undefined);
  const events = [next(3, amend('right'), {id: '01JDZ5Q0M8RRRRRRRRRRRRRRRR'})];
  const state = fullFold([...eventsOnce(await store.commits([fork], [])), ...events]);
  const right = await store.write({
    ...{goal: 'side-0000', expected: fork, parents: [fork], base: 'parent', author: who, committer: who},
    files: new Map([...state].map(([path, record]) => [path, encodeRecord(record)])),
    message: eventMessage(events),
  });
  return {store, parents: [left, right].sort()};
}

test('a merge is held against all events below it', async t => {
  const {store, parents} = await forked();
  const good = await write(store, {parents, message: mergeMessage(goal, 3)});
  t.deepEqual(await codesOf(store, good), []);
});

for (const [what, code, forged] of [
  ['whose tree drops a side', 'tree', {files: {'goal.yaml': 'format: 1\n'}, message: mergeMessage(goal, 3)}],
  ['whose clock is not the higher one', 'clock', {message: mergeMessage(goal, 4)}],
  ['that has events of its own', 'unreadable', {events: [next(4, amend('evil'), {clock: 3})]}],
] as const) {
  test(`a merge ${what} is found`, async t => {
    const {store, parents} = await forked();
    const bad = await write(store, {parents, ...forged});
    t.deepEqual((await codesOf(store, bad))[0], [bad, code]);
  });
}

test('a check that is interrupted says so', async t => {
  const {store, tip} = await history(amend('a'));
  await t.throwsAsync(fsckGoal(store, tip, AbortSignal.abort()), {code: 'interrupted'});
});
