import {setGoalStatus} from '../../../lib/change/goal.ts';
import {changeGoalItself} from '../../change-goal.ts';
import {defineCommand} from '../../command.ts';

export const command = defineCommand({
  usage: 'goal pause',
  describe: 'Let no new round start; a running one goes on to its end',
  options: {reason: {type: 'string', describe: 'Why, for the log', value: 'TEXT'}},
  examples: [['--reason "Wait for the release"', 'Pause, and say why']],
  topic: 'goals',
  run: (args, session) =>
    changeGoalItself(session, setGoalStatus('paused', args.reason), (goal, events) => [
      events.length > 0 ? `Paused ${goal.id}: no new round starts.` : `${goal.id} is paused already.`,
      '  Go on: loopx goal resume',
    ]),
});
