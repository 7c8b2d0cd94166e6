// Files of a worktree by their path text. Looking at a path never follows a symlink, neither at its end nor on the way:
// what lies behind a linked folder is not part of the worktree, whatever the link points to.
import {createHash} from 'node:crypto';
import {type BigIntStats, closeSync, constants, lstatSync, openSync, readSync} from 'node:fs';
import {open} from 'node:fs/promises';
import {pathToBytes} from './path-text.ts';

/** Returns what file system calls take for `path` below `root`. */
export function onDisk(root: string, path: string): Buffer {
  return Buffer.concat([Buffer.from(`${root}/`), pathToBytes(path)]);
}

/** Returns the path of the folder that holds `path`; the root is ''. */
export function parentOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')));
}

export type Disk = {
  /** Looks at one path; undefined if nothing is there, or only by way of a symlink or a file. */
  readonly look: (path: string) => BigIntStats | undefined;
  /** Says whether `folder` and everything above it are real folders. What it says is remembered. */
  readonly isFolder: (folder: string) => boolean;
};

/** Returns a view of the files below `root` that remembers folders, so it is for one pass. */
export function openDisk(root: string): Disk {
  const folders = new Map([['', true]]);
  const stats = (path: string) => {
    try {
      return lstatSync(onDisk(root, path), {bigint: true, throwIfNoEntry: false});
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOTDIR') return undefined;
      throw error;
    }
  };
  const isFolder: Disk['isFolder'] = folder => {
    const known = folders.get(folder);
    if (known !== undefined) return known;
    const real = isFolder(parentOf(folder)) && (stats(folder)?.isDirectory() ?? false);
    folders.set(folder, real);
    return real;
  };
  return {isFolder, look: path => (isFolder(parentOf(path)) ? stats(path) : undefined)};
}

// Neither through a symlink nor waiting for a named pipe; Windows knows neither flag.
const reading = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

const chunkBytes = 1 << 16;

/** Says whether two files hold the same bytes; a file that can't be read equals none. */
export function sameBytes(one: Buffer, other: Buffer): boolean {
  const files: number[] = [];
  try {
    for (const path of [one, other]) files.push(openSync(path, reading));
    const chunks = [Buffer.allocUnsafe(chunkBytes), Buffer.allocUnsafe(chunkBytes)] as const;
    for (;;) {
      const read = readSync(files[0]!, chunks[0]);
      if (readSync(files[1]!, chunks[1]) !== read || chunks[0].compare(chunks[1], 0, read, 0, read) !== 0) return false;
      if (read === 0) return true;
    }
  } catch {
    return false;
  } finally {
    for (const file of files) closeSync(file);
  }
}

/** Returns a file's SHA-256 in hex, or undefined where it can't be read. Files of any size. */
export async function sha256(path: Buffer, signal?: AbortSignal): Promise<string | undefined> {
  const hash = createHash('sha256');
  try {
    const file = await open(path, reading);
    for await (const chunk of file.createReadStream({signal})) hash.update(chunk);
  } catch (error) {
    if (signal?.aborted) throw error;
    return undefined;
  }

  return hash.digest('hex');
}
