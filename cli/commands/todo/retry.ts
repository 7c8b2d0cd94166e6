import {retryTodo} from '../../../lib/change/todo.ts';
import type {Todo} from '../../../lib/model/todo.ts';
import {changeRecord} from '../../change-record.ts';
import {defineCommand} from '../../command.ts';
import {oneLine} from '../../print.ts';
import {todoJson} from '../../records.ts';
import {printResult} from '../../result.ts';

export const command = defineCommand({
  usage: 'todo retry <todo>',
  describe: 'Open a todo again that was blocked, done or dropped',
  examples: [['k3m9', 'Let agents take it again']],
  async run(args, session) {
    const {record: todo, id, events} = await changeRecord<Todo>(session, 't', args.todo, retryTodo(args.todo));
    printResult(session, {schema: 'loopx/todo@1', todo: todoJson(todo, session.world.now())}, () =>
      events.length > 0
        ? [`Opened ${id} again: ${oneLine(todo.title)}`, '  Work on it: loopx run']
        : `${id} is open: ${oneLine(todo.title)}`,
    );
  },
});
