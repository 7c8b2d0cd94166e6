import {finishGoal} from '../../../lib/change/goal.ts';
import {codeState} from '../../../lib/evidence/code-state.ts';
import {Failure} from '../../../lib/failure.ts';
import {tryFinish} from '../../../lib/loop/finish.ts';
import {defineCommand} from '../../command.ts';
import {loopContext, settle} from '../../loop-session.ts';
import {plural} from '../../print.ts';
import {goalJson} from '../../records.ts';
import {printResult} from '../../result.ts';
import {unfinished} from '../../run-end.ts';
import type {Session} from '../../session.ts';

export const command = defineCommand({
  usage: 'goal finish',
  describe: 'Finish the goal, once its checks pass at HEAD',
  options: {
    reason: {type: 'string', describe: 'Finish it on your word, without proof; only a person can', value: 'TEXT'},
  },
  examples: [
    ['', 'Run all checks at HEAD, and finish if they pass'],
    ['--reason "The client took it as it is"', 'Finish it without proof'],
  ],
  topic: 'goals',
  async run(args, session) {
    const context = await loopContext(session);
    await settle(session, context);
    const view = await session.view();
    if (view.goal.status === 'finished') {
      return printResult(session, {schema: 'loopx/goal@1', goal: goalJson(view.goal), checks: []}, () => [
        `${view.id} is finished already.`,
      ]);
    }

    if (args.reason !== undefined) return onWord(session, args.reason);
    const finish = await tryFinish(context, await session.writer(), view, 'tell');
    if (finish.kind === 'open-todos') {
      throw new Failure(
        'not-verified',
        `${plural(finish.count, 'required todo')} ${finish.count === 1 ? 'is' : 'are'} not done.`,
        {
          hint: 'See them: loopx todo list. What is not needed: loopx todo drop TODO --reason "…"',
        },
      );
    }

    if (finish.kind === 'no-checks') {
      throw new Failure('not-verified', 'Nothing proves the goal: it has no acceptance check.', {
        hint: 'Add one: loopx goal edit --check "npm test". Or finish it on your word: loopx goal finish --reason "…"',
      });
    }

    if (finish.kind !== 'finished') unfinished(finish);
    const {goal} = await session.view();
    const checks = finish.kind === 'finished' ? finish.checks : [];
    printResult(session, {schema: 'loopx/goal@1', goal: goalJson(goal), checks}, () => [
      `Finished ${goal.id}: ${plural(checks.length, 'check')} passed at ${goal.finished?.commit.slice(0, 10)}.`,
    ]);
  },
});

async function onWord(session: Session, reason: string): Promise<void> {
  if (session.agent !== undefined) {
    throw new Failure('person-needed', 'Only a person can finish a goal without proof.', {
      hint: 'Let its checks prove it: loopx goal finish',
    });
  }

  if (reason.trim() === '') throw new Failure('usage', '--reason needs a text.');
  const {head, tree} = await codeState(await session.repository());
  if (!head || !tree)
    throw new Failure('not-verified', 'There is no commit yet to finish the goal at.', {
      hint: 'Commit the work first.',
    });
  await session.change(finishGoal({commit: head, tree, reason}));
  const {goal} = await session.view();
  printResult(session, {schema: 'loopx/goal@1', goal: goalJson(goal), checks: []}, () => [
    `Finished ${goal.id} on your word, without proof: ${reason}`,
  ]);
}
