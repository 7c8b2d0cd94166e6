// The brief is the bounded text that a round starts from. It is drawn from the state alone, never from a conversation,
// so the hundredth round knows what the first one did, and the same state gives the same bytes on every machine.
import type {Artifact} from '../model/artifact.ts';
import type {Checkpoint} from '../model/checkpoint.ts';
import type {Decision} from '../model/decision.ts';
import type {Gate} from '../model/gate.ts';
import type {Goal, OpenTodo, ShortRound} from '../model/goal.ts';
import type {Todo} from '../model/todo.ts';
import {fitSections} from './fit.ts';
import {renderBrief} from './render.ts';
import {selectSections} from './select.ts';
import {estimateTokens} from './tokens.ts';

/** What a brief is drawn from. */
export type BriefFacts = {
  readonly goal: Goal;
  /** All gates, whatever their status. */
  readonly gates: readonly Gate[];
  /** All decisions, also those that were replaced. */
  readonly decisions: readonly Decision[];
  /** The todo of the round; a round without one plans. */
  readonly todo?: Todo | undefined;
  /** The last checkpoint of the todo, else the last of all. */
  readonly checkpoint?: Checkpoint | undefined;
  /** The open todos, in the order of the goal. */
  readonly todos: readonly OpenTodo[];
  /** The last rounds in short, oldest first. */
  readonly rounds: readonly ShortRound[];
  readonly artifacts: readonly Artifact[];
  readonly agent: string;
  readonly round: string;
  /** How the agent calls loopx. */
  readonly loopx: string;
  readonly limitTokens: number;
};

export type Brief = {
  /** Markdown. */
  readonly text: string;
  /** An estimate that errs on the high side. */
  readonly tokens: number;
  readonly limitTokens: number;
  /** Whether the key facts alone, which are never left out, exceed the limit. */
  readonly isOver: boolean;
};

/** Writes the brief of a round. */
export function writeBrief(facts: BriefFacts): Brief {
  const {limitTokens} = facts;
  const sections = selectSections(facts);
  const text = renderBrief(facts, fitSections(facts, sections));
  const tokens = estimateTokens(text);
  return {text, tokens, limitTokens, isOver: tokens > limitTokens};
}
