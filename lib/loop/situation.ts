// Gathers all that the decision table looks at. Reading only: asking writes nothing and costs nothing.
import {codeState} from '../evidence/code-state.ts';
import type {Repository} from '../git/repository.ts';
import type {Gate} from '../model/gate.ts';
import {type Goal, openGates, openTodos} from '../model/goal.ts';
import {recordPath} from '../model/state.ts';
import type {SpendMonth} from '../policy/spend.ts';
import type {Situation} from '../policy/verdict.ts';
import type {GoalStore} from '../store/goal-store.ts';
import {agentOf, type GoalView} from '../store/view.ts';
import type {World} from '../world.ts';
import {preflightOf} from './preflight.ts';
import {listRunning, processLives} from './running.ts';
import {readWatch} from './watch.ts';

const hourMs = 3_600_000;

/** Returns the situation of an agent that asks whether it may begin a round. */
export async function situationOf(
  view: GoalView,
  at: {
    readonly repository: Repository;
    readonly store: GoalStore;
    readonly world: World;
    readonly agent: string;
  },
): Promise<Situation> {
  const {repository, store, world, agent} = at;
  const {goal} = view;
  const nowMs = world.now();
  const record = await agentOf(view, agent);
  const [gates, months, code, watches, roundProcessLives, preflight] = await Promise.all([
    gatesOf(view),
    monthsOf(view, nowMs),
    // Only whether an agent that stood still still does hangs on the code.
    record.idle ? codeState(repository) : undefined,
    watchesOf(repository, goal),
    livesOf(repository, goal, world),
    preflightOf(store, view),
  ]);
  const local = {...(preflight && {preflight}), roundProcessLives, code: code?.fingerprint ?? '', watches};
  return {goal, agent: record, nowMs, gates, months, local};
}

async function gatesOf(view: GoalView): Promise<Readonly<Record<string, Gate>>> {
  const records = await view.load(openGates(view.goal).map(gate => recordPath.gate(gate.id)));
  return Object.fromEntries([...records.values()].map(record => [(record as Gate).id, record as Gate]));
}

/** Returns the months of spend that the goal's budgets look at. */
export async function monthsOf(view: GoalView, nowMs: number): Promise<readonly SpendMonth[]> {
  const hours = Math.max(0, ...(view.goal.policy.budgets ?? []).map(budget => budget.hours ?? 0));
  if (hours === 0) return [];
  const paths = new Set<string>();
  // An hour ahead too: another machine's clock may be.
  for (let ms = nowMs + hourMs; ms > nowMs - (hours + 1) * hourMs; ms -= 24 * hourMs) paths.add(monthPath(ms));
  paths.add(monthPath(nowMs - (hours + 1) * hourMs));
  return [...(await view.load([...paths])).values()] as readonly SpendMonth[];
}

function monthPath(ms: number): string {
  return recordPath.spend(new Date(ms).toISOString());
}

async function watchesOf(repository: Repository, goal: Goal): Promise<Record<string, string>> {
  const watches = [...new Set(openTodos(goal).flatMap(todo => todo.watch ?? []))];
  return Object.fromEntries(
    await Promise.all(watches.map(async watch => [watch, await readWatch(repository, watch)] as const)),
  );
}

// Whether the loops of rounds that began on this machine are still there; of others nothing is known.
async function livesOf(repository: Repository, goal: Goal, world: World): Promise<Record<string, boolean | undefined>> {
  if (goal.live.length === 0) return {};
  const running = await listRunning(repository);
  return Object.fromEntries(
    goal.live.flatMap(live => {
      const own = running.find(({agent, goal: id}) => agent === live.agent && id === goal.id);
      return own ? [[live.round, processLives(own, world)] as const] : [];
    }),
  );
}
