// A repository in which rounds make commits, as the loop would record them.
import {cp, mkdtemp, rm} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {dirname, join} from 'node:path';
import type {ExecutionContext} from 'ava';
import {beginRound, finishRound} from '../../lib/change/round.ts';
import {attachNotes} from '../../lib/evidence/attach.ts';
import {roundCommits} from '../../lib/evidence/commits.ts';
import {parseNote} from '../../lib/evidence/note.ts';
import {applyReattach, planReattach, type ReattachPlan} from '../../lib/evidence/reattach.ts';
import {readRecorded} from '../../lib/evidence/recorded.ts';
import {openGit} from '../../lib/git/command.ts';
import {readNotes} from '../../lib/git/notes.ts';
import {readCommit} from '../../lib/git/refs.ts';
import {openRepository} from '../../lib/git/repository.ts';
import {changeGoal} from '../../lib/store/append.ts';
import {tempRepo} from './repo.ts';
import {testGitStore, testGoal, testWriter} from './store.ts';
import {testWorld} from './world.ts';

/** A rebase or a commit needs no terminal here. */
export const noEditor = {GIT_SEQUENCE_EDITOR: 'true', GIT_EDITOR: 'true'};

/**
 * Returns a repository with a goal, and what makes rounds in it.
 *
 * @param options.copyOf - The folder of another one, to go on from.
 */
export async function roundRepo(t: ExecutionContext, options: {readonly copyOf?: string} = {}) {
  const {copyOf} = options;
  const repo = await tempRepo(t, {commit: copyOf === undefined});
  const {dir, env, git, commit} = repo;
  if (copyOf !== undefined) {
    await rm(dir, {recursive: true});
    await cp(copyOf, dir, {recursive: true});
  }

  // What is new gets other ids than what was copied.
  const world = testWorld({seed: copyOf === undefined ? 1 : 2});
  const store = await testGitStore(t, repo, world);
  const repository = await openRepository(dir, env);
  const writer = testWriter(store, world);
  const goal = copyOf === undefined ? (await testGoal(writer)).goal : [...(await store.tips()).keys()][0]!;

  /** Takes a round that does the work, attaches its notes, and returns its id. */
  const round = async (work: () => Promise<unknown>, agent = 'claude@test') => {
    const head = await readCommit(git, 'HEAD');
    const begun = await changeGoal(
      writer,
      goal,
      beginRound({agent, leaseMs: 60_000, reserve: {}, ...(head && {head})}),
    );
    const id = String(begun.events.find(event => event.event === 'round.begun')!.round);
    await work();
    const commits = await roundCommits(repository, head, {round: id, isDriven: false});
    await changeGoal(
      writer,
      goal,
      finishRound(id, {
        ...{outcome: 'progress', summary: 'Went on.', seconds: 1, usage: {tokens: 1, microUsd: 1}, billed: true},
        ...{changed: true, state: '3f9c2e1a2b3c4d5e', commits, checks: [], artifacts: []},
      }),
    );
    await attachNotes(store, repository, world, goal);
    return id;
  };
  /** Runs git in the repository or elsewhere, with what it prints. */
  const sh = (args: readonly string[], cwd = dir) => openGit(cwd, env).text(args, {env: noEditor});
  /** Returns what a commit's note says: each round's id with how it is known. */
  const keysOn = async (revision: string) => {
    const id = (await readCommit(git, revision))!;
    const lines = (await readNotes(git, [id])).get(id) ?? [];
    return Object.fromEntries(
      lines.flatMap(line => parseNote(line) ?? []).map(({round, via}) => [round, via ?? 'plain']),
    );
  };
  const reattach = async (only?: readonly string[]): Promise<ReattachPlan> => {
    const ids = only && new Set(await Promise.all(only.map(async revision => (await readCommit(git, revision))!)));
    const plan = await planReattach(store, repository, ids && {only: ids});
    await applyReattach(repository, world, plan);
    return plan;
  };

  return {
    ...repo,
    commit,
    world,
    store,
    repository,
    writer,
    goal,
    round,
    sh,
    keysOn,
    reattach,
    side: join(dirname(dir), 'side'),
  };
}

export type RoundRepo = Awaited<ReturnType<typeof roundRepo>>;

/** The lines of a file that all of a branch's commits change, far enough from each other. */
export const sharedLines = (changed: readonly number[], heading = 'Shared') =>
  [
    heading,
    ...Array.from({length: 160}, (_, n) =>
      n % 10 === 5 && changed.includes(n / 10 - 0.5) ? `changed ${n}` : `line ${n}`,
    ),
  ]
    .map(line => `${line}\n`)
    .join('');

/**
 * Makes a repository with a branch `feature` of twelve commits in five rounds, on top of a main with a file that they all
 * change. It is made once, for others to go on from, and lies in a folder that the caller removes.
 */
export async function makeFeature(t: ExecutionContext): Promise<string> {
  const repo = await roundRepo(t);
  await repo.commit('Shared file', {'shared.txt': sharedLines([])});
  await repo.sh(['checkout', '-q', '-b', 'feature']);
  let n = 0;
  for (const size of roundSizes) {
    await repo.round(async () => {
      for (let left = size; left > 0; left -= 1) {
        n += 1;
        const done = Array.from({length: n}, (_, index) => index);
        await repo.commit(`Step ${n}`, {[`step-${n}.txt`]: `step ${n}\n`, 'shared.txt': sharedLines(done)});
      }
    });
  }

  const kept = await mkdtemp(join(tmpdir(), 'loopx-feature-'));
  await cp(repo.dir, kept, {recursive: true});
  return kept;
}

/** How many commits each round made. */
export const roundSizes = [2, 3, 1, 4, 2];

/** Returns a repository that goes on from such a folder, with its rounds in their order. */
export async function featureRepo(t: ExecutionContext, kept: string) {
  const repo = await roundRepo(t, {copyOf: kept});
  const rounds = (await readRecorded(repo.store)).map(({round}) => round);
  return {...repo, rounds, base: await repo.sh(['rev-parse', 'main'])};
}
