// The loop: ask, and where the answer is run, run one round; otherwise wait, or stop and say why. Each round is a fresh
// process of the agent, so that memory can't creep up over days.
import {askGate} from '../change/gate.ts';
import {Failure, isFailure} from '../failure.ts';
import type {Gate} from '../model/gate.ts';
import {recordPath} from '../model/state.ts';
import {mayRun} from '../policy/may-run.ts';
import {stallQuestion, standstillOf} from '../policy/stall.ts';
import type {Situation, Verdict} from '../policy/verdict.ts';
import {changeGoal} from '../store/append.ts';
import {type GoalView, viewGoal} from '../store/view.ts';
import type {LoopContext} from './context.ts';
import {type Finish, tryFinish} from './finish.ts';
import {needsPerson} from './outcome.ts';
import {type RoundPlan, type RoundReport, runRound} from './round.ts';
import {situationOf} from './situation.ts';

export type LoopPlan = Pick<RoundPlan, 'agent' | 'executor' | 'command' | 'args' | 'onEvent' | 'onTrouble'> & {
  readonly goal: string;
  readonly roundsMax: number;
  /** When to begin no more rounds, in milliseconds since the Unix epoch. */
  readonly untilMs: number;
  readonly onVerdict: (verdict: Verdict) => void;
  readonly onBegin: (round: string, verdict: Verdict) => void;
  readonly onRound: (report: RoundReport, view: GoalView) => void;
  readonly onWait: (verdict: Verdict, untilMs: number) => void;
};

/** Why the loop stopped. */
export type LoopEnd =
  | {readonly kind: 'finished'; readonly finish: Finish & {kind: 'finished'}}
  | {readonly kind: 'unfinished'; readonly finish: Finish}
  | {readonly kind: 'verdict'; readonly verdict: Verdict}
  | {readonly kind: 'rounds-max'; readonly rounds: number}
  | {readonly kind: 'until'; readonly verdict: Verdict}
  | {readonly kind: 'person'; readonly report: RoundReport}
  | {readonly kind: 'interrupted'; readonly report: RoundReport | undefined};

/** Lost races are ordinary; so many in a row are not. */
const racesMax = 5;
const lookAgainMs = 60_000;
const glanceMs = 3000;

/** Runs rounds until something stops them. */
export async function runLoop(context: LoopContext, plan: LoopPlan): Promise<LoopEnd> {
  const {store, world, signal, repository} = context;
  let report: RoundReport | undefined;
  let races = 0;
  let told: Verdict['reason'] | undefined;
  for (let rounds = 0; ; ) {
    if (signal.aborted) return {kind: 'interrupted', report};
    const tip = await store.tip(plan.goal);
    if (tip === undefined) throw new Failure('no-goal', `There is no goal "${plan.goal}" any more.`);
    const view = await viewGoal(store, plan.goal, tip);
    const situation = await situationOf(view, {repository, store, world, agent: plan.agent});
    const verdict = mayRun(situation);
    plan.onVerdict(verdict);

    if (verdict.decision === 'run') {
      if (rounds >= plan.roundsMax) return {kind: 'rounds-max', rounds};
      if (world.now() >= plan.untilMs) return {kind: 'until', verdict};
      try {
        const {onEvent, onTrouble, agent, executor, command, args} = plan;
        report = await runRound(context, {
          ...{view, agent, executor, args, todo: verdict.todo ?? undefined, onEvent, onTrouble},
          ...(command !== undefined && {command}),
          onBegin: round => plan.onBegin(round, verdict),
        });
      } catch (error) {
        races += 1;
        if (!isFailure(error, 'todo-claimed', 'ref-moved', 'todo-closed') || races > racesMax) throw error;
        continue;
      }

      races = 0;
      told = undefined;
      rounds += 1;
      plan.onRound(report, await viewGoal(store, plan.goal, (await store.tip(plan.goal))!));
      if (report.outcome === 'interrupted') return {kind: 'interrupted', report};
      if (needsPerson(report)) return {kind: 'person', report};
      continue;
    }

    if (verdict.reason === 'nothing_to_do' && view.goal.totals.todos > 0) {
      const finish = await tryFinish(context, context.writerFor(plan.agent), view, 'reopen');
      if (finish.kind === 'finished') return {kind: 'finished', finish};
      if (finish.kind === 'failed' && finish.todos.length > 0) continue;
      return {kind: 'unfinished', finish};
    }

    if (verdict.reason === 'stalled')
      return {kind: 'verdict', verdict: await openStall(context, plan, situation, verdict)};
    const untilMs = verdict.nextCheckAt === null ? undefined : Date.parse(verdict.nextCheckAt);
    const waits = verdict.decision === 'wait' || verdict.decision === 'skip';
    if (!waits || untilMs === undefined || verdict.reason === 'round_in_progress') return {kind: 'verdict', verdict};
    if (rounds >= plan.roundsMax) return {kind: 'rounds-max', rounds};
    if (untilMs >= plan.untilMs) return {kind: 'until', verdict};
    // Once, however often one looks: its words tell how long it still takes, and so are never the same.
    if (verdict.reason !== told) plan.onWait(verdict, untilMs);
    told = verdict.reason;
    await waitUntil(context, view, untilMs);
  }
}

// Others may release a todo, answer, or amend the goal meanwhile: that ends the wait. A watched file, a machine that
// slept, and a time beyond what a timer can count are why one looks again after a minute anyway.
async function waitUntil({store, world, signal}: LoopContext, {id, tip}: GoalView, untilMs: number): Promise<void> {
  const endMs = Math.min(Math.max(untilMs, world.now() + 1000), world.now() + lookAgainMs);
  while (!signal.aborted && world.now() < endMs) {
    await world.sleep(Math.min(glanceMs, endMs - world.now()), signal).catch(() => {});
    if ((await store.tip(id)) !== tip) return;
  }
}

// Rounds that change nothing end in a question for a person, which waits for its answer like any other.
async function openStall(
  context: LoopContext,
  plan: LoopPlan,
  situation: Situation,
  verdict: Verdict,
): Promise<Verdict> {
  const still = standstillOf(situation.goal, situation.agent, situation.local.code);
  if (!still) return verdict;
  const {question, options, recommend} = stallQuestion(
    situation.goal,
    situation.agent,
    still,
    verdict.todo ?? undefined,
  );
  const blocks = [verdict.todo ? `todo:${verdict.todo.id}` : 'goal'];
  const change = askGate({kind: 'stalled', question, options, blocks, ...(recommend !== undefined && {recommend})});
  const {tip, events} = await changeGoal(context.writerFor(plan.agent), plan.goal, change);
  const asked = events[0]?.gate;
  if (asked === undefined) return verdict;
  const gate = await (await viewGoal(context.store, plan.goal, tip)).get<Gate>(recordPath.gate(String(asked)));
  return {...verdict, gate: gate ?? null};
}
