// A snapshot is a commit of the working tree as it is: tracked and new files with their exact bytes, not the ignored
// ones. It is made through a private copy of the index; the user's index, HEAD, branches and config are only read. All
// that is needed to go back is reachable from the commit: its parents are HEAD, a commit that holds the index's tree,
// and what the caller adds; what a tree can't hold is in its message.
import {Failure} from '../failure.ts';
import type {Git} from './command.ts';
import {writeTree} from './index-entries.ts';
import {withPrivateIndex} from './private-index.ts';
import {moveRef} from './refs.ts';
import {formatNotes, parseNotes, type SnapshotNotes} from './snapshot-message.ts';
import {stageWorktree} from './stage.ts';
import {openWorktree, type Worktree, withSettings} from './worktree.ts';

export type Snapshot = SnapshotNotes & {
  readonly commit: string;
  readonly tree: string;
};

export type SnapshotOptions = {
  /** Changed files over this size are listed with their hash instead of being saved. */
  readonly maxFileSizeBytes: number;
  /** What the snapshot is, for people: the first lines of its message. */
  readonly message: string;
  /** More commits to keep reachable. */
  readonly parents?: readonly string[];
  /** A ref to move to the snapshot; `expect` is its old value, null for none, and left out if it doesn't matter. */
  readonly ref?: {readonly name: string; readonly expect?: string | null};
  readonly signal?: AbortSignal;
};

/**
 * Saves the working tree that `git` is opened in, and returns what was saved. Files that can't be read don't stop it:
 * they are named in `partial`.
 *
 * @throws {Failure} `ref-moved` if the ref isn't where it was expected; the commit then stays without a ref.
 * @throws {Failure} `not-a-repository`, or `git-failed` where there is no working tree.
 */
export async function takeSnapshot(git: Git, options: SnapshotOptions): Promise<Snapshot> {
  const worktree = await openWorktree(git, options.signal);
  const {head, branch} = await readHead(worktree);
  const {staged, tree} = await withPrivateIndex(worktree, async copy => {
    const staged = await stageWorktree(copy, options);
    return {staged, tree: await writeTree(copy.worktree.git)};
  });
  const {indexTree, partial, raw, nested, large} = staged;
  const lineEnds = {
    autocrlf: worktree.config.get('core.autocrlf') ?? null,
    eol: worktree.config.get('core.eol') ?? null,
  };
  const {maxFileSizeBytes, message} = options;
  const notes = {head, branch, indexTree, maxFileSizeBytes, lineEnds, partial, raw, nested, large};

  const base = head === null ? [] : [head];
  const staging = indexTree === null ? [] : [await writeCommit(worktree, indexTree, base, 'The index of a snapshot\n')];
  const parents = [...base, ...staging, ...(options.parents ?? [])];
  const commit = await writeCommit(worktree, tree, parents, formatNotes(message, notes));
  if (options.ref?.expect !== undefined) await moveRef(git, options.ref.name, commit, options.ref.expect ?? undefined);
  else if (options.ref) await git.text(['update-ref', options.ref.name, commit]);
  return {commit, tree, ...notes};
}

/**
 * Returns a snapshot from its commit, or from a ref that points to it.
 *
 * @throws {Failure} `nothing-to-restore` if there is no such snapshot.
 */
export async function readSnapshot(git: Git, name: string): Promise<Snapshot> {
  const output = await git.bytes(['cat-file', '--batch'], {input: `${name.replaceAll('\n', ' ')}^{commit}\n`});
  const text = output.toString();
  const found = /^([0-9a-f]+) commit \d+\ntree ([0-9a-f]+)\n/.exec(text);
  if (!found) {
    throw new Failure('nothing-to-restore', `There is no snapshot ${name}.`, {
      hint: 'List the snapshots with `loopx checkpoint list`.',
    });
  }

  const message = text.slice(text.indexOf('\n\n') + 2, -1);
  return {commit: found[1]!, tree: found[2]!, ...parseNotes(message, name)};
}

async function readHead({git}: Worktree): Promise<{head: string | null; branch: string | null}> {
  const [head, branch] = await Promise.all([
    git.run(['rev-parse', '-q', '--verify', 'HEAD^{commit}']),
    git.run(['symbolic-ref', '-q', 'HEAD']),
  ]);
  return {
    head: head.status === 0 ? head.stdout.toString().trimEnd() : null,
    branch:
      branch.status === 0
        ? branch.stdout
            .toString()
            .trimEnd()
            .replace(/^refs\/heads\//, '')
        : null,
  };
}

const identity = {
  GIT_AUTHOR_NAME: 'loopx',
  GIT_AUTHOR_EMAIL: 'loopx@loopx.invalid',
  GIT_COMMITTER_NAME: 'loopx',
  GIT_COMMITTER_EMAIL: 'loopx@loopx.invalid',
};

// `commit-tree` neither signs nor runs hooks, whatever the config says.
function writeCommit({git}: Worktree, tree: string, parents: readonly string[], message: string): Promise<string> {
  const from = [...new Set(parents)].flatMap(parent => ['-p', parent]);
  return withSettings(git, ['i18n.commitEncoding=UTF-8']).text(['commit-tree', tree, ...from], {
    input: message,
    env: identity,
  });
}
