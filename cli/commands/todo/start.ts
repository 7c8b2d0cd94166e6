import {claimTodo} from '../../../lib/change/todo.ts';
import type {Todo} from '../../../lib/model/todo.ts';
import {changeRecord} from '../../change-record.ts';
import {defineCommand} from '../../command.ts';
import {fieldLines} from '../../layout.ts';
import {claimant} from '../../person.ts';
import {oneLine} from '../../print.ts';
import {todoJson} from '../../records.ts';
import {printResult} from '../../result.ts';
import {claimText} from '../../todo-text.ts';

export const command = defineCommand({
  usage: 'todo start <todo>',
  describe: 'Claim a todo and say what is to be done',
  examples: [['k3m9', 'Work on todo k3m9 yourself']],
  async run(args, session) {
    const agent = await claimant(session);
    const ms = (await session.config()).durationMs('round.lease');
    const changed = await changeRecord<Todo>(session, 't', args.todo, claimTodo(args.todo, {agent, ms}));
    const {record: todo, id, view} = changed;
    const {constraints, scope} = view.goal;
    const nowMs = session.world.now();
    printResult(session, {schema: 'loopx/todo@1', todo: todoJson(todo, nowMs)}, () => [
      `Started ${id}: ${oneLine(todo.title)}`,
      ...fieldLines(
        [
          ['claim', claimText(todo, nowMs)],
          ['detail', todo.detail],
          ['proof', todo.checks?.map(check => check.run).join('\n')],
          ['keep', constraints.join('\n')],
          ['only in', scope.join('\n')],
        ],
        session.stdout.columns,
      ),
      `  Renew the claim: loopx todo claim ${id}`,
      `  Finish with: loopx todo done ${id} --result "What came of it"`,
    ]);
  },
});
