import type {Goal} from '../../../lib/model/goal.ts';
import {goalSize} from '../../../lib/store/size.ts';
import {viewGoal} from '../../../lib/store/view.ts';
import {defineCommand} from '../../command.ts';
import {todoCounts} from '../../goal-text.ts';
import {table} from '../../print.ts';
import {goalJson} from '../../records.ts';
import {printResult} from '../../result.ts';
import type {Session} from '../../session.ts';

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
          return {id, tip, goal: (await viewGoal(store, id, tip)).goal};
        } catch (error) {
          return {id, tip, problem: (error as Error).message};
        }
      }),
    );
    const {columns} = session.stdout;
    const goals = session.json ? await Promise.all(settled.map(found => listed(session, found))) : [];
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

type Found = {readonly id: string; readonly tip: string; readonly goal?: Goal; readonly problem?: string};

/** Returns what programs see of a goal in the list, with the bytes that its history takes on disk. */
async function listed(session: Session, {id, tip, goal, problem}: Found): Promise<object> {
  const sizeBytes = await goalSize(await session.repository(), {id, tip});
  return goal ? {...goalJson(goal), sizeBytes} : {id, status: 'unreadable', problem: problem ?? null, sizeBytes};
}
