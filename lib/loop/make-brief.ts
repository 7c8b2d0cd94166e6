// Reads what a brief is drawn from.
import {type Brief, writeBrief} from '../brief/brief.ts';
import type {Artifact} from '../model/artifact.ts';
import type {Checkpoint} from '../model/checkpoint.ts';
import type {Decision} from '../model/decision.ts';
import type {Gate} from '../model/gate.ts';
import {openTodos} from '../model/goal.ts';
import {recordPath} from '../model/state.ts';
import type {Todo} from '../model/todo.ts';
import type {GoalView} from '../store/view.ts';

export type BriefOptions = {
  readonly agent: string;
  readonly round: string;
  /** The todo's id; a round without one plans. */
  readonly todo?: string;
  readonly limitTokens: number;
  /** How the agent calls loopx. */
  readonly loopx: string;
};

/** Returns the brief of a round as the goal stands. */
export async function makeBrief(view: GoalView, options: BriefOptions): Promise<Brief> {
  const {agent, round, limitTokens, loopx} = options;
  const {goal} = view;
  const [gates, decisions, artifacts, todo] = await Promise.all([
    view.all<Gate>('gates'),
    view.all<Decision>('decisions'),
    view.all<Artifact>('artifacts'),
    options.todo === undefined ? undefined : view.get<Todo>(recordPath.todo(options.todo)),
  ]);
  const saved = todo?.checkpoint ?? goal.checkpoint?.id;
  const checkpoint = saved === undefined ? undefined : await view.get<Checkpoint>(recordPath.checkpoint(saved));
  return writeBrief({
    ...{goal, gates: byAge(gates, gate => gate.created), decisions: byAge(decisions, decision => decision.created)},
    ...{
      todo,
      checkpoint,
      todos: openTodos(goal),
      rounds: goal.rounds,
      artifacts: byAge(artifacts, artifact => artifact.created),
    },
    ...{agent, round, loopx, limitTokens},
  });
}

// Files come in the order of their names; people think in the order in which things happened.
function byAge<T>(records: readonly T[], created: (record: T) => string): readonly T[] {
  return [...records].sort((a, b) => (created(a) < created(b) ? -1 : 1));
}
