// Concludes a round: looks at what the agent left, runs the todo's checks, judges, and records all of it.

import {together} from '../change/change.ts';
import type {GateInput} from '../change/gate.ts';
import {attachNotes} from '../evidence/attach.ts';
import {codeState} from '../evidence/code-state.ts';
import {roundCommits} from '../evidence/commits.ts';
import {reattachNew} from '../evidence/reattach-new.ts';
import {isTrusted} from '../evidence/trust.ts';
import {isFailure} from '../failure.ts';
import {moveRef} from '../git/refs.ts';
import type {CheckCommand, CheckResult} from '../model/checks.ts';
import {blocksWork, checkQuestion} from '../model/gate.ts';
import {openGates} from '../model/goal.ts';
import {recordId} from '../model/ids.ts';
import type {RoundOutcome} from '../model/round.ts';
import {recordPath} from '../model/state.ts';
import type {Todo} from '../model/todo.ts';
import {changeGoal, type Writer} from '../store/append.ts';
import type {GoalStore} from '../store/goal-store.ts';
import {mergeGoal} from '../store/merge.ts';
import {viewGoal} from '../store/view.ts';
import {hashArtifacts} from './artifacts.ts';
import type {LoopContext} from './context.ts';
import type {AgentVerdict} from './executor.ts';
import {runGuarded} from './guarded-checks.ts';
import {refreshLive, snapshotRef} from './live.ts';
import {judgeRound, pauseAfter} from './outcome.ts';
import {recordEnd} from './record-end.ts';
import {retireCheckpoints, sweepSnapshots} from './retention.ts';
import type {Live, RoundReport} from './round.ts';
import {roundUsage} from './settle.ts';

export type RoundDone = {
  readonly round: string;
  /** HEAD and working tree as the round found them. */
  readonly head: string | undefined;
  readonly startTree: string;
  readonly startedAtMs: number;
  readonly verdict: AgentVerdict;
  readonly live: Live;
  /** The goal's commit that began the round: whatever happens meanwhile, it stays part of the goal. */
  readonly begun?: string;
  /** The mark of a round that loopx drives. */
  readonly attempt?: string;
  /** The fingerprint that the todo's watch had when the round began. */
  readonly watched?: string;
  readonly onTrouble?: (message: string) => void;
};

/** Records the end of a round, and says how it came out. */
export async function concludeRound(context: LoopContext, writer: Writer, done: RoundDone): Promise<RoundReport> {
  const {repository, store, world} = context;
  const {round, head, startTree, startedAtMs, live} = done;
  const {goal: goalId, agent} = live;

  const after = await refreshLive(repository, {...live, message: `After round ${round} by ${agent}`});
  await putBack(store, goalId, done);
  const commits = await roundCommits(repository, head, {round, isDriven: done.attempt !== undefined});
  const view = await viewGoal(store, goalId, (await store.tip(goalId))!);
  const running = view.goal.live.find(other => other.round === round);
  const todo = running?.todo;
  const item = todo ? await view.get<Todo>(recordPath.todo(todo)) : undefined;
  const changed = after.tree !== startTree || commits.length > 0 || view.goal.changed > (running?.clock ?? 0);
  const report = running?.report ?? done.verdict.result;
  // An agent that says done is checked also where nothing seems to have changed.
  const isChecked = changed || item?.status === 'done' || report?.outcome === 'done';
  const wanted = !isInterrupted(done.verdict) && isChecked ? (item?.checks ?? []) : [];
  const checked = await checkUnlessInterrupted(context, wanted, done.attempt ?? writer.nextId());
  const {checks} = checked;
  const verdict = checked.interrupted ? {...done.verdict, ok: false, error: checked.interrupted} : done.verdict;
  const interrupted = isInterrupted(verdict);
  const gated = openGates(view.goal).some(gate => blocksWork(gate.blocks, {agent, ...(todo && {todo})}));
  const judged = judgeRound({
    verdict,
    report,
    todoStatus: item?.status,
    changed,
    gated,
    commits: commits.length,
    checks,
  });
  const code = await codeState(repository);
  const seconds = Math.round((world.now() - startedAtMs) / 1000);
  const pauseMs = pauseAfter(verdict.error, world.now());
  const checkpointEvent = writer.nextId();
  const checkpoint = recordId('c', checkpointEvent);
  await moveRef(repository.git, snapshotRef(goalId, checkpoint), after.commit, undefined);
  const {events} = await changeGoal(
    writer,
    goalId,
    together(
      recordEnd({
        ...{round, agent, todo, watched: item?.watch === undefined ? undefined : done.watched},
        end: {
          ...{outcome: judged.outcome, summary: judged.summary, seconds, usage: roundUsage(verdict.usage)},
          ...{billed: verdict.calledModel, changed, state: code.fingerprint, commits, checks, artifacts: []},
          ...(judged.error && {error: judged.error}),
          ...(verdict.sessionId !== undefined && {session: verdict.sessionId}),
        },
        judgement: judged,
        proof: item?.checks && {tree: after.tree, checks: item.checks},
        artifacts: await hashArtifacts(repository.top!, verdict.result?.artifacts, {round, todo}),
        gate: questionOf(verdict, judged.outcome, {round, todo}),
        limit:
          pauseMs === undefined
            ? undefined
            : {until: new Date(world.now() + pauseMs).toISOString(), reason: verdict.error!.message},
        checkpoint: {
          id: checkpointEvent,
          trigger: interrupted ? 'interrupt' : judged.todo === 'done' ? 'todo-end' : 'round-end',
          snapshot: after,
        },
      }),
      retireCheckpoints(context.config.count('checkpoint.keep')),
    ),
  );
  // The event is the record; a note that can't be written now is made from it by whoever finds it missing.
  try {
    await attachNotes(store, repository, world, goalId);
    await reattachNew(store, repository, world);
  } catch (error) {
    done.onTrouble?.((error as Error).message);
  }

  const retired = events.flatMap(event =>
    event.event === 'checkpoint.deleted' ? (event.checkpoints as string[]) : [],
  );
  await sweepSnapshots(context, goalId, retired).catch(error => done.onTrouble?.((error as Error).message));
  return {
    ...{
      round,
      todo,
      outcome: judged.outcome,
      summary: judged.summary,
      seconds,
      commits: commits.length,
      checks,
    },
    ...{verified: judged.verified, billed: verdict.calledModel, usage: verdict.usage, checkpoint, error: verdict.error},
  };
}

// An agent with a shell can do anything to a ref. What was there when its round began is not lost by that.
async function putBack(store: GoalStore, goal: string, {begun, onTrouble}: RoundDone): Promise<void> {
  const tip = await store.tip(goal);
  if (begun === undefined || tip === begun) return;
  if (tip !== undefined && (await store.mergeBases(tip, begun)).includes(begun)) return;
  onTrouble?.(`The history of ${goal} was cut back during the round; it is put back.`);
  if (tip === undefined) await store.forward(goal, begun, undefined);
  else await mergeGoal(store, goal, tip, begun);
}

function isInterrupted({error}: AgentVerdict): boolean {
  return error?.class === 'interrupted';
}

// Whoever interrupts while checks run ends the round, too: it is recorded, and nothing is taken for proven.
async function checkUnlessInterrupted(
  context: LoopContext,
  wanted: readonly CheckCommand[],
  attempt: string,
): Promise<{checks: readonly CheckResult[]; interrupted?: {class: 'interrupted'; message: string}}> {
  try {
    const isOurs = (run: string) => isTrusted(context.repository.commonDir, run);
    return {checks: await runGuarded(context, wanted, {attempt, isTrusted: isOurs})};
  } catch (error) {
    if (!isFailure(error, 'interrupted')) throw error;
    return {checks: [], interrupted: {class: 'interrupted', message: error.message}};
  }
}

function questionOf(
  verdict: AgentVerdict,
  outcome: RoundOutcome,
  at: {round: string; todo: string | undefined},
): GateInput | undefined {
  const question = verdict.result?.question;
  if (!question || outcome === 'done') return undefined;
  const {text, options, recommend} = question;
  try {
    checkQuestion(text, options, recommend);
  } catch (error) {
    // A question that nobody could answer blocks the todo with its words instead.
    if (isFailure(error, 'gate-vague')) return undefined;
    throw error;
  }

  return {
    ...{question: text, options, round: at.round, blocks: [at.todo ? `todo:${at.todo}` : 'goal']},
    ...(recommend !== undefined && {recommend}),
  };
}
