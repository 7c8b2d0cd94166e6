// The end of a round, in one commit: what it came to, what became of its todo, its recovery point, its artifacts, and
// the question that it leaves. All of it or nothing.
import {type Change, given, together} from '../change/change.ts';
import {askGate, type GateInput} from '../change/gate.ts';
import {
  type ArtifactInput,
  addArtifact,
  finishRound,
  limitAgent,
  type RoundEnd,
  saveCheckpoint,
} from '../change/round.ts';
import {blockTodo, doneTodo, editTodo, retryTodo, verifyTodo} from '../change/todo.ts';
import {isFailure} from '../failure.ts';
import type {Snapshot} from '../git/snapshot.ts';
import type {CheckpointTrigger} from '../model/checkpoint.ts';
import type {CheckCommand} from '../model/checks.ts';
import {snapshotShort} from './live.ts';
import type {Judgement} from './outcome.ts';

export type EndOfRound = {
  readonly round: string;
  readonly agent: string;
  readonly todo: string | undefined;
  /** What the todo's watch looked like when the round began. */
  readonly watched?: string | undefined;
  readonly end: RoundEnd;
  readonly judgement: Pick<Judgement, 'todo' | 'verified' | 'summary'>;
  readonly proof: {readonly tree: string; readonly checks: readonly CheckCommand[]} | undefined;
  readonly artifacts: readonly ArtifactInput[];
  readonly gate: GateInput | undefined;
  readonly limit: {readonly until: string; readonly reason: string} | undefined;
  readonly checkpoint: {
    readonly id: string;
    readonly trigger: CheckpointTrigger;
    readonly snapshot: Snapshot | undefined;
  };
};

/** Draws all that the end of a round writes. */
export function recordEnd(ended: EndOfRound): Change {
  const {round, agent, todo, watched, end, judgement, proof, artifacts, gate, limit, checkpoint} = ended;
  const changes: Change[] = [];
  if (todo !== undefined) {
    const result = judgement.summary;
    if (judgement.todo === 'done') changes.push(doneTodo(todo, result));
    if (judgement.todo === 'done' && judgement.verified && proof) changes.push(verifyTodo(todo, proof));
    if (watched !== undefined) changes.push(editTodo(todo, {watched}));
    if (judgement.todo === 'reopen') changes.push(retryTodo(todo));
    if (judgement.todo === 'block') changes.push(gate ? askGate(gate) : blockTodo(todo, result));
  }

  if (gate && judgement.todo !== 'block') changes.push(askGate(gate));
  changes.push(...artifacts.map(addArtifact));
  if (limit) changes.push(limitAgent(agent, limit.until, limit.reason));
  const {id, trigger, snapshot} = checkpoint;
  changes.push(
    saveCheckpoint({
      ...given({trigger, todo, round, snapshot: snapshot && snapshotShort(snapshot)}),
      digest: `${end.outcome}: ${end.summary}`,
      closes: {done: judgement.todo === 'done', verified: judgement.verified},
      event: id,
    }),
  );
  return together(finishRound(round, end), ...changes.map(ifPossible));
}

// Meanwhile a person may have dropped the todo or finished the goal: the end of the round is recorded all the same.
function ifPossible(change: Change): Change {
  return async (view, draw) => {
    try {
      return await change(view, draw);
    } catch (error) {
      if (isFailure(error)) return [];
      throw error;
    }
  };
}
