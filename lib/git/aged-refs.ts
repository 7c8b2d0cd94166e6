// Refs with their age, and many of them deleted at once: for what is kept for a while only.
import {type Git, gitFailure} from './command.ts';

/** `committedAtMs` is in milliseconds since the Unix epoch. */
export type AgedRef = {readonly ref: string; readonly commit: string; readonly committedAtMs: number};

/** Returns the refs below these prefixes that point to commits. */
export async function listAged(git: Git, prefixes: readonly string[]): Promise<readonly AgedRef[]> {
  const format = '--format=%(objectname) %(committerdate:unix) %(refname)';
  const lines = (await git.text(['for-each-ref', format, ...prefixes])).split('\n');
  return lines.flatMap(line => {
    const [commit = '', seconds = '', ref = ''] = line.split(' ');
    return seconds === '' ? [] : [{ref, commit, committedAtMs: Number(seconds) * 1000}];
  });
}

/**
 * Deletes refs that are still where they were seen, all of them or none.
 *
 * @throws {Failure} `git-failed` where one was moved or locked meanwhile.
 */
export async function deleteRefs(git: Git, refs: readonly Pick<AgedRef, 'ref' | 'commit'>[]): Promise<void> {
  if (refs.length === 0) return;
  const args = ['update-ref', '--stdin', '-z'];
  const input = refs.map(({ref, commit}) => `delete ${ref}\0${commit}\0`).join('');
  const result = await git.run(args, {input});
  if (result.status !== 0) throw gitFailure(args, result);
}
