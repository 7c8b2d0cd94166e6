import {openGates} from '../../../lib/model/goal.ts';
import type {Todo} from '../../../lib/model/todo.ts';
import {defineCommand} from '../../command.ts';
import {todoJson} from '../../records.ts';
import {printResult} from '../../result.ts';
import {shorten} from '../../short-ids.ts';
import {todoDetails} from '../../todo-text.ts';

export const command = defineCommand({
  usage: 'todo show <todo>',
  describe: 'Show all that is known of a todo',
  examples: [['k3m9', 'Show the todo whose id begins so']],
  async run(args, session) {
    const view = await session.view();
    const todo = await view.find<Todo>('t', args.todo);
    const all = await view.all<Todo>('todos');
    const nowMs = session.world.now();
    printResult(session, {schema: 'loopx/todo@1', todo: todoJson(todo, nowMs)}, () =>
      todoDetails(todo, {
        all,
        gates: openGates(view.goal),
        short: shorten(all.map(({id}) => id)),
        nowMs,
        columns: session.stdout.columns,
      }),
    );
  },
});
