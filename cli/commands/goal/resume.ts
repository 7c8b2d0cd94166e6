import type {Change} from '../../../lib/change/change.ts';
import {setGoalStatus} from '../../../lib/change/goal.ts';
import {openTodos} from '../../../lib/model/goal.ts';
import {changeGoalItself} from '../../change-goal.ts';
import {defineCommand} from '../../command.ts';
import {requirePerson} from '../../person.ts';
import type {Session} from '../../session.ts';

export const command = defineCommand({
  usage: 'goal resume',
  describe: 'Let rounds start again, also of a goal that was finished or archived',
  options: {reason: {type: 'string', describe: 'Why, for the log', value: 'TEXT'}},
  examples: [['', 'Go on with the goal']],
  topic: 'goals',
  run: (args, session) =>
    changeGoalItself(session, resume(session, args.reason), (goal, events) => [
      events.length > 0 ? `Resumed ${goal.id}.` : `${goal.id} is active already.`,
      // Of one that was archived no todo is left.
      goal.totals.todos > 0 && openTodos(goal).length === 0
        ? '  Give it something to do: loopx todo add "…"'
        : '  Work on it: loopx run',
    ]),
});

// An agent may not undo what a person has stopped, nor what was proven.
function resume(session: Session, reason: string | undefined): Change {
  return (view, draw) => {
    if (view.goal.status !== 'active') requirePerson(session, `resume a goal that is ${view.goal.status}`);
    return setGoalStatus('active', reason)(view, draw);
  };
}
