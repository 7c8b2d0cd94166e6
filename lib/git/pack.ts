// Packing: objects that lie loose take a block of the disk each, and a pack stores them as differences. Only what is
// reachable from the given commits is packed, so that what else lies loose here stays as the user's own git has it.
import {join} from 'node:path';
import {type Git, gitFailure} from './command.ts';

export type PackLimits = {
  /** Each of the two steps is ended after so long; whatever is done by then stays right. */
  readonly limitMs: number;
  readonly signal?: AbortSignal;
};

/**
 * Packs the loose objects below some commits, and removes the loose ones that are now in a pack. Others may read and
 * write meanwhile: an object is removed only once its pack is there, and git looks again at packs when it misses one.
 *
 * @returns Whether all was done within the limits.
 * @throws {Failure} `git-failed` where git could not, as in a repository that can't be written to.
 */
export async function packBelow(
  {git, commonDir}: {readonly git: Git; readonly commonDir: string},
  tips: readonly string[],
  limits: PackLimits,
): Promise<boolean> {
  const steps = [
    [
      // One thread, since somebody may be working here.
      ...[
        '-c',
        'pack.threads=1',
        '-c',
        'core.fsync=pack,pack-metadata',
        'pack-objects',
        '--quiet',
        '--delta-base-offset',
      ],
      // Nothing that is in a pack, and nothing that is borrowed from another repository.
      ...[
        '--revs',
        '--unpacked',
        '--incremental',
        '--local',
        '--non-empty',
        join(commonDir, 'objects', 'pack', 'pack'),
      ],
    ],
    ['prune-packed', '--quiet'],
  ];
  for (const args of steps) {
    const result = await git.run(args, {...limits, input: tips.map(tip => `${tip}\n`).join('')});
    if (result.isLate) return false;
    if (result.status !== 0) throw gitFailure(args, result);
  }

  return true;
}

/** Says whether objects may be missing here because a remote has promised them: then only git itself should pack. */
export async function isPartial(git: Git): Promise<boolean> {
  const found = await git.run(['config', '--get-regexp', '^(extensions\\.partialclone|remote\\..*\\.promisor)$']);
  return found.status === 0;
}
