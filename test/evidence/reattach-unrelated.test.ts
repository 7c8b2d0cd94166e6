import test from 'ava';
import fc from 'fast-check';
import {planReattach} from '../../lib/evidence/reattach.ts';
import {openGit} from '../../lib/git/command.ts';
import {openRepository} from '../../lib/git/repository.ts';
import {roundRepo} from '../support/rounds.ts';
import {testGitStore} from '../support/store.ts';

test('a revert is no copy, also one of white space alone, nor is what is made again after it (trap 15)', async t => {
  const repo = await roundRepo(t);
  await repo.commit('Base', {'code.py': 'if x:\npass\n'});
  await repo.round(() => repo.commit('Add', {'new.txt': 'new\n'}));
  await repo.round(() => repo.commit('Indent', {'code.py': 'if x:\n    pass\n'}));
  await repo.sh(['revert', '--no-edit', 'HEAD~1']);
  await repo.sh(['revert', '--no-edit', 'HEAD~1']);
  await repo.sh(['revert', '--no-edit', 'HEAD']);
  const {copies, unclear} = await repo.reattach();
  t.deepEqual([copies, unclear], [[], []]);
});

test('a change of white space alone is unclear on another branch, unless the trees are equal (trap 17)', async t => {
  const repo = await roundRepo(t);
  await repo.commit('Base', {'code.py': 'if x:\npass\n'});
  await repo.sh(['checkout', '-q', '-b', 'feature']);
  const indent = await repo.round(() => repo.commit('Indent', {'code.py': 'if x:\n    pass\n'}));
  await repo.sh(['checkout', '-q', '-b', 'same', 'main']);
  await repo.sh(['cherry-pick', '--no-commit', 'feature']);
  await repo.commit('The same');
  await repo.sh(['checkout', '-q', '-b', 'other', 'main']);
  await repo.commit('Something else', {'else.txt': 'else\n'});
  await repo.sh(['cherry-pick', 'feature']);
  const {unclear} = await repo.reattach();
  t.deepEqual(await repo.keysOn('same'), {[indent]: 'tree'});
  t.deepEqual(await repo.keysOn('other'), {});
  t.deepEqual(
    unclear.map(({via, rounds}) => [via, rounds.map(({round}) => round)]),
    [['patch', [indent]]],
  );
});

test('two rounds with the same patch: a copy is unclear, unless its tree tells which (trap 17)', async t => {
  const repo = await roundRepo(t);
  const {sh} = repo;
  await sh(['checkout', '-q', '-b', 'one']);
  const one = await repo.round(() => repo.commit('Flag', {flag: 'on\n'}));
  await sh(['checkout', '-q', '-b', 'two', 'main']);
  await repo.commit('Of a person', {more: 'more\n'});
  const two = await repo.round(() => repo.commit('Flag', {flag: 'on\n'}));
  await sh(['checkout', '-q', '-b', 'release', 'main']);
  await repo.commit('Release', {version: '2\n'});
  await sh(['cherry-pick', 'one']);
  await sh(['checkout', '-q', 'one']);
  await sh(['commit', '-q', '--amend', '-m', 'Flag, in better words']);
  const {unclear} = await repo.reattach();
  t.deepEqual(await repo.keysOn('one'), {[one]: 'tree'});
  t.deepEqual(await repo.keysOn('two'), {[two]: 'plain'});
  t.deepEqual(await repo.keysOn('release'), {});
  t.deepEqual(
    unclear.map(({subject, via, rounds}) => [subject, via, rounds.map(({round}) => round).sort()]),
    [['Flag', 'patch', [one, two].sort()]],
  );
});

test('a person’s commit that rounds went on from, to no effect in the end, is not theirs when it is copied (trap 17)', async t => {
  const repo = await roundRepo(t);
  const {sh} = repo;
  await sh(['checkout', '-q', '-b', 'feature']);
  await repo.commit('By a person', {c: '1\n'});
  await repo.round(() => repo.commit('Add', {d: '1\n'}));
  await repo.round(() => sh(['revert', '--no-edit', 'HEAD']));
  await sh(['checkout', '-q', 'main']);
  await repo.commit('Main goes on', {e: '1\n'});
  await sh(['cherry-pick', 'feature~2']);
  t.deepEqual((await repo.reattach()).copies, []);
  await sh(['branch', '-q', '-D', 'feature']);
  await sh(['reflog', 'expire', '--expire=now', '--expire-unreachable=now', '--all']);
  await sh(['gc', '-q', '--prune=now']);
  t.deepEqual((await repo.reattach()).copies, []);
});

test('a tree that a history has had before, and one that an empty commit of a round has, prove nothing (trap 17)', async t => {
  const repo = await roundRepo(t);
  const {sh} = repo;
  // The round takes back what a person did, and so does a person on another branch, after something else.
  await repo.commit('Person', {a: '2\n'});
  await sh(['checkout', '-q', '-b', 'agent']);
  await repo.round(() => sh(['revert', '--no-edit', 'HEAD']));
  await sh(['checkout', '-q', '-b', 'person', 'main~1']);
  await repo.commit('Something', {b: '1\n'});
  await sh(['rm', '-q', 'b']);
  await repo.commit('Not that');
  // A round that only marks a place leaves the tree that a person made.
  await sh(['checkout', '-q', '-b', 'marked', 'main']);
  await repo.commit('By a person', {c: '1\n'});
  await repo.round(() => repo.commit('Mark'));
  await sh(['checkout', '-q', '-b', 'picked', 'main']);
  await sh(['cherry-pick', 'marked~1']);
  const {copies, unclear} = await repo.reattach();
  t.deepEqual([copies, unclear], [[], []]);
});

test('what a person did before the round is not the round’s, though the round did the same (trap 17)', async t => {
  const repo = await roundRepo(t);
  const {sh, world} = repo;
  await repo.round(() => repo.commit('Earlier', {earlier: '1\n'}));
  await sh(['checkout', '-q', '-b', 'person']);
  await repo.commit('Flag', {flag: 'on\n'});
  await sh(['checkout', '-q', 'main']);
  await repo.commit('Main goes on', {more: '1\n'});
  world.advance(3_600_000);
  await repo.round(() => sh(['cherry-pick', 'person']));
  const {copies, unclear} = await repo.reattach();
  t.deepEqual([copies, unclear], [[], []]);
});

test('a binary file with other contents is another patch', async t => {
  const repo = await roundRepo(t);
  const {sh} = repo;
  await repo.commit('Base', {'image.bin': '\0one'});
  await sh(['checkout', '-q', '-b', 'feature']);
  const round = await repo.round(() => repo.commit('Two', {'image.bin': '\0two'}));
  await sh(['checkout', '-q', 'main']);
  await repo.commit('Three', {'image.bin': '\0three', 'else.txt': 'else\n'});
  await repo.commit('Three again', {'image.bin': '\0one'});
  await sh(['cherry-pick', 'feature']);
  await repo.reattach();
  t.deepEqual(await repo.keysOn('main'), {[round]: 'patch'});
  t.deepEqual(await repo.keysOn('main~1'), {});
  t.deepEqual(await repo.keysOn('main~2'), {});
});

test('a shallow clone, whose last commit looks as if it had made everything, gets no wrong note', async t => {
  const repo = await roundRepo(t);
  const {sh, side, env} = repo;
  const round = await repo.round(() => repo.commit('Work', {'work.txt': 'work\n'}));
  await repo.commit('By a person', {'more.txt': 'more\n'});
  await sh(['checkout', '-q', '-b', 'release', 'main~2']);
  await sh(['cherry-pick', 'main~1']);
  await sh(['clone', '-q', '--depth=1', '--no-single-branch', `file://${repo.dir}`, side]);
  await sh(['fetch', '-q', 'origin', '+refs/loopx/goals/*:refs/loopx/goals/*'], side);
  const store = await testGitStore(t, {dir: side, env}, repo.world);
  const clone = await openRepository(side, env);
  t.deepEqual((await planReattach(store, clone)).copies, []);
  await sh(['fetch', '-q', '--unshallow', 'origin'], side);
  const {copies} = await planReattach(store, clone);
  t.deepEqual(
    copies.map(({commit, round, via}) => [commit, round.round, via]),
    [[await sh(['rev-parse', 'release']), round, 'tree']],
  );
});

// Each file has a number in it that nothing else has, so that a commit's own work is known by what it adds.
test('in any history only copies are taken for copies', async t => {
  const step = fc.record({
    kind: fc.constantFrom('person', 'round', 'pick', 'revert', 'amend', 'squash', 'branch', 'reset'),
    pick: fc.nat(20),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, {minLength: 6, maxLength: 14}), async steps => {
      const repo = await roundRepo(t);
      const git = openGit(repo.dir, repo.env);
      /** What each round did, and what each commit did, by the numbers. */
      const ofRound = new Map<string, Set<number>>();
      const ofCommit = new Map<string, Set<number>>();
      let number = 0;
      const write = () => {
        number += 1;
        return repo.commit(`Work ${number}`, {[`f${number % 4}-${number}.txt`]: `number ${number}\n`});
      };
      const note = async (numbers: Iterable<number>) => void ofCommit.set(await head(), new Set(numbers));
      const head = () => git.text(['rev-parse', 'HEAD']);
      for (const {kind, pick} of steps) {
        const known = [...ofCommit.keys()];
        const other = known[pick % Math.max(known.length, 1)];
        const before = await head();
        if (kind === 'person') {
          await write();
          await note([number]);
        } else if (kind === 'round') {
          const first = number + 1;
          const round = await repo.round(async () => {
            for (let left = 1 + (pick % 2); left > 0; left -= 1) {
              await write();
              await note([number]);
            }
          });
          ofRound.set(round, new Set(Array.from({length: number - first + 1}, (_, n) => first + n)));
        } else if (kind === 'branch') {
          await git
            .text(['checkout', '-q', '-b', `b${ofCommit.size}-${number}-${pick}`, other ?? 'HEAD'])
            .catch(() => {});
        } else if (other === undefined) {
        } else if (kind === 'pick') {
          const {status} = await git.run(['cherry-pick', '--allow-empty', other]);
          if (status === 0) await note(ofCommit.get(other)!);
          else await git.run(['cherry-pick', '--abort']);
        } else if (kind === 'revert') {
          const {status} = await git.run(['revert', '--no-edit', other]);
          if (status === 0) await note([]);
          else await git.run(['revert', '--abort']);
        } else if (kind === 'amend') {
          const was = ofCommit.get(before);
          if (was) {
            await git.text(['commit', '-q', '--amend', '--allow-empty', '-m', `Amended ${pick}`]);
            await note(was);
          }
        } else if (kind === 'squash') {
          const mine = new Set((await git.text(['rev-list', 'HEAD'])).split('\n'));
          const theirs = (await git.text(['rev-list', other])).split('\n').filter(commit => !mine.has(commit));
          const {status} = await git.run(['merge', '-q', '--squash', other]);
          if (status === 0 && (await git.run(['diff', '--cached', '--quiet'])).status === 1) {
            await git.text(['commit', '-qm', `Squashed ${pick}`]);
            await note(theirs.flatMap(commit => [...(ofCommit.get(commit) ?? [])]));
          } else await git.text(['reset', '-q', '--hard']);
        } else {
          await git.text(['reset', '-q', '--hard', 'HEAD~1']).catch(() => {});
        }
      }

      const {copies} = await repo.reattach();
      for (const {commit, round, via, from} of copies) {
        const did = ofCommit.get(commit) ?? new Set();
        const shares = [...(ofRound.get(round.round) ?? [])].some(work => did.has(work));
        t.true(shares, `${via} ${commit} from ${from}: ${[...did]} is not of ${[...ofRound.get(round.round)!]}`);
      }
    }),
    {numRuns: 12},
  );
});
