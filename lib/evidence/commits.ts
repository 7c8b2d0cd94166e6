// The commits that a round made, as its event tells them: what is reachable now. A commit that the round itself took
// back, by a reset or an amendment, is not listed. Tree and patch-id find a commit again after a rebase or a squash.
import {listNewCommits, patchIds} from '../git/new-commits.ts';
import type {Repository} from '../git/repository.ts';
import type {RoundCommit} from '../model/round.ts';
import {readSpool} from './spool.ts';

/** More than these, the latest, are not listed in one event. */
const commitsMax = 50;
const subjectLengthMax = 120;

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
  return made.map(({commit, tree, subject}) => {
    const patch = patches.get(commit);
    return {commit, tree, ...(patch && {patch}), subject: [...subject].slice(0, subjectLengthMax).join('')};
  });
}
