// What every store of goals keeps to. It runs on git and on memory, so that what is tested on the fake holds on git.
import test, {type ExecutionContext} from 'ava';
import type {GoalStore, NewCommit} from '../../lib/store/goal-store.ts';

type Open = (t: ExecutionContext) => Promise<GoalStore>;

const who = {name: 'Ada Test', mail: 'ada@example.org', seconds: 1_767_268_800};
const merge = (clock: number) => `merge two histories of g-0000\n\nclock: ${clock}\n`;
const goal = 'g-0000';

/** Declares the tests of one kind of store. */
export function storeSuite(name: string, open: Open): void {
  const behaves = (title: string, run: (t: ExecutionContext, store: GoalStore) => Promise<void>) =>
    test(`${name}: ${title}`, async t => run(t, await open(t)));

  const write = (store: GoalStore, commit: Partial<NewCommit> = {}) => {
    const {expected} = commit;
    const parents = expected === undefined ? [] : [expected];
    const plain = {goal, expected, parents, base: 'parent' as const, files: new Map(), message: merge(1)};
    return store.write({...plain, author: who, committer: who, ...commit});
  };
  const files = (texts: Record<string, string | undefined>) => new Map(Object.entries(texts));
  const readAll = async (store: GoalStore, commit: string) => {
    const texts = await store.read(commit, await store.paths(commit, ''));
    return Object.fromEntries(texts);
  };

  behaves('a goal that was made has a tip, and its files can be read', async (t, store) => {
    t.deepEqual(await store.tips(), new Map());
    const tip = await write(store, {files: files({'goal.yaml': 'format: 1\n', 'todos/t-1.yaml': 'id: t-1\n'})});
    t.deepEqual(await store.tips(), new Map([[goal, tip]]));
    t.deepEqual(await store.paths(tip, ''), ['goal.yaml', 'todos/t-1.yaml']);
    t.deepEqual(await store.paths(tip, 'todos'), ['todos/t-1.yaml']);
    t.deepEqual(await store.paths(tip, 'gates'), []);
    const texts = await store.read(tip, ['todos/t-1.yaml', 'todos/t-2.yaml', 'todos']);
    t.deepEqual(texts, new Map([['todos/t-1.yaml', 'id: t-1\n']]));
  });

  behaves('a second goal has a ref of its own', async (t, store) => {
    const first = await write(store);
    const second = await write(store, {goal: 'other-0000', message: merge(2)});
    t.deepEqual(
      await store.tips(),
      new Map([
        [goal, first],
        ['other-0000', second],
      ]),
    );
  });

  behaves('a commit changes the files it names and leaves the others', async (t, store) => {
    const first = await write(store, {files: files({'goal.yaml': '1', 'todos/a.yaml': 'a', 'todos/b.yaml': 'b'})});
    const second = await write(store, {expected: first, files: files({'goal.yaml': '2', 'todos/a.yaml': undefined})});
    t.deepEqual(await readAll(store, second), {'goal.yaml': '2', 'todos/b.yaml': 'b'});
    t.deepEqual(await readAll(store, first), {'goal.yaml': '1', 'todos/a.yaml': 'a', 'todos/b.yaml': 'b'});
    const third = await write(store, {expected: second, files: files({'todos/b.yaml': undefined})});
    t.deepEqual(await store.paths(third, 'todos'), [], 'an empty folder is gone');
  });

  behaves("removing a file that isn't there changes nothing", async (t, store) => {
    const first = await write(store, {files: files({'goal.yaml': '1'})});
    const second = await write(store, {expected: first, files: files({'todos/none.yaml': undefined})});
    const trees = (await store.commits([second], [])).map(commit => commit.tree);
    t.is(trees[0], trees[1]);
  });

  behaves('a commit can be laid on nothing or on any known tree', async (t, store) => {
    const first = await write(store, {files: files({'goal.yaml': '1', 'a.yaml': 'a'})});
    const second = await write(store, {expected: first, base: 'empty', files: files({'goal.yaml': '2'})});
    t.deepEqual(await readAll(store, second), {'goal.yaml': '2'});
    const {tree} = (await store.commits([first], []))[0]!;
    const third = await write(store, {expected: second, base: {tree}, files: files({'b.yaml': 'b'})});
    t.deepEqual(await readAll(store, third), {'goal.yaml': '1', 'a.yaml': 'a', 'b.yaml': 'b'});
    const emptied = await write(store, {expected: third, base: 'empty'});
    t.deepEqual(await readAll(store, emptied), {});
  });

  behaves('whoever loses a race is told so, and the winner survives', async (t, store) => {
    const first = await write(store, {files: files({'goal.yaml': '1'})});
    const winner = await write(store, {expected: first, files: files({'goal.yaml': 'winner'})});
    await t.throwsAsync(write(store, {expected: first, files: files({'goal.yaml': 'loser'})}), {code: 'ref-moved'});
    t.deepEqual(await store.tips(), new Map([[goal, winner]]));
    await t.throwsAsync(write(store, {message: merge(3)}), {code: 'ref-moved'}, 'nor can the goal be made again');
    t.deepEqual(await store.tips(), new Map([[goal, winner]]));
  });

  behaves('a goal moves forward only from where it was seen', async (t, store) => {
    const first = await write(store);
    const second = await write(store, {expected: first, message: merge(2)});
    await t.throwsAsync(store.forward(goal, second, first), {code: 'ref-moved'});
    await store.forward('copy-0000', first, undefined);
    await t.throwsAsync(store.forward('copy-0000', second, undefined), {code: 'ref-moved'});
    await store.forward('copy-0000', second, first);
    t.is((await store.tips()).get('copy-0000'), second);
  });

  behaves('commits come children first, with what they say', async (t, store) => {
    const first = await write(store, {message: merge(1)});
    const left = await write(store, {expected: first, message: merge(2)});
    await store.forward('side-0000', first, undefined);
    const right = await write(store, {goal: 'side-0000', expected: first, message: merge(3)});
    const both = await write(store, {expected: left, parents: [left, right].sort(), message: merge(4)});

    const all = await store.commits([both], []);
    t.is(all.length, 4);
    t.is(all[0]!.commit, both);
    t.is(all[3]!.commit, first);
    t.deepEqual(all[0]!.parents, [left, right].sort());
    t.deepEqual([...all.map(commit => commit.clock)].sort(), [1, 2, 3, 4]);
    t.is(all[0]!.committedAt, who.seconds);
    t.is(all[0]!.subject, 'merge two histories of g-0000');
    t.deepEqual(
      (await store.commits([both], [left])).map(commit => commit.commit),
      [both, right],
    );
    t.deepEqual(await store.commits([left], [both]), []);
    t.deepEqual(
      (await store.commits([both], [], 1)).map(commit => commit.commit),
      [both],
    );
    t.deepEqual(await store.mergeBases(left, right), [first]);
    t.deepEqual(await store.mergeBases(left, both), [left]);
    t.deepEqual(await store.mergeBases(both, both), [both]);
  });

  behaves('histories that crossed have two merge bases, strangers have none', async (t, store) => {
    const root = await write(store);
    const make = async (name: string, from: readonly string[], clock: number) => {
      await store.forward(name, from[0]!, undefined);
      const tip = from[0]!;
      return write(store, {goal: name, expected: tip, parents: from, message: merge(clock)});
    };
    const a = await make('a-0000', [root], 2);
    const b = await make('b-0000', [root], 3);
    const x = await make('x-0000', [a, b], 4);
    const y = await make('y-0000', [b, a], 5);
    t.deepEqual([...(await store.mergeBases(x, y))].sort(), [a, b].sort());
    const stranger = await write(store, {goal: 'stranger-0000', message: merge(9)});
    t.deepEqual(await store.mergeBases(x, stranger), []);
  });

  behaves('texts and messages keep every character', async (t, store) => {
    const text = 'title: "grüße, 世界, 👩‍👩‍👧‍👦, \\u2028, \'quoted\', tab\\t"\r\nno newline at the end: é e\u0301';
    const tip = await write(store, {
      files: files({'goal.yaml': text, 'empty.yaml': ''}),
      message: `grüße 世界 👩‍👧\n\nclock: 7\n`,
    });
    t.deepEqual(await readAll(store, tip), {'empty.yaml': '', 'goal.yaml': text});
    const [commit] = await store.commits([tip], []);
    t.is(commit!.subject, 'grüße 世界 👩‍👧');
    t.is(commit!.clock, 7);
  });

  behaves('a thousand files are written, listed, read and changed at once', async (t, store) => {
    const many = Object.fromEntries(
      Array.from({length: 1000}, (_, index) => [`todos/t-${String(index).padStart(4, '0')}.yaml`, `n: ${index}\n`]),
    );
    const first = await write(store, {files: files(many)});
    t.deepEqual(await readAll(store, first), many);
    const second = await write(store, {expected: first, files: files({'todos/t-0500.yaml': undefined})});
    t.is((await store.paths(second, 'todos')).length, 999);
  });

  behaves('work in turn returns what it makes and passes on what it throws', async (t, store) => {
    t.is(await store.inTurn(goal, async () => 7), 7);
    await t.throwsAsync(
      store.inTurn(goal, () => Promise.reject(new Error('mine'))),
      {message: 'mine'},
    );
    t.is(await store.inTurn(goal, async () => 8), 8, 'the turn was given back');
  });
}
