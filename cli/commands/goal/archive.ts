import {archiveGoal} from '../../../lib/change/goal.ts';
import {dropSnapshots} from '../../../lib/loop/retention.ts';
import {changeGoalItself} from '../../change-goal.ts';
import {defineCommand} from '../../command.ts';
import {requirePerson} from '../../person.ts';

export const command = defineCommand({
  usage: 'goal archive',
  describe: 'Put a goal away: its decisions and totals stay, with its history; todos and checkpoints go',
  options: {reason: {type: 'string', describe: 'Why, where it is not finished', value: 'TEXT'}},
  examples: [
    ['', 'Put away a goal that is finished'],
    ['--reason "We buy it instead"', 'Put away one that will never be'],
  ],
  topic: 'goals',
  async run(args, session) {
    requirePerson(session, 'archive a goal');
    await changeGoalItself(session, archiveGoal(args.reason), (goal, events) =>
      events.length === 0
        ? `${goal.id} is archived already.`
        : [
            `Archived ${goal.id}: its decisions and totals stay, and its history.`,
            `  All that happened: loopx log --goal ${goal.id}`,
          ],
    );
    // Also where an earlier call was killed between the two.
    await dropSnapshots(await session.repository(), (await session.view()).id);
  },
});
