// One round, from the claim to the record: begin, brief, drive the agent, judge, check, record, clean up. Whatever
// happens in between, the next command finds what it needs: the local file is written before the round begins, the
// snapshot's ref before the event that names it, and the note after the event that it indexes.
import {beginRound} from '../change/round.ts';
import {codeState} from '../evidence/code-state.ts';
import {Failure} from '../failure.ts';
import type {CheckResult} from '../model/checks.ts';
import type {OpenTodo} from '../model/goal.ts';
import {recordId} from '../model/ids.ts';
import type {RoundOutcome} from '../model/round.ts';
import {reserveFor} from '../policy/spend.ts';
import {changeGoal} from '../store/append.ts';
import type {GoalView} from '../store/view.ts';
import {concludeRound} from './conclude.ts';
import type {LoopContext} from './context.ts';
import {drive, type Known} from './drive.ts';
import type {AgentEvent, AgentVerdict, Executor, Usage} from './executor.ts';
import {dropLive, refreshLive} from './live.ts';
import {startTimeOf} from './process-table.ts';
import {
  claimRunning,
  nameRound,
  type Running,
  refuseOccupied,
  removeRunning,
  unnameRound,
  writeRunning,
} from './running.ts';
import {readWatch} from './watch.ts';

export type RoundPlan = {
  readonly view: GoalView;
  readonly agent: string;
  readonly todo: OpenTodo | undefined;
  readonly executor: Executor;
  readonly command?: string;
  readonly args: readonly string[];
  readonly onEvent: (event: AgentEvent, known: Known) => void;
  readonly onBegin: (round: string) => void;
  /** Told of what goes wrong beside the round without ending it. */
  readonly onTrouble: (message: string) => void;
};

export type Live = {
  readonly goal: string;
  readonly agent: string;
  readonly maxFileSizeBytes: number;
  readonly start?: string;
};

export type RoundReport = {
  readonly round: string;
  readonly todo: string | undefined;
  readonly outcome: RoundOutcome;
  readonly summary: string;
  readonly seconds: number;
  readonly commits: number;
  readonly checks: readonly CheckResult[];
  readonly verified: boolean;
  readonly billed: boolean;
  readonly usage: Usage;
  readonly checkpoint: string;
  readonly error: AgentVerdict['error'] | undefined;
};

/**
 * Runs one round to its end.
 *
 * @throws {Failure} `executor-missing` before anything was recorded as spent; `todo-claimed`, `round-live` when another
 * was faster.
 */
export async function runRound(context: LoopContext, plan: RoundPlan): Promise<RoundReport> {
  const {repository, world, config} = context;
  const {view, agent, todo, executor} = plan;
  const top = repository.top;
  if (!top)
    throw new Failure('git-failed', 'A bare repository has no files to work on.', {
      hint: 'Run loopx in a worktree of it.',
    });

  await refuseOccupied(repository, {goal: view.id, agent}, world);
  const writer = context.writerFor(agent);
  const startedAtMs = world.now();
  const before = await codeState(repository);
  const live = {goal: view.id, agent, maxFileSizeBytes: config.sizeBytes('snapshot.maxFileSize')};
  const watched = todo?.watch === undefined ? undefined : await readWatch(repository, todo.watch);
  const attempt = writer.nextId();
  const round = recordId('r', attempt);
  let running: Running = {
    ...{goal: view.id, agent, round, attempt, pid: world.pid, startTime: startTimeOf(world.pid, world)},
    ...{machine: world.machine, gitDir: repository.gitDir, top, startedAtMs, seenAtMs: startedAtMs},
    ...(before.head && {head: before.head}),
  };
  await claimRunning(repository, running, world);
  const note = async (change: Partial<Running>) => {
    running = {...running, ...change, seenAtMs: world.now()};
    await writeRunning(repository, running);
  };

  let isOpen = false;
  try {
    const start = await refreshLive(repository, {...live, message: `Before a round by ${agent}`});
    await note({tree: start.tree});
    const begun = await changeGoal(
      writer,
      view.id,
      beginRound({
        ...{
          agent,
          leaseMs: config.durationMs('round.lease'),
          executor: executor.name,
          reserve: reserveFor(view.goal.rounds),
          event: attempt,
        },
        ...(todo && {todo: todo.id}),
        ...(before.head && {head: before.head}),
      }),
    );
    isOpen = true;
    await nameRound(repository.gitDir, {goal: view.id, round});
    plan.onBegin(round);
    const own = {...live, start: start.commit};
    const driven = await drive(context, plan, {round, attempt, top, note, live: own});
    const report = await concludeRound(context, writer, {
      ...{round, attempt, head: before.head, startTree: start.tree, startedAtMs, verdict: driven.verdict, live: own},
      ...(watched !== undefined && {watched}),
      begun: begun.tip,
      onTrouble: plan.onTrouble,
    });
    isOpen = false;
    if (driven.missing) throw driven.missing;
    return report;
  } finally {
    // A round whose end could not be recorded is left as a crash leaves it: the next command finds it and records it.
    if (!isOpen) {
      await unnameRound(repository.gitDir, round);
      await dropLive(repository, view.id, agent);
      await removeRunning(repository, running);
    }
  }
}
