// What is written about rounds, their checkpoints and artifacts.
import {Failure} from '../failure.ts';
import type {Agent} from '../model/agent.ts';
import type {CheckpointTrigger, Progress, SnapshotShort} from '../model/checkpoint.ts';
import {type Goal, type LiveRound, openTodos, type Spend} from '../model/goal.ts';
import type {Round, RoundOutcome} from '../model/round.ts';
import {recordPath} from '../model/state.ts';
import {type Change, creation, given, refuseClosed} from './change.ts';
import {claimTodo} from './todo.ts';

export type RoundStart = {
  readonly agent: string;
  /** A todo's id; a round without one plans. */
  readonly todo?: string;
  readonly leaseMs: number;
  readonly executor?: string;
  /** HEAD, where there is a commit. */
  readonly head?: string;
  readonly reserve: Partial<Spend>;
  /** The id of the event, where the caller has written the round's id down already. */
  readonly event?: string;
};

/**
 * Begins a round: claims its todo and reserves what it may cost, in one commit. Rounds of this agent whose lease is over
 * end with it, as interrupted: nobody else will ever tell how they went.
 *
 * @throws {Failure} `round-live` while this agent's last round is running; `todo-claimed`.
 */
export function beginRound(start: RoundStart): Change {
  return async (view, draw) => {
    refuseClosed(view);
    const {agent, todo, leaseMs, executor, head, reserve, event} = start;
    const running = view.goal.live.find(live => live.agent === agent && Date.parse(live.until) > draw.now);
    if (running) {
      throw new Failure('round-live', `${agent} has a round already: ${running.round}, begun ${running.at}.`, {
        hint: 'Let it end, or end it with `loopx round end`.',
      });
    }

    const claim = todo === undefined ? [] : await claimTodo(todo, {agent, ms: leaseMs})(view, draw);
    const known = await view.get<Agent>(recordPath.agent(agent));
    const until = new Date(draw.now + leaseMs).toISOString();
    const data = {agent, n: (known?.rounds ?? 0) + 1, todo, until, executor, head, reserve};
    const lapsed = view.goal.live.filter(live => live.agent === agent);
    const ends = lapsed.map(({round, todo, at, report}) =>
      draw.event('round.finished', given({round, agent, todo, ...orderedEnd(untoldEnd(report), at)})),
    );
    return [...ends, ...claim, creation(draw, 'round.begun', 'r', round => given({round, ...data}), event)];
  };
}

/** Prolongs the leases of a running round and of its claim. */
export function renewRound(round: string, leaseMs: number): Change {
  return (view, draw) => {
    const live = liveRound(view.goal, round);
    const until = new Date(draw.now + leaseMs).toISOString();
    const claims = ownClaims(view.goal, live).map(claim => draw.event('todo.renewed', {todo: live.todo, claim, until}));
    return [draw.event('round.renewed', {round, until}), ...claims];
  };
}

/** Keeps an agent's own word on its round until the round ends. */
export function reportRound(round: string, report: {readonly outcome: RoundOutcome; readonly summary: string}): Change {
  return ({goal}, draw) => [draw.event('round.reported', {round: liveRound(goal, round).round, ...report})];
}

export type RoundEnd = Omit<Round, 'round' | 'agent' | 'todo' | 'startedAt'> & {readonly session?: string};

/**
 * Ends a round, and gives its todo back.
 *
 * @throws {Failure} `round-over` where it has ended already.
 */
export function finishRound(round: string, end: RoundEnd): Change {
  return (view, draw) => {
    const live = liveRound(view.goal, round);
    const {todo, agent, at: startedAt} = live;
    const finished = draw.event('round.finished', given({round, agent, todo, ...orderedEnd(end, startedAt)}));
    return [finished, ...ownClaims(view.goal, live).map(claim => draw.event('todo.released', {todo, claim}))];
  };
}

/** Records that an agent's service will not serve it before a time. */
export function limitAgent(agent: string, until: string, reason: string): Change {
  return (_, draw) => [draw.event('agent.limited', {agent, until, reason})];
}

export type CheckpointInput = {
  readonly trigger: CheckpointTrigger;
  readonly digest: string;
  readonly todo?: string;
  readonly round?: string;
  readonly artifacts?: readonly string[];
  readonly snapshot?: SnapshotShort;
  /** What becomes of the todo in the same commit: the counts tell what holds after it. */
  readonly closes?: {readonly done: boolean; readonly verified: boolean};
  /** The id of the event, where the caller has named the snapshot's ref by it already. */
  readonly event?: string;
};

/** Saves a recovery point. */
export function saveCheckpoint(input: CheckpointInput): Change {
  return ({goal}, draw) => {
    const {trigger, digest, todo, round, artifacts, snapshot, event} = input;
    const data = {trigger, digest, progress: progressOf(goal, todo, input.closes), todo, round, artifacts, snapshot};
    return [creation(draw, 'checkpoint.saved', 'c', checkpoint => given({checkpoint, ...data}), event)];
  };
}

/** Deletes checkpoints that are there; git reclaims the space of their snapshots once their refs are gone. */
export function deleteCheckpoints(ids: readonly string[]): Change {
  return async (view, draw) => {
    const there = new Set((await view.load(ids.map(recordPath.checkpoint))).keys());
    const checkpoints = ids.filter(id => there.has(recordPath.checkpoint(id)));
    return checkpoints.length === 0 ? [] : [draw.event('checkpoint.deleted', {checkpoints})];
  };
}

export type ArtifactInput = {
  readonly path: string;
  readonly kind: string;
  readonly sha256: string;
  readonly sizeBytes: number;
  readonly todo?: string;
  readonly round?: string;
};

/** Adds something produced to the index. */
export function addArtifact(input: ArtifactInput): Change {
  return (_, draw) => [creation(draw, 'artifact.added', 'a', artifact => given({artifact, ...input}))];
}

function progressOf({totals, open}: Goal, todo?: string, closes?: CheckpointInput['closes']): Progress {
  const isClosing = closes?.done === true && open.some(({id}) => id === todo);
  const done = totals.done + (isClosing ? 1 : 0);
  const verified = totals.verified + (closes?.done && closes.verified ? 1 : 0);
  return {open: totals.todos - done - totals.dropped, done, verified, total: totals.todos};
}

function ownClaims(goal: Goal, live: LiveRound): readonly string[] {
  const todo = openTodos(goal).find(other => other.id === live.todo);
  return (todo?.claims ?? []).filter(claim => claim.agent === live.agent).map(claim => claim.id);
}

function liveRound(goal: Goal, round: string): LiveRound {
  const live = goal.live.find(other => other.round === round);
  if (live) return live;
  throw new Failure('round-over', `Round ${round} is not running.`, {hint: 'See what ended it: `loopx log --rounds`.'});
}

// What an agent in a host had begun by hand has called a model, whatever became of it.
function untoldEnd(report: LiveRound['report']): RoundEnd {
  return {
    ...{outcome: 'interrupted', summary: report?.summary ?? 'Its lease ended, and nobody told how it went.'},
    ...{seconds: 0, usage: {tokens: 0, microUsd: 0}, billed: true, changed: false, state: ''},
    ...{commits: [], checks: [], artifacts: []},
  };
}

function orderedEnd(end: RoundEnd, startedAt: string): object {
  const {outcome, summary, seconds, usage, billed, changed, state, commits, checks, artifacts, error, session} = end;
  return {
    outcome,
    summary,
    startedAt,
    seconds,
    usage,
    billed,
    changed,
    state,
    commits,
    checks,
    artifacts,
    error,
    session,
  };
}
