import {doneTodo} from '../../../lib/change/todo.ts';
import {openTodos} from '../../../lib/model/goal.ts';
import type {Todo} from '../../../lib/model/todo.ts';
import {changeRecord} from '../../change-record.ts';
import {defineCommand} from '../../command.ts';
import {oneLine, plural} from '../../print.ts';
import {todoJson} from '../../records.ts';
import {printResult} from '../../result.ts';

export const command = defineCommand({
  usage: 'todo done <todo>',
  describe: 'Say that a todo is done',
  options: {result: {type: 'string', describe: 'What came of it', value: 'TEXT'}},
  examples: [['k3m9 --result "Ported; 57 tests pass"', 'Close it, and say what came of it']],
  async run(args, session) {
    const changed = await changeRecord<Todo>(session, 't', args.todo, doneTodo(args.todo, args.result));
    const {record: todo, id, events, view} = changed;
    printResult(session, {schema: 'loopx/todo@1', todo: todoJson(todo, session.world.now())}, () => {
      if (events.length === 0) return `${id} was done already: ${oneLine(todo.title)}`;
      const left = openTodos(view.goal).length;
      return [
        `Done ${id}: ${oneLine(todo.title)}`,
        ...(todo.checks && !todo.verified ? ['  Not verified yet: loopx has not run its checks.'] : []),
        left > 0 ? `  ${plural(left, 'todo')} left: loopx todo list` : '  Nothing is left: loopx goal finish',
      ];
    });
  },
});
