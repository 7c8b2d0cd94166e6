// The commits that came to HEAD since a moment, told apart by where they came from: made here, or brought in from a
// remote. A remote's branches alone don't tell, since what was made here may have been pushed; the reflog of HEAD does.
import type {Git} from './command.ts';
import {readCommit} from './refs.ts';

export type NewCommit = {readonly commit: string; readonly tree: string; readonly subject: string};

const listedMax = 1000;
const reflogMax = 2000;

/**
 * Returns the commits of HEAD that `start` doesn't have, oldest first, without those that a remote has and nobody made
 * here, and without copies of what `start` has, as a rebase makes them. At most the latest thousand.
 *
 * @param start - Undefined where there was no commit. A commit that is gone tells nothing: then there are none.
 * @param ours - More commits that are known to have been made here.
 */
export async function listNewCommits(
  git: Git,
  start: string | undefined,
  ours: ReadonlySet<string> = new Set(),
): Promise<readonly NewCommit[]> {
  const [head, from] = await Promise.all([readCommit(git, 'HEAD'), start && readCommit(git, start)]);
  if (!head || head === from || (start && !from)) return [];
  const [listed, local, made] = await Promise.all([
    listCommits(git, from ? ['--cherry-pick', '--right-only', `${from}...${head}`] : [head]),
    git.bytes(['rev-list', head, ...(from ? [`^${from}`] : []), '--not', '--remotes']).then(lines),
    madeHere(git),
  ]);
  const known = new Set([...local, ...made, ...ours]);
  return listed.filter(({commit}) => known.has(commit)).reverse();
}

async function listCommits(git: Git, which: readonly string[]): Promise<readonly NewCommit[]> {
  const args = [
    ...['-c', 'log.showSignature=false', 'log', '--topo-order', `--max-count=${listedMax}`, '--no-color', '--no-patch'],
    ...['--no-notes', '--encoding=UTF-8', '--format=tformat:%H %T %s', ...which, '--'],
  ];
  return lines(await git.bytes(args)).map(line => {
    const [commit = '', tree = '', ...subject] = line.split(' ');
    return {commit, tree, subject: subject.join(' ')};
  });
}

/** Returns the commits that HEAD's reflog says were made in this worktree, as far as it goes back. */
async function madeHere(git: Git): Promise<readonly string[]> {
  const args = [
    'log',
    '--walk-reflogs',
    `--max-count=${reflogMax}`,
    '--format=%H %gs',
    '--no-patch',
    '--no-notes',
    'HEAD',
    '--',
  ];
  const result = await git.run(['-c', 'log.showSignature=false', ...args]);
  // There may be no reflog, as in a bare repository.
  if (result.status !== 0) return [];
  return lines(result.stdout).flatMap(line => {
    const at = line.indexOf(' ');
    return isMade(line.slice(at + 1)) ? [line.slice(0, at)] : [];
  });
}

// `commit (amend): …`, `rebase (pick): …`, `pull: Merge made by …`; but not `pull: Fast-forward` or `reset: …`.
function isMade(subject: string): boolean {
  return /^(commit|cherry-pick|revert|am)\b|\((pick|reword|edit|squash|fixup|continue|merge)\)|: Merge made by/.test(
    subject,
  );
}

function lines(output: Buffer): readonly string[] {
  return output.toString().split('\n').filter(Boolean);
}
