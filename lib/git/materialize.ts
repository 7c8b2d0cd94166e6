// Writes files of a snapshot below a temporary folder, with the bytes, modes and link targets that they had. Git checks
// them out there as if that folder were the worktree: so filters follow the attributes that the snapshot itself holds,
// not those that lie in the user's worktree now.
import {mkdir, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import type {Git} from './command.ts';
import {onDisk, parentOf} from './disk.ts';
import type {IndexEntry} from './index-entries.ts';
import {joinNul} from './path-text.ts';
import type {PrivateIndex} from './private-index.ts';
import type {Snapshot} from './snapshot.ts';
import {withIndex, withSettings} from './worktree.ts';

export type Copies = {
  /** Runs git on an index that holds the snapshot's tree. */
  readonly git: Git;
  /** The folder; a file that git could not write is missing in it. */
  readonly dir: string;
  /** Writes these entries of the snapshot below `dir`. */
  readonly write: (entries: readonly IndexEntry[]) => Promise<void>;
};

/** Reads the snapshot's tree into an index of its own, and returns what writes its files. */
export async function openCopies(copy: PrivateIndex, snapshot: Snapshot): Promise<Copies> {
  const dir = join(copy.dir, 'copies');
  await mkdir(dir);
  const {autocrlf, eol} = snapshot.lineEnds;
  const lineEnds = [`core.autocrlf=${autocrlf ?? 'false'}`, `core.eol=${eol ?? 'native'}`];
  const git = withSettings(withIndex(copy.worktree, join(copy.dir, 'wanted')).git, lineEnds);
  await git.bytes(['read-tree', snapshot.tree]);

  const raw = new Set(snapshot.raw.map(file => file.path));
  const write: Copies['write'] = async entries => {
    const filtered = entries.filter(entry => !raw.has(entry.path)).map(entry => entry.path);
    // The exit status doesn't matter: what git could not write is missing, and the caller looks.
    await git.run(['checkout-index', '-q', '-z', '--stdin'], {
      input: joinNul(filtered),
      cwd: dir,
      env: {GIT_WORK_TREE: dir},
    });
    await writeRaw(
      git,
      dir,
      entries.filter(entry => raw.has(entry.path)),
    );
  };
  return {git, dir, write};
}

const batchBytesMax = 64 << 20;

async function writeRaw(git: Git, dir: string, entries: readonly IndexEntry[]): Promise<void> {
  if (entries.length === 0) return;
  const input = entries.map(entry => `${entry.oid}\n`).join('');
  const sizes = (await git.text(['cat-file', '--batch-check=%(objectsize)'], {input}))
    .split('\n')
    .map(size => Number(size) || 0);
  for (let at = 0; at < entries.length; ) {
    const start = at;
    for (let bytes = 0; at < entries.length && (at === start || bytes + sizes[at]! <= batchBytesMax); at++) {
      bytes += sizes[at]!;
    }

    await writeBatch(git, dir, entries.slice(start, at));
  }
}

async function writeBatch(git: Git, dir: string, entries: readonly IndexEntry[]): Promise<void> {
  const input = entries.map(entry => `${entry.oid}\n`).join('');
  const output = await git.bytes(['cat-file', '--batch'], {input});
  let at = 0;
  for (const {path, mode} of entries) {
    const lineEnd = output.indexOf('\n', at);
    const [, type, digits] = output.toString('latin1', at, lineEnd).split(' ');
    at = lineEnd + 1;
    // A blob that is gone leaves its file missing.
    if (type !== 'blob') continue;
    const size = Number(digits);
    await mkdir(onDisk(dir, parentOf(path)), {recursive: true});
    const permissions = mode === '100755' ? 0o777 : 0o666;
    await writeFile(onDisk(dir, path), output.subarray(at, at + size), {mode: permissions});
    at += size + 1;
  }
}
