// What a folder holds, down to the byte, and what of a repository a reader must leave alone.
import {lstatSync, readdirSync, readFileSync, readlinkSync} from 'node:fs';
import {join, resolve} from 'node:path';
import type {Git} from '../../lib/git/command.ts';

/** Lists files and symlinks below `dir` with mode, bytes or target; not what lies in a `.git`. Names are latin1. */
export function listFolder(dir: string): Record<string, string> {
  const found: Record<string, string> = {};
  const walk = (folder: string) => {
    for (const bytes of readdirSync(Buffer.from(join(dir, folder), 'latin1'), {encoding: 'buffer'})) {
      const path = join(folder, bytes.toString('latin1'));
      const place = Buffer.from(join(dir, path), 'latin1');
      const stats = lstatSync(place);
      if (bytes.toString() === '.git') continue;
      if (stats.isDirectory()) walk(path);
      else if (stats.isSymbolicLink()) found[path] = `link ${readlinkSync(place, 'latin1')}`;
      else if (stats.isFile()) {
        found[path] = `${stats.mode & 0o100 ? 'executable' : 'file'} ${readFileSync(place, 'latin1')}`;
      }
    }
  };
  walk('');
  return found;
}

/** Returns all that a snapshot or a restore must not change. Pass refs that may move in `except`. */
export async function describeRepository(git: Git, except = '-'): Promise<Record<string, string>> {
  const gitDir = await git.text(['rev-parse', '--absolute-git-dir']);
  const commonDir = resolve(git.dir, await git.text(['rev-parse', '--git-common-dir']));
  const index = join(gitDir, 'index');
  const stats = lstatSync(index, {throwIfNoEntry: false, bigint: true});
  const refs = (await git.text(['for-each-ref'])).split('\n').filter(line => !line.includes(except));
  return {
    index: stats ? `${stats.mtimeNs} ${stats.ino} ${readFileSync(index, 'latin1')}` : 'none',
    head: readFileSync(join(gitDir, 'HEAD'), 'utf8'),
    reflog: readFileIfThere(join(gitDir, 'logs/HEAD')),
    refs: refs.join('\n'),
    config: readFileIfThere(join(gitDir, 'config')) + readFileIfThere(join(commonDir, 'config')),
    gitDir: readdirSync(gitDir)
      .filter(name => name !== 'loopx')
      .join(' '),
  };
}

function readFileIfThere(path: string): string {
  return lstatSync(path, {throwIfNoEntry: false}) ? readFileSync(path, 'utf8') : '';
}
