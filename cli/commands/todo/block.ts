import {blockTodo} from '../../../lib/change/todo.ts';
import type {Todo} from '../../../lib/model/todo.ts';
import {changeRecord} from '../../change-record.ts';
import {defineCommand} from '../../command.ts';
import {oneLine} from '../../print.ts';
import {todoJson} from '../../records.ts';
import {printResult} from '../../result.ts';

export const command = defineCommand({
  usage: 'todo block <todo>',
  describe: 'Say that a todo is blocked by something outside loopx',
  options: {reason: {type: 'string', describe: 'What it waits for', required: true, value: 'TEXT'}},
  examples: [['k3m9 --reason "The staging server is down"', 'Let agents pass it by until `loopx todo retry`']],
  async run(args, session) {
    const changed = await changeRecord<Todo>(session, 't', args.todo, blockTodo(args.todo, args.reason));
    const {record: todo, id} = changed;
    printResult(session, {schema: 'loopx/todo@1', todo: todoJson(todo, session.world.now())}, () => [
      `Blocked ${id}: ${oneLine(todo.title)}`,
      `  Open it again: loopx todo retry ${id}`,
    ]);
  },
});
