import {defineCommand} from '../../command.ts';
import {goalDetails} from '../../goal-text.ts';
import {goalJson} from '../../records.ts';
import {printResult} from '../../result.ts';

export const command = defineCommand({
  usage: 'goal show',
  describe: 'Show all that the goal is: what is to be reached, what proves it, what must hold, what it may cost',
  topic: 'goals',
  async run(_, session) {
    const {goal} = await session.view();
    printResult(session, {schema: 'loopx/goal@1', goal: goalJson(goal)}, () =>
      goalDetails(goal, {nowMs: session.world.now(), columns: session.stdout.columns}),
    );
  },
});
