import {openGates} from '../../../lib/model/goal.ts';
import {isClosed, type Todo} from '../../../lib/model/todo.ts';
import {defineCommand} from '../../command.ts';
import {plural} from '../../print.ts';
import {todoJson} from '../../records.ts';
import {printResult} from '../../result.ts';
import {shorten} from '../../short-ids.ts';
import {inOrder, todoLines} from '../../todo-text.ts';

export const command = defineCommand({
  usage: 'todo list',
  describe: 'List the open todos in the order in which they are worked on',
  options: {all: {type: 'boolean', describe: 'Also those that are done or dropped', alias: 'a'}},
  examples: [
    ['', 'What is left to do'],
    ['--json', 'All todos, for a program'],
  ],
  topic: 'goals',
  async run(args, session) {
    const view = await session.view();
    const all = inOrder(view.goal, await view.all<Todo>('todos'));
    const nowMs = session.world.now();
    printResult(session, {schema: 'loopx/todo-list@1', todos: all.map(todo => todoJson(todo, nowMs))}, () => {
      const shown = args.all ? all : all.filter(({status}) => !isClosed(status));
      const closed = all.length - shown.length;
      const more = closed > 0 ? `${plural(closed, 'todo')} closed: loopx todo list --all` : undefined;
      if (shown.length === 0) return [all.length === 0 ? 'No todos yet.' : 'No open todos.', more ?? nextStep];
      const context = {
        all,
        gates: openGates(view.goal),
        short: shorten(all.map(({id}) => id)),
        nowMs,
        columns: session.stdout.columns,
      };
      return [...todoLines(shown, context), ...(more ? [more] : [])];
    });
  },
});

const nextStep = '  Add one: loopx todo add "The first step"';
