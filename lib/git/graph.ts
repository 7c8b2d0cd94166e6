// The code's recent history as a graph: commits with parents, trees and our notes, read by one `git log`; and what else
// one has to ask git about it.
import {type Git, gitFailure} from './command.ts';
import {notesRef} from './notes.ts';

export type GraphCommit = {
  readonly commit: string;
  readonly parents: readonly string[];
  readonly tree: string;
  /** Committer date, seconds since the Unix epoch. */
  readonly committedAt: number;
  readonly subject: string;
  /** The lines of its note. */
  readonly lines: readonly string[];
};

const listedMax = 20_000;
const fieldsEach = 6;

/**
 * Returns the commits that are reachable from `tips` and not from `except`, children before parents; of ids that aren't
 * here, nothing. At most the newest twenty thousand.
 *
 * @param options.since - Seconds since the Unix epoch: what was committed before is left out, with all that lies below.
 */
export async function readGraph(
  git: Git,
  tips: readonly string[],
  options: {readonly except?: readonly string[]; readonly since?: number} = {},
): Promise<readonly GraphCommit[]> {
  const {except = [], since} = options;
  if (tips.length === 0) return [];
  const args = [
    ...['-c', 'log.showSignature=false', 'log', '--ignore-missing', '--topo-order', '--no-patch', '--no-color'],
    ...['--encoding=UTF-8', '--notes', `--max-count=${listedMax}`],
    ...(since === undefined ? [] : [`--since=${new Date(since * 1000).toISOString()}`]),
    ...['--format=tformat:%H%x00%P%x00%T%x00%ct%x00%s%x00%N%x00', '--stdin'],
  ];
  // Our notes and no others; a partial clone does not ask its remote for commits of others.
  const env = {GIT_NOTES_REF: notesRef, GIT_NOTES_DISPLAY_REF: '', GIT_NO_LAZY_FETCH: '1'};
  const input = [...tips, ...except.map(commit => `^${commit}`)].map(line => `${line}\n`).join('');
  const result = await git.run(args, {input, env});
  if (result.status !== 0) throw gitFailure(['log'], result);
  const fields = result.stdout.toString().split('\0');
  return Array.from({length: Math.floor(fields.length / fieldsEach)}, (_, n) => {
    const [commit = '', parents = '', tree = '', at = '', subject = '', note = ''] = fields.slice(
      n * fieldsEach,
      (n + 1) * fieldsEach,
    );
    return {
      commit: commit.trim(),
      parents: parents.split(' ').filter(Boolean),
      tree,
      committedAt: Number(at),
      subject,
      lines: note.split('\n').filter(line => line !== ''),
    };
  });
}

/**
 * Returns the best common ancestor of a commit and the others, all taken together: where its branch left them. Undefined
 * where there is none or more than one.
 */
export async function forkPoint(git: Git, commit: string, others: readonly string[]): Promise<string | undefined> {
  if (others.length === 0) return undefined;
  const result = await git.run(['merge-base', '--all', commit, ...others]);
  // What isn't there has nothing in common.
  const found = result.status === 0 ? result.stdout.toString().trim().split('\n') : [];
  return found.length === 1 ? found[0] : undefined;
}

const trunks = ['HEAD', 'main', 'master', 'trunk', 'develop'];

/** Returns where the branches are that others are merged into, going by their names, without those that have `commit`. */
export async function trunkTips(git: Git, commit: string): Promise<readonly string[]> {
  const patterns = trunks.flatMap(name => [`refs/heads/${name}`, `refs/remotes/*/${name}`]);
  const args = ['for-each-ref', `--no-contains=${commit}`, '--format=%(objectname)', ...patterns];
  return [...new Set((await git.text(args)).split('\n').filter(Boolean))];
}

/** Says whether a tree is that of one of the commit's ancestors; undefined where that goes back too far to tell. */
export async function hadTree(git: Git, commit: string, tree: string): Promise<boolean | undefined> {
  const args = ['-c', 'log.showSignature=false', 'log', '--format=%T', '--no-patch', '--no-notes'];
  const out = await git.text([...args, `--max-count=${ancestorsMax}`, '--skip=1', commit, '--']);
  const trees = out.split('\n');
  if (trees.includes(tree)) return true;
  return trees.length < ancestorsMax && !(await cloneForm(git)).isShallow ? false : undefined;
}

const ancestorsMax = 50_000;

/** Says what of its history a clone may lack: commits below a shallow boundary, contents that a remote has promised. */
export async function cloneForm(git: Git): Promise<{readonly isShallow: boolean; readonly isPartial: boolean}> {
  const [shallow, promisors] = await Promise.all([
    git.text(['rev-parse', '--is-shallow-repository']),
    git.run(['config', '--get-regexp', '^(extensions\\.partialclone|remote\\..*\\.promisor)$']),
  ]);
  return {isShallow: shallow === 'true', isPartial: promisors.status === 0};
}
