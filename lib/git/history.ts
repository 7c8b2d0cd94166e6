// History: commits with their messages, read by one `git log`.
import {type Git, gitFailure} from './command.ts';
import type {GitObject} from './objects.ts';

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

/**
 * Returns a commit read as an object, which costs no process; undefined where only git knows how to read it: it is no
 * commit, or its message is in another encoding.
 */
export function parseCommit({id, type, content}: GitObject): HistoryCommit | undefined {
  const text = content.toString();
  const end = text.indexOf('\n\n');
  const headers = text
    .slice(0, end)
    .split('\n')
    .map(line => [line.slice(0, line.indexOf(' ')), line.slice(line.indexOf(' ') + 1)] as const);
  const named = (name: string) => headers.filter(([header]) => header === name).map(([, value]) => value);
  const [tree] = named('tree');
  const committedAt = /> (\d+) [+-]\d{4}$/.exec(named('committer')[0] ?? '')?.[1];
  if (type !== 'commit' || end < 0 || !tree || !committedAt || named('encoding').length > 0) return undefined;
  return {
    commit: id,
    parents: named('parent'),
    tree,
    committedAt: Number(committedAt),
    author: (named('author')[0] ?? '').replace(/ \d+ [+-]\d{4}$/, ''),
    message: text.slice(end + 2).replace(/\n$/, ''),
  };
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
