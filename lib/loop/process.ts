// The agent's process: started in a session and group of its own, fed its prompt, read line by line in bounded memory,
// watched, stopped, and cleaned up after, whichever way the round ends. Executors say what the output means; here is
// only what is true of any child.
//
// Time is counted in ticks that really passed, not read off the clock: a laptop that slept for an hour must not wake
// to a round that is over its limit.
import {existsSync} from 'node:fs';
import {execa, type ResultPromise} from 'execa';
import {Failure} from '../failure.ts';
import {withoutRepository} from '../git/command.ts';
import type {World} from '../world.ts';
import type {AgentEvent, AgentExit, AgentVerdict, Executor, LaunchPlan, StreamReader} from './executor.ts';
import {type LiveLog, openLiveLog} from './live-log.ts';
import {nothingSeen, readOutput, type Seen} from './output.ts';
import {markName, type ProcessIdentity, startTimeOf} from './process-table.ts';
import {reap, sendSignal} from './reaper.ts';
import {startWatchdog} from './watchdog.ts';

export type AgentRun = {
  readonly cwd: string;
  /** The environment of the agent, the user's; the plan's is added, and what leads to another repository goes. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Marks the agent and all that it starts, so that they can be found again. Only [A-Za-z0-9._-]. */
  readonly attempt: string;
  readonly reader: StreamReader;
  readonly interrupt: Executor['interrupt'];
  readonly limits: RunLimits;
  /** Asks for the agent's end when it aborts. */
  readonly signal: AbortSignal;
  readonly logFile: string;
  readonly world: World;
  readonly onEvent: (event: AgentEvent) => void;
  /** Called before the prompt is handed over: what it writes down can find the agent again after a crash. */
  readonly onSpawn: (identity: ProcessIdentity) => void | Promise<void>;
};

/** All in milliseconds. */
export type RunLimits = {
  /** The longest that a round may take. */
  readonly roundMs: number;
  /** The longest without output. Lines that only tell of a retry are no output. */
  readonly silenceMs: number;
  /** How long an agent may go on after its final event. */
  readonly afterResultMs: number;
};

export type AgentOutcome = {
  readonly verdict: AgentVerdict;
  readonly exit: AgentExit;
  readonly elapsedMs: number;
  /** Why the live log is not whole, if so. */
  readonly logProblem?: string;
};

/** Execa's child is a promise of its own end, so it travels in an object: an async function would wait for it. */
type Launched = {readonly pid: number; readonly child: ResultPromise<typeof childOptions>};
type Stop = NonNullable<AgentExit['stopped']>;

const childOptions = {
  extendEnv: false,
  // A session and group of its own: signals of our terminal don't reach it, ours reach all of the group.
  detached: true,
  cleanup: false,
  reject: false,
  buffer: false,
  encoding: 'buffer',
  stdin: 'pipe',
  stdout: 'pipe',
  stderr: 'pipe',
} as const;

/** How long to wait for the end of a pipe that something unmarked still holds open. */
const drainMs = 2000;
const leftoverGraceMs = 1000;

/**
 * Runs the agent for one round, to its end or until it has to be stopped.
 *
 * @throws {Failure} `executor-missing` where the program is not installed, `interrupted` where the signal had aborted
 * before the start, `io-failed` where the process could not be started. Errors of the callbacks stop the agent first.
 */
export async function runAgent(plan: LaunchPlan, run: AgentRun): Promise<AgentOutcome> {
  if (run.signal.aborted) throw new Failure('interrupted', 'Interrupted before the agent was started.');

  const startedMs = run.world.now();
  const log = await openLiveLog(run.logFile);
  const watchdog = startWatchdog(run.attempt, run.env.PATH ?? '/usr/bin:/bin');
  try {
    const launched = await launch(plan, run);
    watchdog.guard(launched.pid);
    const exit = await drive(launched, plan, run, log);
    const problem = log.problem();
    return {
      verdict: run.reader.finish(exit),
      exit,
      elapsedMs: run.world.now() - startedMs,
      ...(problem ? {logProblem: problem} : {}),
    };
  } finally {
    await watchdog.dismiss();
    await log.close();
  }
}

async function launch(plan: LaunchPlan, run: AgentRun): Promise<Launched> {
  // Called by a hook, loopx has in its environment whose hook it is, maybe another repository's.
  const env = {...withoutRepository(run.env), ...plan.env, [markName]: run.attempt};
  const child = execa(plan.file, plan.args, {...childOptions, cwd: run.cwd, env: withoutUndefined(env)});
  if (child.pid !== undefined) return {pid: child.pid, child};

  const {code, shortMessage} = await child;
  // The system says ENOENT for a missing folder too.
  if ((code === 'ENOENT' || code === 'EACCES') && existsSync(run.cwd)) {
    throw new Failure('executor-missing', `The agent's program "${plan.file}" was not found or may not be run.`, {
      hint: plan.whenMissing,
    });
  }

  throw new Failure('io-failed', `The agent could not be started in ${run.cwd}: ${shortMessage ?? code}`);
}

async function drive({pid, child}: Launched, plan: LaunchPlan, run: AgentRun, log: LiveLog): Promise<AgentExit> {
  const exited = new Promise<{status: number | null; signal: string | null}>(resolve => {
    child.once('exit', (status, signal) => resolve({status, signal}));
  });
  const identity = {pid, startTime: startTimeOf(pid, run.world)};
  const seen = nothingSeen();
  const reading = readOutput(child, run, log, seen);
  // Where something else goes wrong first, that is what the caller hears of.
  reading.catch(() => {});
  // An agent may end, or close its input, before it has read all: that is told by how it ended.
  child.stdin.on('error', () => {});
  const over = new AbortController();
  let stopped: Stop | undefined;
  try {
    await run.onSpawn(identity);
    child.stdin.end(plan.stdin);
    // An agent that closes its output is not over; one whose output can't be taken is.
    const failed = reading.then(() => new Promise<never>(() => {}));
    stopped = await Promise.race([exited.then(() => undefined), watch(run, seen, over.signal), failed]);
    if (stopped) {
      sendSignal(run.interrupt.to === 'group' ? -pid : pid, run.interrupt.signal);
      await within(run.interrupt.graceMs, exited, run.world);
    }
  } finally {
    over.abort();
    await endAll({pid, child}, run);
    await within(drainMs, reading, run.world).finally(() => {
      child.stdout.destroy();
      child.stderr.destroy();
    });
  }

  return {...(await exited), stderrTail: seen.stderrTail, ...(stopped ? {stopped} : {})};
}

/** Resolves with the reason to stop the agent once there is one, or with undefined when `over` aborts. */
async function watch(run: AgentRun, seen: Seen, over: AbortSignal): Promise<Stop | undefined> {
  const {roundMs, silenceMs, afterResultMs} = run.limits;
  const tickMs = Math.max(10, Math.min(1000, roundMs / 10, silenceMs / 10, afterResultMs / 10));
  const wake = AbortSignal.any([over, run.signal]);
  let elapsedMs = 0;
  let quietMs = 0;
  let finalMs = 0;
  while (!wake.aborted) {
    await run.world.sleep(tickMs, wake).catch(error => {
      if (!wake.aborted) throw error;
    });
    elapsedMs += tickMs;
    quietMs = seen.progressed ? 0 : quietMs + tickMs;
    finalMs = seen.final ? finalMs + tickMs : 0;
    seen.progressed = false;
    if (wake.aborted) break;
    if (finalMs >= afterResultMs) return 'after-result';
    if (elapsedMs >= roundMs) return 'timeout';
    if (quietMs >= silenceMs) return 'silence';
  }

  return run.signal.aborted && !over.aborted ? 'interrupt' : undefined;
}

/** Ends what is left: the agent's group, and what has left the group but carries the mark. */
async function endAll({pid, child}: Launched, run: AgentRun): Promise<void> {
  const isOver = child.exitCode !== null || child.signalCode !== null;
  // Children of an agent that ended by itself get the chance to do so too.
  const hadGroup = sendSignal(-pid, isOver ? 'SIGTERM' : 'SIGKILL');
  await reap(run.attempt, run.world, leftoverGraceMs);
  if (hadGroup) sendSignal(-pid, 'SIGKILL');
}

/** Waits for the promise, but not for longer than `ms`. */
async function within(ms: number, promise: Promise<unknown>, world: World): Promise<void> {
  const done = new AbortController();
  try {
    await Promise.race([promise, world.sleep(ms, done.signal).catch(() => {})]);
  } finally {
    done.abort();
  }
}

function withoutUndefined(env: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined));
}
