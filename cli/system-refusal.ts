// What the system refuses is no bug of ours: a disk that is full or read-only, a folder that is somebody else's.
import {Failure} from '../lib/failure.ts';

const reasons: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EPERM: 'the system does not allow it',
  EROFS: 'the disk is read-only',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the quota of the disk is used up',
  EMFILE: 'too many files are open',
  ENFILE: 'too many files are open',
  EIO: 'the disk has an error',
};

/** Returns the failure that tells of an error of the system at a file; undefined for any other. */
export function systemRefusal(error: unknown): Failure | undefined {
  if (!(error instanceof Error)) return undefined;
  const {code = '', path} = error as NodeJS.ErrnoException;
  const reason = reasons[code];
  if (!reason) return undefined;
  // An error of a write that had begun no longer knows its file.
  const what = path === undefined ? "A file can't be written" : `${path} can't be used`;
  return new Failure('io-failed', `${what}: ${reason}.`, {cause: error});
}
