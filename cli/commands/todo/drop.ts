import {dropTodo} from '../../../lib/change/todo.ts';
import type {Todo} from '../../../lib/model/todo.ts';
import {changeRecord} from '../../change-record.ts';
import {defineCommand} from '../../command.ts';
import {oneLine} from '../../print.ts';
import {todoJson} from '../../records.ts';
import {printResult} from '../../result.ts';

export const command = defineCommand({
  usage: 'todo drop <todo>',
  describe: 'Say that a todo will not be done',
  options: {reason: {type: 'string', describe: 'Why not', required: true, value: 'TEXT'}},
  examples: [['k3m9 --reason "The module is gone"', 'Close it without doing it']],
  async run(args, session) {
    const changed = await changeRecord<Todo>(session, 't', args.todo, dropTodo(args.todo, args.reason));
    const {record: todo, id} = changed;
    printResult(session, {schema: 'loopx/todo@1', todo: todoJson(todo, session.world.now())}, () => [
      `Dropped ${id}: ${oneLine(todo.title)}`,
      `  Open it again: loopx todo retry ${id}`,
    ]);
  },
});
