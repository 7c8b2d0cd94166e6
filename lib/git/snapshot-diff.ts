// What changed between two snapshots, or between one and the working tree as it is now.
import type {Git} from './command.ts';
import {writeTree} from './index-entries.ts';
import {splitNul} from './path-text.ts';
import {withPrivateIndex} from './private-index.ts';
import type {Snapshot} from './snapshot.ts';
import {stageWorktree} from './stage.ts';
import {openWorktree} from './worktree.ts';

export type FileChange = {readonly path: string; readonly change: 'added' | 'modified' | 'deleted'};

/** What a snapshot is compared with. */
export type DiffTarget = Snapshot | 'worktree';

type Contents = Pick<Snapshot, 'tree' | 'large'>;

/** Lists the files that differ, by path; large ones, which are not saved, by their hash. */
export async function diffSnapshot(git: Git, from: Snapshot, to: DiffTarget): Promise<FileChange[]> {
  const contents = await contentsOf(git, from, to);
  const args = ['diff-tree', '-r', '-z', '--no-renames', '--name-status', from.tree, contents.tree];
  const fields = splitNul(await git.bytes(args));
  const changes = new Map<string, FileChange['change']>();
  for (let at = 0; at + 1 < fields.length; at += 2) {
    changes.set(fields[at + 1]!, fields[at] === 'A' ? 'added' : fields[at] === 'D' ? 'deleted' : 'modified');
  }

  const before = new Map(from.large.map(file => [file.path, file.sha256]));
  const after = new Map(contents.large.map(file => [file.path, file.sha256]));
  for (const path of new Set([...before.keys(), ...after.keys()])) {
    const [old, now] = [before.get(path), after.get(path)];
    // A file that crossed the limit is in one tree and on the other list.
    if (old === now) changes.delete(path);
    else if (old === undefined) changes.set(path, changes.get(path) === 'deleted' ? 'modified' : 'added');
    else if (now === undefined) changes.set(path, changes.get(path) === 'added' ? 'modified' : 'deleted');
    else changes.set(path, 'modified');
  }

  const sorted = [...changes].sort(([one], [other]) => (one < other ? -1 : 1));
  return sorted.map(([path, change]) => ({path, change}));
}

/** Returns the differences as a unified patch, with binary files whole, that `git apply` takes. */
export async function patchSnapshot(git: Git, from: Snapshot, to: DiffTarget): Promise<Buffer> {
  const {tree} = await contentsOf(git, from, to);
  const plain = ['--no-ext-diff', '--no-textconv', '--no-color', '--no-renames', '--src-prefix=a/', '--dst-prefix=b/'];
  return git.bytes(['diff-tree', '-r', '-p', '--binary', '--full-index', ...plain, from.tree, tree]);
}

async function contentsOf(git: Git, from: Snapshot, to: DiffTarget): Promise<Contents> {
  if (to !== 'worktree') return to;
  return withPrivateIndex(await openWorktree(git), async copy => {
    const {large} = await stageWorktree(copy, {maxFileSizeBytes: from.maxFileSizeBytes});
    return {tree: await writeTree(copy.worktree.git), large};
  });
}
