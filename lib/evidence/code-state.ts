// The state of the code as a value that one can compare: HEAD, its tree, and a fingerprint of all that would be in the
// next commit if somebody added everything. It knows contents, not times: touching a file, or staging it, changes
// nothing, so that "nothing has changed since" means just that. Ignored files don't count.
import {createHash} from 'node:crypto';
import {lstat, readlink} from 'node:fs/promises';
import {onDisk, sha256} from '../git/disk.ts';
import type {Repository} from '../git/repository.ts';
import {readStatus, type WorktreeStatus} from '../git/status.ts';

export type CodeState = {
  /** Undefined before the first commit. */
  readonly head: string | undefined;
  readonly tree: string | undefined;
  /** Whether something is changed or new, and not committed. */
  readonly dirty: boolean;
  /** The paths of what is changed or new. */
  readonly changed: readonly string[];
  /** Equal for equal code; the tree's id where all is committed. */
  readonly fingerprint: string;
};

/** Beyond these a file is known by size and time only: who has thousands of new files wants an answer, too. */
const hashedFilesMax = 2000;
const hashedBytesMax = 8 * 1024 * 1024;

const noCommit = 'no-commit';

/** Returns the state of the code in the repository's worktree; of a bare repository, that of HEAD. */
export async function codeState({git, top}: Repository): Promise<CodeState> {
  const [status, parsed] = await Promise.all([
    top === undefined ? undefined : readStatus(git),
    git.run(['rev-parse', '--quiet', 'HEAD^{commit}', 'HEAD^{tree}']),
  ]);
  const [head, tree] = parsed.status === 0 ? parsed.stdout.toString().trim().split('\n') : [];
  const dirty = status !== undefined && (status.changed.length > 0 || status.submodules.size > 0);
  if (!dirty) return {head, tree, dirty, changed: [], fingerprint: tree ?? noCommit};
  const changed = [...status.changed, ...status.submodules.keys()];

  const hash = createHash('sha256').update(`${tree ?? noCommit}\0`);
  for (const part of await Promise.all(status.changed.map((path, index) => describe(top!, path, index)))) {
    hash.update(part);
  }

  hash.update(await describeSubmodules({git, status}));
  return {head, tree, dirty, changed, fingerprint: hash.digest('hex').slice(0, 40)};
}

async function describe(top: string, path: string, index: number): Promise<string> {
  const file = onDisk(top, path);
  const stats = await lstat(file, {bigint: true}).catch(() => undefined);
  const what = async () => {
    if (!stats) return 'gone';
    if (stats.isSymbolicLink()) return `link ${await readlink(file).catch(() => '')}`;
    if (!stats.isFile()) return 'other';
    const isRun = stats.mode & 0o100n ? 'x' : '-';
    if (index < hashedFilesMax && stats.size <= hashedBytesMax)
      return `${isRun} ${(await sha256(file)) ?? 'unreadable'}`;
    return `${isRun} ${stats.size} ${stats.mtimeNs}`;
  };
  return `${path}\0${await what()}\0`;
}

// Git says that a submodule stands elsewhere, but not where.
async function describeSubmodules({git, status}: {git: Repository['git']; status: WorktreeStatus}): Promise<string> {
  if (status.submodules.size === 0) return '';
  const parts = [...status.submodules].map(async ([path, letters]) => {
    const head = await git.run(['-C', path, 'rev-parse', '--verify', '--quiet', 'HEAD']);
    return `${path}\0${letters} ${head.stdout.toString().trim()}\0`;
  });
  return (await Promise.all(parts)).join('');
}
