// Refs: listed and moved by git itself, never by looking into its files.
import {Failure} from '../failure.ts';
import {type Git, gitFailure} from './command.ts';

/**
 * Returns the refs below a prefix such as `refs/loopx/goals/`, by full name.
 *
 * @param more - Other prefixes, whose broken refs are left out: what can be fetched again is no reason to stop.
 * @throws {Failure} `state-unreadable` where one of the first is broken. Git only warns, and lists the others as if it weren't
 *   there; but what can't be read must not look as if it never was.
 */
export async function listRefs(
  git: Git,
  prefix: string,
  ...more: readonly string[]
): Promise<ReadonlyMap<string, string>> {
  const args = ['for-each-ref', '--format=%(objectname) %(refname)', prefix, ...more];
  const result = await git.run(args);
  if (result.status !== 0) throw gitFailure(args, result);
  const broken = [...result.stderr.matchAll(/ignoring (?:broken ref|ref with broken name) (\S+)/g)]
    .map(match => match[1]!)
    .find(ref => !more.some(other => ref.startsWith(other)));
  if (broken !== undefined) throw brokenRef(broken);
  const out = result.stdout.toString().trimEnd();
  const lines = out === '' ? [] : out.split('\n');
  return new Map(lines.map(line => [line.slice(line.indexOf(' ') + 1), line.slice(0, line.indexOf(' '))]));
}

function brokenRef(ref: string): Failure {
  return new Failure('state-unreadable', `${ref} is broken: its file in the git dir names no commit.`, {
    hint: 'Find its last commit with `git fsck --lost-found`, remove the file, and put the ref back with `git update-ref`.',
  });
}

/** Returns the commit that a revision names, or undefined where there is none, as for HEAD before the first commit. */
export async function readCommit(git: Git, revision: string): Promise<string | undefined> {
  const result = await git.run(['rev-parse', '--verify', '--quiet', '--end-of-options', `${revision}^{commit}`]);
  return result.status === 0 ? result.stdout.toString().trim() : undefined;
}

/**
 * Moves a ref from `expected` to `to`; an undefined `to` deletes it, an undefined `expected` creates it.
 *
 * @throws {Failure} `ref-moved` where the ref is somewhere else; `git-locked` where a lock is left over.
 */
export async function moveRef(
  git: Git,
  ref: string,
  to: string | undefined,
  expected: string | undefined,
): Promise<void> {
  const args =
    to === undefined
      ? ['update-ref', '-d', ref, expected ?? '']
      : ['update-ref', ref, to, expected ?? '0'.repeat(to.length)];
  const result = await git.run(args);
  if (result.status !== 0) throw await refFailure(git, ref, expected, args, result);
}

/** Sets refs to commits, wherever they are: for refs that only say where something was seen. */
export async function setRefs(git: Git, refs: ReadonlyMap<string, string>): Promise<void> {
  if (refs.size === 0) return;
  const input = [...refs].map(([ref, commit]) => `update ${ref} ${commit}\n`).join('');
  await git.text(['update-ref', '--stdin'], {input});
}

/** Returns why a ref could not be moved: it is elsewhere, a lock is in the way, or git refused. */
export async function refFailure(
  git: Git,
  ref: string,
  expected: string | undefined,
  args: readonly string[],
  result: {status: number; stdout: Buffer; stderr: string},
): Promise<Failure> {
  const now = (await listRefs(git, ref)).get(ref);
  if (now !== expected)
    return new Failure('ref-moved', `${ref} was changed by somebody else meanwhile.`, {hint: 'Try again.'});
  const lock = /Unable to create '([^']*\.lock)': File exists/.exec(result.stderr)?.[1];
  if (!lock) return gitFailure(args, result);
  return new Failure('git-locked', `${ref} can't be changed: a lock of git is in the way.`, {
    hint: `If no git command is running, remove ${lock} and try again.`,
  });
}
