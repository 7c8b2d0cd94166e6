// The fold: what the events of a goal add up to. Everything that loopx knows of a goal is this function's value.
import {Failure} from '../failure.ts';
import {type AnyEvent, checkEvent, clockMax, type EventKind} from './event.ts';
import {artifactAdded, checkpointDeleted, checkpointSaved} from './events/checkpoint.ts';
import {decisionMade, gateAnswered, gateAsked, gateWithdrawn} from './events/gate.ts';
import {goalAmended, goalArchived, goalCreated, goalEdited, goalFinished, quotaGranted} from './events/goal.ts';
import {agentLimited, roundBegun, roundFinished, roundRenewed, roundReported} from './events/round.ts';
import {todoAdded, todoClaimed, todoEdited, todoReleased, todoRenewed, todoVerified} from './events/todo.ts';
import {type Goal, goalFormat} from './goal.ts';
import {BadShape} from './shape.ts';
import {type Draft, goalPath} from './state.ts';

/** Every kind of event that this version knows. */
export const eventKinds: readonly EventKind[] = [
  goalCreated,
  goalEdited,
  goalAmended,
  goalFinished,
  goalArchived,
  quotaGranted,
  todoAdded,
  todoEdited,
  todoClaimed,
  todoRenewed,
  todoReleased,
  todoVerified,
  gateAsked,
  gateAnswered,
  gateWithdrawn,
  decisionMade,
  roundBegun,
  roundRenewed,
  roundReported,
  roundFinished,
  agentLimited,
  checkpointSaved,
  checkpointDeleted,
  artifactAdded,
];

const byName = new Map(eventKinds.map(kind => [kind.kind, kind]));

/**
 * Returns an event's kind.
 *
 * @throws {Failure} `state-newer` where this version doesn't know it: the state is then never rewritten.
 */
export function kindOf(event: {readonly event: string}): EventKind {
  const kind = byName.get(event.event);
  if (kind) return kind;
  throw new Failure(
    'state-newer',
    `The goal holds an event "${event.event}" that this version of loopx does not know.`,
    {
      hint: 'Update loopx. Until then the goal can be read, but not changed.',
    },
  );
}

/** Checks an event that comes from elsewhere, against the fields of its kind. */
export function checkedEvent(event: {readonly event: string}): AnyEvent {
  const kind = kindOf(event);
  try {
    return checkEvent(kind, event);
  } catch (error) {
    if (!(error instanceof BadShape)) throw error;
    throw new Failure('state-unreadable', `An event is not as it should be: ${error.message}.`, {
      hint: 'Run `loopx fsck` to see which commit holds it.',
      cause: error,
    });
  }
}

/** Returns the paths of the records that folding an event reads or writes; `everyPath` among them means all. */
export function touchedPaths(event: AnyEvent): readonly string[] {
  return [goalPath, ...kindOf(event).touches(event)];
}

/** Folds one event onto a draft. Events come in their order: see `compareEvents`. */
export function foldEvent(draft: Draft, event: AnyEvent): void {
  const goal = draft.get<Goal>(goalPath);
  if (goal && goal.format > goalFormat) throw newerFormat(goal.format);
  if (event.clock >= clockMax) throw new Failure('state-unreadable', `The clock of event ${event.id} is out of range.`);
  const kind = kindOf(event);
  kind.fold(draft, event);
  const folded = draft.get<Goal>(goalPath);
  if (!folded) return;
  draft.put(goalPath, {
    ...folded,
    clock: Math.max(folded.clock, event.clock),
    changed: kind.changes ? Math.max(folded.changed, event.clock) : folded.changed,
    totals: {...folded.totals, events: folded.totals.events + 1},
  });
}

/** Returns the refusal to write a state of a later format. */
export function newerFormat(format: number): Failure {
  return new Failure(
    'state-newer',
    `The goal has format ${format}; this version of loopx writes format ${goalFormat}.`,
    {
      hint: 'Update loopx. Until then the goal can be read, but not changed.',
    },
  );
}

/** Returns how a commit of these events reads in `git log`: the first word is who did it only for rounds. */
export function subjectOf(events: readonly AnyEvent[]): string {
  const lead = events.find(event => leading.includes(event.event)) ?? events[0];
  return lead ? kindOf(lead).subject(lead) : 'nothing';
}

// Where one command makes several events, the one that says most comes first.
const leading = ['goal.created', 'goal.finished', 'goal.archived', 'round.finished', 'round.begun', 'todo.edited'];
