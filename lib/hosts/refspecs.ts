// What a fetch brings of loopx. Both refspecs are globs, since one without a glob breaks every fetch of the user while
// the remote has no such ref; and both lead into a namespace of their own, since a forced fetch would erase what was not
// yet pushed. There is no refspec for pushing: it would take the place of the user's `push.default`.
import type {ConfigEntry} from '../git/config.ts';

/** Returns the names of the remotes that can be fetched from. */
export function remoteNames(config: readonly ConfigEntry[]): readonly string[] {
  const names = config.map(({key}) => /^remote\.(.+)\.url$/s.exec(key)?.[1]);
  return [...new Set(names.filter(name => name !== undefined))];
}

/**
 * Returns the settings that make a fetch from the remote bring goals and notes.
 *
 * Where `remote.R.loopxPrefix` is set, as for a host that takes branches only, the remote's refs lie below that prefix.
 */
export function fetchRefspecs(config: readonly ConfigEntry[], remote: string): readonly ConfigEntry[] {
  const key = `remote.${remote}.fetch`;
  const prefix = config.findLast(entry => entry.key === `remote.${remote}.loopxprefix`)?.value.replace(/\/+$/, '');
  const goals = prefix ? `${prefix}/goals/` : 'refs/loopx/goals/';
  const notes = prefix ? `${prefix}/notes/loopx` : 'refs/notes/loopx';
  const seen = `refs/loopx/remotes/${remote}`;
  return [
    {key, value: `+${goals}*:${seen}/goals/*`},
    {key, value: `+${notes}*:${seen}/notes/loopx*`},
  ];
}

/** Says whether a fetch refspec, such as a mirror's `+refs/*:refs/*`, writes over the goals of this repository. */
export function overwritesGoals(refspec: string): boolean {
  const to = refspec.split(':')[1];
  if (!to?.includes('*')) return false;
  const [before = '', after = ''] = to.split('*');
  return after === '' && ('refs/loopx/goals/'.startsWith(before) || before.startsWith('refs/loopx/goals/'));
}
