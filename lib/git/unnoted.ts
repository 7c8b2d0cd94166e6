// Commits of HEAD without one of our notes, by one `git log`.
import type {Git} from './command.ts';
import {gitFailure} from './command.ts';
import {notesRef} from './notes.ts';

export type UnnotedCommit = {readonly commit: string; readonly subject: string};

export type Unnoted = {
  /** The newest of the commits that were looked at. */
  readonly head: string | undefined;
  /** How many commits were looked at. */
  readonly listed: number;
  /** Those without a note, newest first. */
  readonly unnoted: readonly UnnotedCommit[];
};

const listedMax = 1000;
const tipsMax = 2000;

/** Looks at HEAD's commits that are neither in the history of `seen` nor in a remote's; merges are passed over. */
export async function listUnnoted(git: Git, seen: readonly string[]): Promise<Unnoted> {
  const args = [
    ...['-c', 'log.showSignature=false', 'log', '--ignore-missing', '--no-merges', `--max-count=${listedMax}`],
    ...['--no-patch', '--no-color', '--encoding=UTF-8', '--no-notes', `--notes=${notesRef}`],
    ...['--format=tformat:%H%x00%s%x00%N%x00', '--stdin', 'HEAD', '--not', '--remotes'],
  ];
  // A commit that is gone excludes nothing; HEAD is no commit before the first.
  const env = {GIT_NOTES_DISPLAY_REF: '', GIT_NO_LAZY_FETCH: '1'};
  const result = await git.run(args, {input: seen.map(commit => `^${commit}\n`).join(''), env});
  if (result.status !== 0) {
    if (/ambiguous argument 'HEAD'|bad revision 'HEAD'/.test(result.stderr))
      return {head: undefined, listed: 0, unnoted: []};
    throw gitFailure(['log'], result);
  }

  const fields = result.stdout.toString().split('\0');
  const commits = Array.from({length: Math.floor(fields.length / 3)}, (_, n) => ({
    commit: fields[3 * n]!.trim(),
    subject: fields[3 * n + 1]!,
    hasNote: fields[3 * n + 2]!.trim() !== '',
  }));
  const unnoted = commits.filter(({hasNote}) => !hasNote).map(({commit, subject}) => ({commit, subject}));
  return {head: commits[0]?.commit, listed: commits.length, unnoted};
}

/** Returns the commits that HEAD, branches and remotes' branches point to, each once. */
export async function listTips(git: Git): Promise<readonly string[]> {
  const [head, refs] = await Promise.all([
    git.run(['rev-parse', '--verify', '--quiet', 'HEAD']),
    git.text([
      ...['for-each-ref', '--sort=-committerdate', `--count=${tipsMax}`, '--format=%(objectname)'],
      ...['refs/heads', 'refs/remotes'],
    ]),
  ]);
  return [...new Set([head.stdout.toString().trim(), ...refs.split('\n')])].filter(Boolean);
}
