// Which remotes take part in syncing, and what a ref is called where: at the remote, and in the place where the remote's
// was last seen. Only remotes that `connect` gave its refspecs to take part.
import type {ConfigEntry} from '../git/config.ts';
import {notesRef} from '../git/notes.ts';
import {fetchRefspecs, remoteNames} from '../hosts/refspecs.ts';
import {goalRefs, trackingRefs} from '../store/git-store.ts';

export type ConnectedRemote = {
  readonly name: string;
  /** What brings the remote's refs into the tracking refs. */
  readonly refspecs: readonly string[];
  /** What the remote calls a ref of ours, such as `refs/loopx/goals/py3-k3m9`. */
  readonly theirName: (ref: string) => string;
  /** Where all that the remote is served lies, when it is served through branches. */
  readonly branchPrefix: string | undefined;
};

/** Returns the remotes that `connect` recorded. */
export function connectedRemotes(config: readonly ConfigEntry[]): readonly ConnectedRemote[] {
  const isOurs =
    (name: string) =>
    ({key, value}: ConfigEntry) =>
      key === `remote.${name}.fetch` && value.endsWith(`:${trackingRefs}${name}/goals/*`);
  return remoteNames(config)
    .filter(name => config.some(isOurs(name)))
    .map(name => {
      const refspecs = fetchRefspecs(config, name).map(({value}) => value);
      const [goals = goalRefs, notes = notesRef] = refspecs.map(value => value.replace(/^\+|\*:.*$/g, ''));
      return {
        ...{name, refspecs},
        theirName: ref => (ref === notesRef ? notes : goals + ref.slice(goalRefs.length)),
        branchPrefix: goals.startsWith('refs/heads/') ? goals.replace(/goals\/$/, '') : undefined,
      };
    });
}

/** What a tracking ref follows: a goal, or the notes. */
export type Tracked = {readonly remote: string; readonly ref: string; readonly goal: string | undefined};

/** Returns what a tracking ref follows; undefined where it is none that loopx knows. */
export function trackedBy(trackingRef: string): Tracked | undefined {
  const match = /^refs\/loopx\/remotes\/(.+)\/(?:goals\/([a-z0-9][a-z0-9-]{0,60})|notes\/loopx)$/.exec(trackingRef);
  if (!match) return undefined;
  const [, remote = '', goal] = match;
  return {remote, goal, ref: goal === undefined ? notesRef : goalRefs + goal};
}

/** Returns the tracking ref of one of our refs. */
export function trackingRef(remote: string, ref: string): string {
  const rest = ref === notesRef ? 'notes/loopx' : `goals/${ref.slice(goalRefs.length)}`;
  return `${trackingRefs}${remote}/${rest}`;
}
