// Events of checkpoints and artifacts. Checkpoints are the only records that are ever deleted.
import type {Artifact} from '../artifact.ts';
import type {Checkpoint} from '../checkpoint.ts';
import {defineEvent} from '../event.ts';
import {count, list, matching, object, oneOf, optional, text} from '../shape.ts';
import {changeGoal, putTodo, recordPath} from '../state.ts';
import type {Todo} from '../todo.ts';
import {roundIdShape} from './gate.ts';
import {todoIdShape} from './todo.ts';

const checkpointIdShape = matching(/^c-[0-9a-z]{8}$/, 'the id of a checkpoint');
const artifactIdShape = matching(/^a-[0-9a-z]{8}$/, 'the id of an artifact');

export const checkpointSaved = defineEvent(
  'checkpoint.saved',
  {
    checkpoint: checkpointIdShape,
    trigger: oneOf(
      'hand',
      'todo-end',
      'round-start',
      'round-end',
      'interval',
      'interrupt',
      'vanished',
      'before-restore',
    ),
    digest: text,
    progress: object({open: count, done: count, verified: count, total: count}),
    todo: optional(todoIdShape),
    round: optional(roundIdShape),
    artifacts: optional(list(artifactIdShape)),
    snapshot: optional(
      object({
        commit: text,
        tree: text,
        state: oneOf('complete', 'partial'),
        head: optional(text),
        branch: optional(text),
        partial: optional(list(text)),
        large: optional(list(text)),
        nested: optional(list(text)),
        raw: optional(count),
      }),
    ),
  },
  {
    changes: false,
    touches: event => [recordPath.checkpoint(event.checkpoint), ...(event.todo ? [recordPath.todo(event.todo)] : [])],
    fold(draft, event) {
      const {event: _, id, clock: __, at, by, checkpoint, ...rest} = event;
      const saved: Checkpoint = {id: checkpoint, created: id, ...rest, at, by};
      draft.put(recordPath.checkpoint(checkpoint), saved);
      // The newest one is looked up so often that the goal, and the todo, say which it is.
      changeGoal(draft, goal => ({...goal, checkpoint: {id: checkpoint, at, trigger: rest.trigger}}));
      const todo = rest.todo && draft.get<Todo>(recordPath.todo(rest.todo));
      if (todo) putTodo(draft, {...todo, checkpoint});
    },
    subject: event => `checkpoint ${event.checkpoint} (${event.trigger}): ${event.digest}`,
  },
);

export const checkpointDeleted = defineEvent(
  'checkpoint.deleted',
  {checkpoints: list(checkpointIdShape)},
  {
    changes: false,
    touches: event => event.checkpoints.map(recordPath.checkpoint),
    fold(draft, event) {
      for (const id of event.checkpoints) draft.remove(recordPath.checkpoint(id));
      changeGoal(draft, ({checkpoint, ...goal}) =>
        checkpoint && !event.checkpoints.includes(checkpoint.id) ? {...goal, checkpoint} : goal,
      );
    },
    subject: event => `prune ${event.checkpoints.length} checkpoints`,
  },
);

export const artifactAdded = defineEvent(
  'artifact.added',
  {
    artifact: artifactIdShape,
    path: text,
    kind: text,
    sha256: matching(/^[0-9a-f]{64}$/, 'a SHA-256'),
    sizeBytes: count,
    todo: optional(todoIdShape),
    round: optional(roundIdShape),
  },
  {
    changes: false,
    touches: event => [recordPath.artifact(event.artifact)],
    fold(draft, event) {
      const {event: _, id, clock: __, at, by, artifact, ...rest} = event;
      const added: Artifact = {id: artifact, created: id, ...rest, at, by};
      draft.put(recordPath.artifact(artifact), added);
    },
    subject: event => `artifact ${event.path}`,
  },
);
