// The quiet way: what a fetch or a round has brought is looked at once, and where one has looked is remembered. Mostly
// nothing is new, or all that is new has its notes, and then no history is read. The memory is a cache: without it all
// is looked at again.
import {mkdir, readFile, rename, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {isFailure} from '../failure.ts';
import {cloneForm, readGraph} from '../git/graph.ts';
import type {Repository} from '../git/repository.ts';
import {listTips} from '../git/unnoted.ts';
import type {GoalStore} from '../store/goal-store.ts';
import type {World} from '../world.ts';
import {applyReattach, planReattach, type ReattachPlan} from './reattach.ts';
import {type RecordedRound, recordedRounds} from './recorded.ts';

/** The newest so many commits are looked at; `loopx evidence reattach` looks at the others, too. */
const commitsMax = 300;

type Seen = {readonly tips: readonly string[]; readonly goals: ReadonlyMap<string, string>};

const nothing: ReattachPlan = {copies: [], unclear: [], commits: 0};

/**
 * Attaches the lines of rounds to copies of their commits among what is new since the last look: commits that nobody has
 * looked at, and all of them since the first of the rounds that are new here. At most the newest few hundred.
 *
 * @returns What was attached, and what is unclear.
 * @throws {Failure} `ref-moved`, `git-locked` or `git-failed`; then the next look begins at the same place.
 */
export async function reattachNew(store: GoalStore, repository: Repository, world: World): Promise<ReattachPlan> {
  const {git, commonDir} = repository;
  const [seen, tips, goals] = await Promise.all([readSeen(commonDir), listTips(git), store.tips()]);
  const now = {tips, goals};
  const newTips = tips.filter(tip => !seen.tips.includes(tip));
  const newGoals = [...goals].filter(([goal, tip]) => seen.goals.get(goal) !== tip);
  if (newTips.length === 0 && newGoals.length === 0) return nothing;

  const newRounds = await readNewRounds(store, newGoals, seen);
  const since = Math.min(...newRounds.map(({startedAt}) => startedAt));
  const [late, fresh] = await Promise.all([
    newRounds.length === 0 ? [] : readGraph(git, tips, {since}),
    // At the first look all rounds are new, and so is all that came after the first of them.
    newTips.length === 0 || seen.tips.length === 0 ? [] : readGraph(git, newTips, {except: seen.tips}),
  ]);
  const bare = [...fresh, ...late].filter(({lines}) => lines.length === 0).map(({commit}) => commit);
  const only = new Set(bare.slice(0, commitsMax));
  // To compare contents, a partial clone would have to fetch them.
  if (only.size === 0 || (await cloneForm(git)).isPartial) {
    await remember(commonDir, world, now);
    return nothing;
  }

  const plan = await planReattach(store, repository, {only});
  await applyReattach(repository, world, plan);
  await remember(commonDir, world, now);
  return plan;
}

/** Remembers that all that is here has been looked at. */
export async function markLooked(store: GoalStore, {git, commonDir}: Repository, world: World): Promise<void> {
  const [tips, goals] = await Promise.all([listTips(git), store.tips()]);
  await remember(commonDir, world, {tips, goals});
}

/** Returns the rounds with commits that ended since the last look, wherever they ran. */
async function readNewRounds(
  store: GoalStore,
  goals: readonly (readonly [string, string])[],
  seen: Seen,
): Promise<readonly RecordedRound[]> {
  const rounds = goals.map(async ([goal, tip]) => {
    const before = seen.goals.get(goal);
    const commits = await store.commits([tip], before === undefined ? [] : [before]).catch(error => {
      // A goal that was archived has begun anew.
      if (before === undefined || !isFailure(error, 'git-failed')) throw error;
      return store.commits([tip], []);
    });
    return recordedRounds(
      goal,
      commits.flatMap(({events}) => events),
    );
  });
  return (await Promise.all(rounds)).flat().filter(({commits}) => commits.length > 0);
}

async function readSeen(commonDir: string): Promise<Seen> {
  const text = await readFile(seenFile(commonDir), 'utf8').catch(() => '');
  const lines = text.split('\n').map(line => line.split(' '));
  return {
    tips: lines.flatMap(([kind, id]) => (kind === 'code' && id ? [id] : [])),
    goals: new Map(lines.flatMap(([kind, id, goal]) => (kind === 'goal' && id && goal ? [[goal, id]] : []))),
  };
}

async function remember(commonDir: string, world: Pick<World, 'pid'>, {tips, goals}: Seen): Promise<void> {
  const lines = [...tips.map(tip => `code ${tip}`), ...[...goals].map(([goal, tip]) => `goal ${tip} ${goal}`)];
  const file = seenFile(commonDir);
  await mkdir(join(commonDir, 'loopx'), {recursive: true});
  await writeFile(`${file}.${world.pid}`, lines.map(line => `${line}\n`).join(''));
  await rename(`${file}.${world.pid}`, file);
}

function seenFile(commonDir: string): string {
  return join(commonDir, 'loopx', 'reattached');
}
