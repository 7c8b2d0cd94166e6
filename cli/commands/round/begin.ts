import {Failure} from '../../../lib/failure.ts';
import {beginByHand} from '../../../lib/loop/manual-round.ts';
import {situationOf} from '../../../lib/loop/situation.ts';
import {blocksWork} from '../../../lib/model/gate.ts';
import {type OpenTodo, openGates, openTodos} from '../../../lib/model/goal.ts';
import {mayRun} from '../../../lib/policy/may-run.ts';
import {gateSentence} from '../../../lib/policy/sentences.ts';
import type {Situation} from '../../../lib/policy/verdict.ts';
import {defineCommand} from '../../command.ts';
import {loopContext, settle} from '../../loop-session.ts';
import {claimant} from '../../person.ts';
import {oneLine} from '../../print.ts';
import {printResult} from '../../result.ts';

export const command = defineCommand({
  usage: 'round begin [todo]',
  describe: 'Begin a round by hand, for an agent that loopx does not drive',
  examples: [
    ['', 'Take the todo that is next'],
    ['k3m9', 'Take this one'],
  ],
  topic: 'executors',
  async run(args, session) {
    const context = await loopContext(session);
    await settle(session, context);
    const view = await session.view();
    const agent = await claimant(session);
    const situation = await situationOf(view, {...context, agent});
    const verdict = mayRun(situation);
    if (!verdict.shouldRun) {
      const code =
        verdict.decision === 'ask' ? 'gate-open' : verdict.decision === 'throttle' ? 'quota-exhausted' : 'not-now';
      throw new Failure(code, oneLine(verdict.message), {hint: 'See: loopx status'});
    }

    const id = args.todo === undefined ? verdict.todo?.id : await view.resolve('t', args.todo);
    const todo = openTodos(view.goal).find(item => item.id === id);
    if (id !== undefined && !todo)
      throw new Failure('todo-closed', `Todo ${id} is closed.`, {hint: 'See the open ones: loopx todo list'});
    if (todo) refuseGated(situation, todo);
    const round = await beginByHand(context, view, {agent, todo});
    const live = (await session.view()).goal.live.find(other => other.round === round);
    printResult(session, {schema: 'loopx/round@1', round: {...live, id: round, todo: todo?.id ?? null}}, () => [
      `Began round ${round}${todo ? ` on ${todo.id}: ${oneLine(todo.title)}` : ', to plan'}`,
      `  What to know: loopx brief`,
      `  End it with: loopx round end --outcome done --summary "…"`,
    ]);
  },
});

// The table speaks of the todo that is next; another one that was named may wait for a person all the same.
function refuseGated({goal, gates, agent}: Situation, {id}: OpenTodo): void {
  const open = openGates(goal).find(({blocks}) => blocksWork(blocks, {todo: id, agent: agent.id}));
  if (open)
    throw new Failure('gate-open', gateSentence(open, gates[open.id]), {
      hint: `See it: loopx gate show ${open.id}`,
    });
}
