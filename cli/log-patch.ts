// What an event changed in the records, as a unified diff of their texts before and after.
import {createTwoFilesPatch} from 'diff';
import {touchedPaths} from '../lib/model/fold.ts';
import type {GoalStore, StoredCommit} from '../lib/store/goal-store.ts';
import type {LogEntry} from './log-entries.ts';

export type CommitPatch = {readonly commit: string; readonly events: readonly string[]; readonly patch: string};

/** Returns what the commits of these entries changed, by commit. */
export async function patchesOf(
  store: GoalStore,
  entries: readonly LogEntry[],
): Promise<ReadonlyMap<string, CommitPatch>> {
  const commits = new Map(entries.map(({commit}) => [commit.commit, commit]));
  const patches = [...commits.values()].map(async commit => ({
    commit: commit.commit,
    events: commit.events.map(({id}) => id),
    patch: await commitPatch(store, commit),
  }));
  return new Map((await Promise.all(patches)).map(patch => [patch.commit, patch]));
}

async function commitPatch(store: GoalStore, {commit, parents, events}: StoredCommit): Promise<string> {
  const paths = [...new Set(events.flatMap(touchedPaths))].sort();
  const [before, after] = await Promise.all([
    parents[0] === undefined ? new Map<string, string>() : store.read(parents[0], paths),
    store.read(commit, paths),
  ]);
  return paths
    .filter(path => before.get(path) !== after.get(path))
    .map(path => filePatch(path, before.get(path), after.get(path)))
    .join('');
}

function filePatch(path: string, before: string | undefined, after: string | undefined): string {
  const [from, to] = [
    before === undefined ? '/dev/null' : `a/${path}`,
    after === undefined ? '/dev/null' : `b/${path}`,
  ];
  const patch = createTwoFilesPatch(from, to, before ?? '', after ?? '', '', '', {context: 2});
  return patch.replace(/^=+\n/, '').replace(/\t$/gm, '');
}
