// What differs between HEAD and the working tree, by one `git status`.
import type {Git} from './command.ts';
import {gitFailure} from './command.ts';
import {splitNul} from './path-text.ts';

export type WorktreeStatus = {
  /** Paths of changed files and of new ones that aren't ignored, sorted. */
  readonly changed: readonly string[];
  /** Submodules that stand at another commit, or hold changes; in git's letters, such as `S.M.`. */
  readonly submodules: ReadonlyMap<string, string>;
};

/** Returns the status of the worktree that git runs in. */
export async function readStatus(git: Git): Promise<WorktreeStatus> {
  const args = [
    // A file system monitor may be a daemon that git would start for us.
    ...['-c', 'core.fsmonitor=false', 'status', '--porcelain=v2', '-z', '--no-renames'],
    ...['--untracked-files=all', '--ignore-submodules=none'],
  ];
  const result = await git.run(args);
  if (result.status !== 0) throw gitFailure(['status'], result);
  const changed: string[] = [];
  const submodules = new Map<string, string>();
  for (const record of splitNul(result.stdout)) {
    // The path is the last field: the 9th of an ordinary change, the 11th of a conflict. It may hold spaces.
    const fields = record.split(' ');
    const at = {'1': 8, u: 10, '?': 1}[fields[0]!];
    if (at === undefined) continue;
    const path = fields.slice(at).join(' ');
    if (fields[0] !== '?' && fields[2]!.startsWith('S')) submodules.set(path, fields[2]!);
    else changed.push(path);
  }

  return {changed: changed.sort(), submodules};
}
