// Whether a goal without open todos is worth a round that plans. One is: a goal that never had a todo, or one whose
// owner has said more since the last round looked. It is not planned twice for nothing; a plan that failed is no plan.
import type {Agent} from '../model/agent.ts';
import type {Goal, ShortRound} from '../model/goal.ts';
import type {Standstill} from './stall.ts';

/** Says whether a round should plan, where no todo is open. */
export function needsPlan(goal: Goal, agent: Agent, still: Standstill | undefined): boolean {
  if (still) return agent.last?.outcome === 'failed';
  if (wasAmendedSince(goal, goal.rounds.findLast(hasLooked))) return true;
  if (goal.totals.todos > 0) return false;
  // An agent that saw a change since its own fruitless round looks again; others leave it to whoever planned already.
  return agent.idle !== undefined || !goal.rounds.some(round => hasLooked(round) && round.todo === undefined);
}

// A round reads the amendments when it begins.
function wasAmendedSince(goal: Goal, round: ShortRound | undefined): boolean {
  return goal.amendments.some(({at}) => !round || Date.parse(at) > Date.parse(round.at));
}

function hasLooked({billed, outcome}: ShortRound): boolean {
  return billed && outcome !== 'failed' && outcome !== 'interrupted';
}
