// History: commits with their messages, read by one `git log`.
import {type Git, gitFailure} from './command.ts';

export type HistoryCommit = {
  readonly commit: string;
  readonly parents: readonly string[];
  readonly tree: string;
  /** Committer date, seconds since the Unix epoch. */
  readonly committedAt: number;
  readonly author: string;
  readonly message: string;
};

// Line ends in the message stay as they are: fields end in NUL, which no message holds.
const format = '%H%x00%P%x00%T%x00%ct%x00%an <%ae>%x00%B%x00';
const fieldsEach = 6;

/**
 * Returns the commits that are reachable from `include` and not from `exclude`, children before parents.
 *
 * @param limit - How many at the most, the newest first.
 */
export async function readHistory(
  git: Git,
  include: readonly string[],
  exclude: readonly string[] = [],
  limit?: number,
): Promise<readonly HistoryCommit[]> {
  if (include.length === 0) return [];
  const args = [
    ...['-c', 'log.showSignature=false', '-c', 'log.showRoot=true', 'log', '--topo-order', '--no-color', '--no-notes'],
    ...['--no-decorate', '--no-patch', '--encoding=UTF-8', `--format=tformat:${format}`],
    ...(limit === undefined ? [] : [`--max-count=${limit}`]),
    ...['--stdin'],
  ];
  const input = [...include, ...exclude.map(commit => `^${commit}`)].map(line => `${line}\n`).join('');
  const result = await git.run(args, {input});
  if (result.status !== 0) throw gitFailure(['log'], result);
  const fields = result.stdout.toString().split('\0');
  const commits: HistoryCommit[] = [];
  for (let at = 0; at + fieldsEach <= fields.length; at += fieldsEach) {
    const [commit = '', parents = '', tree = '', committedAt = '', author = '', message = ''] = fields.slice(
      at,
      at + fieldsEach,
    );
    commits.push({
      commit: commit.trimStart(),
      parents: parents === '' ? [] : parents.split(' '),
      tree,
      committedAt: Number(committedAt),
      author,
      message: message.replace(/\n$/, ''),
    });
  }

  return commits;
}

/** Returns the best common ancestors of two commits: none where their histories have no common beginning. */
export async function mergeBases(git: Git, x: string, y: string): Promise<readonly string[]> {
  const result = await git.run(['merge-base', '--all', x, y]);
  if (result.status > 1) throw gitFailure(['merge-base'], result);
  return result.stdout
    .toString()
    .split('\n')
    .filter(line => line !== '');
}
