import {openTodos} from '../../lib/model/goal.ts';
import {defineCommand} from '../command.ts';
import {loopContext, settle} from '../loop-session.ts';
import {oneLine, when} from '../print.ts';
import {runCommand, runOptions} from '../run.ts';
import type {Session} from '../session.ts';

export const command = defineCommand({
  usage: 'resume [goal]',
  describe: 'Say where the work stands, and go on with it',
  options: runOptions,
  examples: [['', 'Go on after a crash, a reboot or a week']],
  topic: 'checkpoints',
  async run(args, session) {
    const named = args.goal === undefined ? session : session.forGoal(args.goal);
    await settle(named, await loopContext(named));
    await sayWhere(named);
    await runCommand(args, session);
  },
});

async function sayWhere(session: Session): Promise<void> {
  const view = await session.view();
  const {goal} = view;
  const nowMs = session.world.now();
  session.say(`Goal ${goal.id}: ${oneLine(goal.objective)}`);
  const last = goal.rounds.at(-1);
  if (last) {
    session.say(
      `  Last round: ${last.outcome}, ${when(last.at, nowMs)}${last.todo ? `, on ${last.todo}` : ''}: ${oneLine(last.summary)}`,
    );
  }

  const saved = goal.checkpoint;
  if (saved) session.say(`  Last checkpoint: ${saved.id} (${saved.trigger}), ${when(saved.at, nowMs)}`);
  const next = openTodos(goal)[0];
  const {done, todos} = goal.totals;
  session.say(`  ${done} of ${todos} todos are done.${next ? ` Next: ${next.id} ${oneLine(next.title)}` : ''}`);
}
