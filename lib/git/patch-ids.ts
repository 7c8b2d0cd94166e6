// Patch-ids: a hash of what a change does, equal wherever in a history the change is made. Git leaves out line numbers
// and all white space, so a change of nothing but white space has the patch-id of its own revert; who compares asks
// `onlySpace` too. A commit with nothing in it, or with several parents, has none.
import {type Git, gitFailure} from './command.ts';

/** Commits go to git in portions, so that what they print is never too much to hold. */
const portionCommits = 500;
const portionFiles = 2000;

/** Returns the patch-id of each commit. Those that change more than a few thousand files are left out. */
export async function patchIds(git: Git, commits: readonly string[]): Promise<ReadonlyMap<string, string>> {
  return readPatchIds(git, [...new Set(commits)]);
}

/** Returns the patch-ids of what lies between a commit and each of the tips: what a squash of it makes. */
export async function rangePatchIds(
  git: Git,
  base: string,
  tips: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  // A line of two commits asks for the difference of the first one to the second.
  return readPatchIds(
    git,
    [...new Set(tips)].filter(tip => tip !== base).map(tip => `${tip} ${base}`),
  );
}

/** Returns those of the commits that change white space and nothing else. */
export async function onlySpace(git: Git, commits: readonly string[]): Promise<ReadonlySet<string>> {
  const seen = await readPatchIds(git, [...new Set(commits)], ['--ignore-all-space', '--ignore-blank-lines']);
  return new Set(commits.filter(commit => !seen.has(commit)));
}

async function readPatchIds(
  git: Git,
  asked: readonly string[],
  options: readonly string[] = [],
): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  for (const portion of await portionsOf(git, asked)) {
    // The plumbing command knows none of the user's settings for diffs. Files over 1 MB are compared by their ids.
    const diff = [
      ...['-c', 'core.bigFileThreshold=1m', 'diff-tree', '--stdin', '--root', '-r', '-p', '--full-index'],
      ...['--no-renames', '--no-ext-diff', '--no-textconv', '--no-color', '-U3', ...options],
    ];
    const patches = await git.bytes(diff, {input: linesOf(portion)});
    const args = ['patch-id', '--stable'];
    const result = await git.run(args, {input: patches});
    if (result.status !== 0) throw gitFailure(args, result);
    for (const line of result.stdout.toString().split('\n')) {
      const [patch = '', commit = ''] = line.split(' ');
      if (commit !== '') found.set(commit, patch);
    }
  }

  return found;
}

/** Divides what is asked by how many files it changes, which git tells without looking into them. */
async function portionsOf(git: Git, asked: readonly string[]): Promise<readonly (readonly string[])[]> {
  if (asked.length === 0) return [];
  const raw = await git.bytes(['diff-tree', '--stdin', '--root', '-r', '--no-renames'], {input: linesOf(asked)});
  const sizes = new Map<string, number>();
  let current = '';
  for (const line of raw.toString('latin1').split('\n')) {
    if (line.startsWith(':')) sizes.set(current, (sizes.get(current) ?? 0) + 1);
    else current = line;
  }

  const portions: string[][] = [];
  let files = portionFiles;
  for (const line of asked) {
    const size = sizes.get(line.split(' ')[0]!) ?? 0;
    if (size === 0 || size > portionFiles) continue;
    if (files + size > portionFiles || portions.at(-1)!.length >= portionCommits) {
      portions.push([]);
      files = 0;
    }

    files += size;
    portions.at(-1)!.push(line);
  }

  return portions;
}

function linesOf(asked: readonly string[]): string {
  return asked.map(line => `${line}\n`).join('');
}
