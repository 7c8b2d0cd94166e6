// Moves files into a worktree and out of it, one at a time and each atomically. Nothing here goes through a symlink,
// into a nested repository, or over something that nobody asked to lose: then the answer is a reason, and the disk is as
// it was. Between the look and the move somebody could still swap a folder for a link; Node has no call that can't be
// fooled that way, and whoever can do it can write in the worktree anyway.
import {
  copyFileSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  renameSync,
  rmdirSync,
  rmSync,
  symlinkSync,
  unlinkSync,
} from 'node:fs';
import {Failure} from '../failure.ts';
import {onDisk, openDisk, parentOf} from './disk.ts';
import {pathFromBytes} from './path-text.ts';

/** Moves the file or symlink `from` to `path` below `root`. Returns why not, or undefined when it is done. */
export function placeFile(root: string, path: string, from: Buffer): string | undefined {
  return attempt(path, () => {
    const obstacle = makeFolder(root, parentOf(path)) ?? clearWay(root, path);
    if (obstacle === undefined) move(from, onDisk(root, path));
    return obstacle;
  });
}

/** Removes a file or symlink, and the folders that it leaves empty. Returns why not, or undefined when it is gone. */
export function removeFile(root: string, path: string): string | undefined {
  return attempt(path, () => {
    const stats = openDisk(root).look(path);
    if (stats === undefined || stats.isDirectory()) return undefined;
    unlinkSync(onDisk(root, path));
    for (let folder = parentOf(path); folder !== ''; folder = parentOf(folder)) {
      if (readdirSync(onDisk(root, folder)).length > 0) break;
      rmdirSync(onDisk(root, folder));
    }

    return undefined;
  });
}

function makeFolder(root: string, folder: string): string | undefined {
  if (folder === '') return undefined;
  const obstacle = makeFolder(root, parentOf(folder));
  if (obstacle !== undefined) return obstacle;
  const stats = lstatSync(onDisk(root, folder), {throwIfNoEntry: false});
  if (stats === undefined) mkdirSync(onDisk(root, folder));
  else if (!stats.isDirectory()) return `${folder} is in the way`;
  else if (isRepository(root, folder)) return `${folder} is another repository`;
  return undefined;
}

// A folder with nothing but empty folders in it holds nothing that could be lost.
function clearWay(root: string, path: string): string | undefined {
  const stats = lstatSync(onDisk(root, path), {throwIfNoEntry: false});
  if (!stats?.isDirectory()) return undefined;
  if (isRepository(root, path)) return 'another repository is in its place';
  if (holdsFiles(root, path)) return 'a folder with files that are not in the snapshot is in its place';
  removeEmpty(root, path);
  return undefined;
}

function isRepository(root: string, folder: string): boolean {
  return lstatSync(onDisk(root, `${folder}/.git`), {throwIfNoEntry: false}) !== undefined;
}

function holdsFiles(root: string, folder: string): boolean {
  const entries = readdirSync(onDisk(root, folder), {withFileTypes: true, encoding: 'buffer'});
  return entries.some(entry => !entry.isDirectory() || holdsFiles(root, childOf(folder, entry.name)));
}

function childOf(folder: string, name: Buffer): string {
  return `${folder}/${pathFromBytes(name)}`;
}

function removeEmpty(root: string, folder: string): void {
  for (const name of readdirSync(onDisk(root, folder), {encoding: 'buffer'})) removeEmpty(root, childOf(folder, name));
  rmdirSync(onDisk(root, folder));
}

// The common git dir of a linked worktree may be on another disk; then the file is made beside its place first. What a
// crash leaves of it is a new file in the worktree, which the next restore removes.
function move(from: Buffer, to: Buffer): void {
  try {
    renameSync(from, to);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EXDEV') throw error;
    const near = Buffer.concat([to.subarray(0, to.lastIndexOf('/') + 1), Buffer.from('.loopx-restoring')]);
    rmSync(near, {force: true});
    if (lstatSync(from).isSymbolicLink()) symlinkSync(readlinkSync(from, {encoding: 'buffer'}), near);
    else copyFileSync(from, near);
    renameSync(near, to);
    unlinkSync(from);
  }
}

function attempt(path: string, act: () => string | undefined): string | undefined {
  try {
    return act();
  } catch (error) {
    const {code, message} = error as NodeJS.ErrnoException;
    if (code === 'EACCES' || code === 'EPERM' || code === 'EBUSY') return `the system refuses: ${code}`;
    if (code === undefined) throw error;
    throw new Failure('io-failed', `${path} could not be restored: ${message}`, {
      hint: 'Mend that and restore again: what is done already stays done.',
      cause: error,
    });
  }
}
