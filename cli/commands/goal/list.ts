import {viewGoal} from '../../../lib/store/view.ts';
import {defineCommand} from '../../command.ts';
import {todoCounts} from '../../goal-text.ts';
import {table} from '../../print.ts';
import {goalJson} from '../../records.ts';
import {printResult} from '../../result.ts';

export const command = defineCommand({
  usage: 'goal list',
  describe: 'List the goals of this repository',
  topic: 'goals',
  async run(_, session) {
    const store = await session.store();
    // One goal that can't be read must not hide the others.
    const settled = await Promise.all(
      [...(await store.tips())].map(async ([id, tip]) => {
        try {
          return {id, goal: (await viewGoal(store, id, tip)).goal};
        } catch (error) {
          return {id, problem: (error as Error).message};
        }
      }),
    );
    const goals = settled.map(({id, goal, problem}) =>
      goal ? goalJson(goal) : {id, status: 'unreadable', problem: problem ?? null},
    );
    const {columns} = session.stdout;
    printResult(session, {schema: 'loopx/goal-list@1', goals}, () => {
      if (settled.length === 0)
        return ['No goals yet.', '  Start one: loopx start-goal --goal-text "What is to be reached"'];
      return settled.flatMap(({id, goal, problem}) => [
        table([[id, goal?.status ?? 'unreadable']], columns),
        table([['   ', goal?.objective ?? problem ?? '']], columns),
        ...(goal ? [table([['   ', `todos: ${todoCounts(goal)}`]], columns)] : []),
      ]);
    });
  },
});
