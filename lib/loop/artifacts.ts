// The artifacts that an agent names, with the hash and size by which one can tell later that they are still that.
import {createHash} from 'node:crypto';
import {createReadStream} from 'node:fs';
import {realpath, stat} from 'node:fs/promises';
import {resolve} from 'node:path';
import type {ArtifactInput} from '../change/round.ts';
import type {AgentResult} from './executor.ts';

const artifactsMax = 50;

/** Returns those of the named files that are there, inside the worktree: what an agent did not make is no artifact. */
export async function hashArtifacts(
  top: string,
  named: AgentResult['artifacts'],
  at: {readonly round: string; readonly todo: string | undefined},
): Promise<readonly ArtifactInput[]> {
  const found: ArtifactInput[] = [];
  for (const {path, kind = 'file'} of (named ?? []).slice(0, artifactsMax)) {
    const file = await realpath(resolve(top, path)).catch(() => undefined);
    if (!file?.startsWith(`${await realpath(top)}/`) || !(await stat(file)).isFile()) continue;
    const hash = createHash('sha256');
    for await (const chunk of createReadStream(file)) hash.update(chunk as Buffer);
    const sizeBytes = (await stat(file)).size;
    found.push({path, kind, sha256: hash.digest('hex'), sizeBytes, round: at.round, ...(at.todo && {todo: at.todo})});
  }

  return found;
}
