import {editTodo} from '../../../lib/change/todo.ts';
import type {Todo} from '../../../lib/model/todo.ts';
import {changeRecord} from '../../change-record.ts';
import {parseChecks} from '../../checks.ts';
import {defineCommand} from '../../command.ts';
import {oneLine} from '../../print.ts';
import {todoJson} from '../../records.ts';
import {printResult} from '../../result.ts';

export const command = defineCommand({
  usage: 'todo edit <todo>',
  describe: 'Change a todo; an empty text takes a field away',
  options: {
    title: {type: 'string', describe: 'What is to be done', value: 'TEXT'},
    priority: {type: 'number', describe: 'From 0, at once, to 4, some day', alias: 'p', value: 'N'},
    rank: {type: 'number', describe: 'Place among todos of one priority; lower comes first', value: 'N'},
    detail: {type: 'string', describe: 'What the title does not say', value: 'TEXT'},
    phase: {type: 'string', describe: 'The phase of the goal that it belongs to', value: 'TEXT'},
    parent: {type: 'string', describe: 'The todo that it is a part of', value: 'TODO'},
    after: {type: 'strings', describe: 'The todos that have to be closed before it; may be repeated', value: 'TODO'},
    check: {type: 'strings', describe: 'The commands that prove it done; may be repeated', value: 'COMMAND'},
    agent: {type: 'string', describe: 'The only agent, or kind of agent, that may take it', value: 'AGENT'},
    optional: {type: 'boolean', describe: 'Whether the goal can be finished without it; --no-optional needs it'},
  },
  examples: [
    ['k3m9 --priority 0', 'Put it first'],
    ['k3m9 --after "" --check "npm test"', 'Let it wait for nothing, and prove it by a test'],
  ],
  async run(args, session) {
    const {title, priority, rank} = args;
    const checks = parseChecks(args.check.filter(text => text !== ''));
    const edit = {
      ...{title, priority, rank},
      detail: orNull(args.detail),
      phase: orNull(args.phase),
      parent: orNull(args.parent),
      agent: orNull(args.agent),
      dependsOn: args.after.length > 0 ? listOrNull(args.after.filter(text => text !== '')) : undefined,
      checks: args.check.length > 0 ? listOrNull(checks) : undefined,
      required: args.optional === undefined ? undefined : !args.optional,
    };
    const given = Object.fromEntries(Object.entries(edit).filter(([, value]) => value !== undefined));
    const {record: todo, id} = await changeRecord<Todo>(session, 't', args.todo, editTodo(args.todo, given));
    await session.trustOwn(checks);
    printResult(session, {schema: 'loopx/todo@1', todo: todoJson(todo, session.world.now())}, () => [
      `Changed ${id}: ${oneLine(todo.title)}`,
      `  See it: loopx todo show ${id}`,
    ]);
  },
});

// An empty text takes the field away.
function orNull(text: string | undefined): string | null | undefined {
  return text === '' ? null : text;
}

function listOrNull<T>(list: readonly T[]): readonly T[] | null {
  return list.length > 0 ? list : null;
}
