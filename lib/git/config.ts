// Git's configuration, read with all that applies and changed in the repository's own file, which all worktrees share.
// Git writes that file itself; what it adds to it and takes out again leaves the other bytes as they were.
import {type Git, gitFailure} from './command.ts';

/** A setting. The section and the last part of the key are in lower case, as git prints them. */
export type ConfigEntry = {readonly key: string; readonly value: string};

/** Returns the settings that apply in the repository, from every file, in git's order; several may have one key. */
export async function readConfig(git: Git): Promise<readonly ConfigEntry[]> {
  return listConfig(git, []);
}

/** Returns the settings in the repository's own file. */
export async function readOwnConfig(git: Git): Promise<readonly ConfigEntry[]> {
  return listConfig(git, ['--local']);
}

/** Adds a value beside those that the key has already. */
export async function addConfig(git: Git, {key, value}: ConfigEntry): Promise<void> {
  await git.text(['config', '--local', '--add', key, value]);
}

/** Takes one value out of the repository's own file; others of the same key stay. */
export async function removeConfig(git: Git, {key, value}: ConfigEntry): Promise<void> {
  // `--fixed-value` is younger than the oldest git we work with, so the value goes in as an expression.
  const exactly = `^${value.replace(/[.*+?^$(){}|[\]\\]/g, '\\$&')}$`;
  const args = ['config', '--local', '--unset-all', key, exactly];
  const result = await git.run(args);
  const nothingToUnset = 5;
  if (result.status !== 0 && result.status !== nothingToUnset) throw gitFailure(args, result);
}

/** Takes a section out of the repository's own file; there may be none. */
export async function removeConfigSection(git: Git, section: string): Promise<void> {
  const args = ['config', '--local', '--remove-section', section];
  const result = await git.run(args);
  const noSuchSection = 128;
  if (result.status !== 0 && result.status !== noSuchSection) throw gitFailure(args, result);
}

async function listConfig(git: Git, scope: readonly string[]): Promise<readonly ConfigEntry[]> {
  const entries = (await git.bytes(['config', ...scope, '-z', '--list'])).toString().split('\0');
  return entries.filter(Boolean).map(entry => {
    const end = entry.indexOf('\n');
    // A name without a value, as in `[core] bare`, means true.
    return end < 0 ? {key: entry, value: 'true'} : {key: entry.slice(0, end), value: entry.slice(end + 1)};
  });
}
