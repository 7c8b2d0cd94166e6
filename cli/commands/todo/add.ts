import {addTodo} from '../../../lib/change/todo.ts';
import type {Todo} from '../../../lib/model/todo.ts';
import {changeRecord} from '../../change-record.ts';
import {parseChecks} from '../../checks.ts';
import {defineCommand} from '../../command.ts';
import {oneLine} from '../../print.ts';
import {todoJson} from '../../records.ts';
import {printResult} from '../../result.ts';

export const command = defineCommand({
  usage: 'todo add <title>',
  describe: 'Add a step to the goal',
  options: {
    priority: {type: 'number', describe: 'From 0, at once, to 4, some day', default: 2, alias: 'p', value: 'N'},
    rank: {type: 'number', describe: 'Place among todos of one priority; lower comes first', value: 'N'},
    detail: {type: 'string', describe: 'What the title does not say', value: 'TEXT'},
    phase: {type: 'string', describe: 'The phase of the goal that it belongs to', value: 'TEXT'},
    parent: {type: 'string', describe: 'The todo that it is a part of', value: 'TODO'},
    after: {type: 'strings', describe: 'A todo that has to be closed before it; may be repeated', value: 'TODO'},
    check: {
      type: 'strings',
      describe: 'A command that proves it done, such as "npm test" or "unit=npm test"',
      value: 'COMMAND',
    },
    agent: {type: 'string', describe: 'The only agent, or kind of agent, that may take it', value: 'AGENT'},
    optional: {type: 'boolean', describe: 'The goal can be finished without it'},
    watch: {type: 'string', describe: 'Wake only when this changes: ref:NAME or path:PATH', value: 'WHAT'},
  },
  examples: [
    ['"Port src/lexer.js" --check "npm test"', 'Add a step that a test proves'],
    ['"Write the guide" --after k3m9 -p 3', 'Add one that comes after another'],
  ],
  async run(args, session) {
    const {title, priority, rank, detail, phase, parent, after, agent, watch} = args;
    const checks = parseChecks(args.check);
    const input = {
      ...{title, priority, rank, detail, phase, parent, agent, watch},
      ...(after.length > 0 && {dependsOn: after}),
      ...(checks.length > 0 && {checks}),
      ...(args.optional && {required: false}),
    };
    const made = await changeRecord<Todo>(session, 't', ([event]) => String(event!.todo), addTodo(input));
    const {record: todo, id} = made;
    await session.trustOwn(checks);
    printResult(session, {schema: 'loopx/todo@1', todo: todoJson(todo, session.world.now())}, () => [
      `Added ${id}: ${oneLine(todo.title)}`,
      '  Work on it: loopx run',
      '  See all: loopx todo list',
    ]);
  },
});
