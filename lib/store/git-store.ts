// Goals in git: a ref a goal, an event a commit, the state its tree.
import {join} from 'node:path';
import type {Git} from '../git/command.ts';
import {mergeBases, parseCommit, readHistory} from '../git/history.ts';
import {importCommit} from '../git/import.ts';
import {type ObjectReader, openObjects, treeEntries} from '../git/objects.ts';
import {listRefs, moveRef} from '../git/refs.ts';
import type {Repository} from '../git/repository.ts';
import type {World} from '../world.ts';
import type {GoalStore, StoredCommit} from './goal-store.ts';
import {withLock} from './lock.ts';
import {readMessage} from './message.ts';
import {markChanged} from './unsent.ts';

export const goalRefs = 'refs/loopx/goals/';
/** Where the goals and notes of remotes were last seen: `<remote>/goals/<goal>`, `<remote>/notes/loopx`. */
export const trackingRefs = 'refs/loopx/remotes/';

/** A store whose reader of objects is closed at the end. */
export type OpenGitStore = GoalStore & {
  /** Returns the tracking refs by full name, as they were when somebody first asked: listed along with the goals. */
  readonly tracked: () => Promise<ReadonlyMap<string, string>>;
  readonly close: () => void;
};

type Listed = {readonly goals: ReadonlyMap<string, string>; readonly tracked: ReadonlyMap<string, string>};

/** What a store asks git first; it can be asked before one knows where the repository's parts lie. */
export type FirstAnswers = {readonly objects: ObjectReader; readonly refs: Promise<Listed>};

/** Begins to ask. Where there is no repository, the store that would use the answers is never opened. */
export function askFirst(git: Git): FirstAnswers {
  const objects = openObjects(git);
  objects.warm();
  const refs = listAll(git);
  refs.catch(() => {});
  return {objects, refs};
}

/** Returns the store of a repository's goals. */
export function openGitStore(repository: Repository, world: World, first?: FirstAnswers): OpenGitStore {
  const {git, gitDir, commonDir} = repository;
  const objects = first?.objects ?? openObjects(git);

  const paths = async (commit: string, folder: string): Promise<readonly string[]> => {
    const [tree] = await objects.read([folder === '' ? `${commit}^{tree}` : `${commit}:${folder}`]);
    if (tree?.type !== 'tree') return [];
    const inner = treeEntries(tree).map(async ({name, mode}) => {
      const path = folder === '' ? name : `${folder}/${name}`;
      return mode === '40000' ? paths(commit, path) : [path];
    });
    return (await Promise.all(inner)).flat();
  };

  // What every writer asks for costs no process.
  const tipOnly = async (include: readonly string[], exclude: readonly string[], limit: number | undefined) => {
    if (limit !== 1 || include.length !== 1 || exclude.length !== 0) return undefined;
    const [object] = await objects.read(include);
    const commit = object && parseCommit(object);
    return commit && [commit];
  };

  let tipsKnown = first?.refs;
  let tracked = first?.refs;
  const tips = async () => {
    const answer = tipsKnown ?? listAll(git);
    tracked ??= answer;
    tipsKnown = undefined;
    return (await answer).goals;
  };
  const changed = async (tip: string) => {
    tipsKnown = undefined;
    await markChanged(commonDir, tip);
    return tip;
  };

  return {
    tips,
    async tracked() {
      tracked ??= listAll(git);
      return (await tracked).tracked;
    },
    async tip(goal) {
      // Asking the reader of objects costs no process. Where it has no answer, the list of refs says what is wrong.
      const [object] = await objects.read([goalRefs + goal]);
      return object?.id ?? (await tips()).get(goal);
    },
    async read(commit, wanted) {
      const found = await objects.read(wanted.map(path => `${commit}:${path}`));
      const texts = wanted.flatMap((path, index) => {
        const object = found[index];
        return object?.type === 'blob' ? [[path, object.content.toString()] as const] : [];
      });
      return new Map(texts);
    },
    paths,
    async commits(include, exclude, limit) {
      const history = (await tipOnly(include, exclude, limit)) ?? (await readHistory(git, include, exclude, limit));
      return Promise.all(
        history.map(
          async ({message, author: _, ...commit}): Promise<StoredCommit> => ({
            ...commit,
            ...(await readMessage(message)),
          }),
        ),
      );
    },
    mergeBases: (x, y) => mergeBases(git, x, y),
    write: ({goal, ...commit}) => importCommit(git, gitDir, {...commit, ref: goalRefs + goal}).then(changed),
    async forward(goal, to, expected) {
      await moveRef(git, goalRefs + goal, to, expected);
      await changed(to);
    },
    inTurn: (goal, work) => withLock(join(commonDir, 'loopx', 'locks', goal), world, work),
    close: objects.close,
  };
}

async function listAll(git: Git): Promise<Listed> {
  const refs = [...(await listRefs(git, goalRefs, trackingRefs))];
  const goals = refs.filter(([ref]) => ref.startsWith(goalRefs)).map(([ref, tip]) => [ref.slice(goalRefs.length), tip] as const); // biome-ignore format: one thought
  return {goals: new Map(goals), tracked: new Map(refs.filter(([ref]) => ref.startsWith(trackingRefs)))};
}
