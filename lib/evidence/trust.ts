// Which commands the user trusts on this machine. State and repository files come from other people, so a check runs
// only if the user has agreed to exactly this text; changed by one letter it is asked for again. Kept are hashes, in a
// file that is only added to, below the git dir: a clone doesn't bring it.
import {createHash} from 'node:crypto';
import {appendFile, chmod, mkdir, readFile} from 'node:fs/promises';
import {dirname, join} from 'node:path';
import {Failure} from '../failure.ts';

/** Says whether the user has trusted exactly this command. */
export async function isTrusted(commonDir: string, run: string): Promise<boolean> {
  return (await listTrusted(commonDir)).has(hashOf(run));
}

/** Remembers that the user trusts these commands. */
export async function trust(commonDir: string, runs: readonly string[]): Promise<void> {
  const known = await listTrusted(commonDir);
  const hashes = new Set(runs.map(hashOf).filter(hash => !known.has(hash)));
  if (hashes.size === 0) return;
  const file = trustFile(commonDir);
  const lines = [...hashes].map(hash => `${hash}\n`).join('');
  try {
    await mkdir(dirname(file), {recursive: true});
    // In one write, so that two who trust at once both keep theirs; the first line end closes a line that was cut.
    await appendFile(file, `\n${lines}`, {mode: 0o600});
    await chmod(file, 0o600);
  } catch (error) {
    throw new Failure('io-failed', `What is trusted can't be remembered: ${(error as Error).message}`, {cause: error});
  }
}

/** Returns the SHA-256 hashes, in hex, of all commands that are trusted on this machine. */
export async function listTrusted(commonDir: string): Promise<ReadonlySet<string>> {
  const text = await readFile(trustFile(commonDir), 'utf8').catch(error => {
    if (error.code === 'ENOENT') return '';
    throw new Failure('io-failed', `What is trusted can't be read: ${error.message}`, {cause: error});
  });
  return new Set(text.split('\n').filter(line => /^[0-9a-f]{64}$/.test(line)));
}

/** Returns the hash by which a command is trusted. */
export function hashOf(run: string): string {
  return createHash('sha256').update(run).digest('hex');
}

function trustFile(commonDir: string): string {
  return join(commonDir, 'loopx', 'trusted');
}
