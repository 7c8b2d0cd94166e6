import {amendGoal} from '../../../lib/change/goal.ts';
import {changeGoalItself} from '../../change-goal.ts';
import {defineCommand} from '../../command.ts';
import {oneLine} from '../../print.ts';

export const command = defineCommand({
  usage: 'goal amend <text>',
  describe: 'Add to the goal midway; every later round is told',
  examples: [['"Keep the old API for one more release"', 'Add what the goal did not say']],
  topic: 'goals',
  run: (args, session) =>
    changeGoalItself(session, amendGoal(args.text), goal => [
      `Amended ${goal.id}: ${oneLine(args.text)}`,
      '  The next round is told. See all: loopx goal show',
    ]),
});
