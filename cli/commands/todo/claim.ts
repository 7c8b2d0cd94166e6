import {claimTodo} from '../../../lib/change/todo.ts';
import {durationMs} from '../../../lib/config/keys.ts';
import type {Todo} from '../../../lib/model/todo.ts';
import {changeRecord} from '../../change-record.ts';
import {defineCommand} from '../../command.ts';
import {claimant} from '../../person.ts';
import {oneLine} from '../../print.ts';
import {todoJson} from '../../records.ts';
import {printResult} from '../../result.ts';
import {claimText} from '../../todo-text.ts';

export const command = defineCommand({
  usage: 'todo claim <todo>',
  describe: 'Take a todo so that no other agent works on it, or renew the claim',
  options: {lease: {type: 'string', describe: 'How long the claim holds, such as 30m or 2h', value: 'TIME'}},
  examples: [['k3m9 --lease 2h', 'Claim todo k3m9 for two hours']],
  async run(args, session) {
    const agent = await claimant(session);
    const ms = args.lease ? durationMs(args.lease, '--lease') : (await session.config()).durationMs('round.lease');
    const {record: todo, id} = await changeRecord<Todo>(session, 't', args.todo, claimTodo(args.todo, {agent, ms}));
    const nowMs = session.world.now();
    printResult(session, {schema: 'loopx/todo@1', todo: todoJson(todo, nowMs)}, () => [
      `Claimed ${id}: ${oneLine(todo.title)}`,
      `  ${claimText(todo, nowMs)}`,
      `  Finish with: loopx todo done ${id}`,
    ]);
  },
});
