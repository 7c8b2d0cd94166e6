// The commits that a round made, as its event tells them: what is reachable now. A commit that the round itself took
// back, by a reset or an amendment, is not listed. Tree and patch-id find a commit again after a rebase or a cherry-pick.
// What the round did as a whole, and its branch so far, have patch-ids of their own: a squash merge makes one of those,
// often in a place where the commits themselves never come to.
import type {Git} from '../git/command.ts';
import {forkPoint, trunkTips} from '../git/graph.ts';
import {listNewCommits} from '../git/new-commits.ts';
import {patchIds, rangePatchIds} from '../git/patch-ids.ts';
import type {Repository} from '../git/repository.ts';
import type {CommitRange, RoundCommit} from '../model/round.ts';
import {readSpool} from './spool.ts';

/** More than these, the latest, are not listed in one event. */
const commitsMax = 50;
const subjectLengthMax = 120;
/** A branch of more commits than these has no patch-id of the whole. */
const rangeMax = 200;

/**
 * Returns the commits that a round made in this worktree, oldest first, at most the latest fifty.
 *
 * @param start - HEAD when the round began; undefined where there was no commit.
 * @param of.isDriven - Whether loopx drives the round: then git's hook tells its commits from those of a person who
 *   commits in the same worktree meanwhile, which are not the round's.
 */
export async function roundCommits(
  repository: Repository,
  start: string | undefined,
  {round, isDriven}: {readonly round: string; readonly isDriven: boolean},
): Promise<readonly RoundCommit[]> {
  const {git, commonDir} = repository;
  const observed = (await readSpool(commonDir)).filter(
    line => line.hook === 'post-commit' && line.commit !== undefined,
  );
  const ours = new Set(observed.filter(line => line.round === round).map(line => line.commit!));
  const others = new Set(isDriven ? observed.map(line => line.commit!).filter(commit => !ours.has(commit)) : []);
  const listed = await listNewCommits(git, start, ours);
  const made = listed.filter(({commit}) => !others.has(commit)).slice(-commitsMax);
  const patches = await patchIds(
    git,
    made.map(({commit}) => commit),
  );
  const last = made.at(-1)?.commit;
  const ranges = last ? await rangesTo(git, last, start) : [];
  return made.map(({commit, tree, subject}) => {
    const patch = patches.get(commit);
    return {
      ...{commit, tree, ...(patch && {patch}), subject: [...subject].slice(0, subjectLengthMax).join('')},
      ...(commit === last && ranges.length > 0 && {ranges}),
    };
  });
}

/** Returns what lies between where the round began, or its branch left the trunk, and the commit. */
async function rangesTo(git: Git, last: string, start: string | undefined): Promise<readonly CommitRange[]> {
  const [begin, fork] = await Promise.all([
    start === undefined ? undefined : forkPoint(git, last, [start]),
    trunkTips(git, last).then(tips => forkPoint(git, last, tips)),
  ]);
  const bases = [...new Set([begin, fork])].filter(base => base !== undefined);
  const ranges = bases.map(async base => {
    const between = (await git.text(['rev-list', `--max-count=${rangeMax + 1}`, last, `^${base}`])).split('\n');
    if (between.length < 2 || between.length > rangeMax) return [];
    const [whole, parts] = await Promise.all([rangePatchIds(git, base, between), patchIds(git, between)]);
    const patch = whole.get(last);
    // What a part of it does alone, the rest adding up to nothing, is not told from the whole.
    const others = [...between.slice(1).map(commit => whole.get(commit)), ...parts.values()];
    return patch === undefined || others.includes(patch) ? [] : [{base, patch}];
  });
  return (await Promise.all(ranges)).flat();
}
