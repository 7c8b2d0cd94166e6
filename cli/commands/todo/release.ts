import {releaseTodo} from '../../../lib/change/todo.ts';
import type {Todo} from '../../../lib/model/todo.ts';
import {changeRecord} from '../../change-record.ts';
import {defineCommand} from '../../command.ts';
import {claimant, requirePerson} from '../../person.ts';
import {oneLine} from '../../print.ts';
import {todoJson} from '../../records.ts';
import {printResult} from '../../result.ts';

export const command = defineCommand({
  usage: 'todo release <todo>',
  describe: 'Give a todo back that you have claimed',
  options: {force: {type: 'boolean', describe: "Take away another agent's claim, as a person"}},
  examples: [['k3m9 --force', 'Free a todo whose agent is gone']],
  async run(args, session) {
    if (args.force) requirePerson(session, "take away another agent's claim");
    const from = args.force ? 'everybody' : await claimant(session);
    const changed = await changeRecord<Todo>(session, 't', args.todo, releaseTodo(args.todo, from));
    const {record: todo, id, events} = changed;
    printResult(session, {schema: 'loopx/todo@1', todo: todoJson(todo, session.world.now())}, () =>
      events.length > 0
        ? [`Released ${id}: ${oneLine(todo.title)}`, `  Anybody can take it: loopx todo claim ${id}`]
        : `Nobody holds ${id}: there is nothing to release.`,
    );
  },
});
