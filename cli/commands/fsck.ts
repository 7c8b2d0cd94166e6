import {Failure, isFailure} from '../../lib/failure.ts';
import {fsckGoal, type Proof} from '../../lib/store/fsck.ts';
import {goalRefs} from '../../lib/store/git-store.ts';
import type {GoalStore} from '../../lib/store/goal-store.ts';
import {chooseGoal} from '../choose-goal.ts';
import {defineCommand, globalOptions} from '../command.ts';
import {wrap} from '../layout.ts';
import {plural} from '../print.ts';
import {printResult} from '../result.ts';

export const command = defineCommand({
  usage: 'fsck',
  describe: 'Prove that the state of every goal follows from its history',
  options: {goal: globalOptions.goal},
  examples: [
    ['', 'Check all goals'],
    ['--goal py3-k3m9', 'Check one'],
  ],
  topic: 'state',
  async run(args, session) {
    const store = await session.store();
    const tips = args.goal === undefined ? await store.tips() : await oneGoal(store, args.goal);
    const problems: {ref: string; commit: string; code: string; message: string}[] = [];
    let events = 0;
    for (const [goal, tip] of tips) {
      const proof = await prove(store, tip, session.signal);
      events += proof.events;
      problems.push(...proof.problems.map(problem => ({ref: goalRefs + goal, ...problem})));
    }

    const ok = problems.length === 0;
    printResult(session, {schema: 'loopx/fsck@1', ok, goals: tips.size, events, problems}, () => [
      ...problems.flatMap(({ref, commit, code, message}) => [
        ref,
        ...wrap(`${commit.slice(0, 12)} ${code}: ${message}`, session.stdout.columns, '  '),
      ]),
      ok
        ? `${plural(tips.size, 'goal')}, ${plural(events, 'event')}: the state follows from its history.`
        : `${plural(tips.size, 'goal')}, ${plural(events, 'event')}, ${plural(problems.length, 'problem')}.`,
    ]);
    if (!ok) {
      throw new Failure('fsck-failed', `${plural(problems.length, 'problem')} in the history of the goals.`, {
        hint: 'See the commit that is named: git show COMMIT. Another clone may hold the goal unharmed: git ls-remote.',
      });
    }
  },
});

async function oneGoal(store: GoalStore, named: string): Promise<ReadonlyMap<string, string>> {
  const {id, tip} = await chooseGoal(store, {named});
  return new Map([[id, tip]]);
}

// A goal whose history can't even be read is one more problem, not the end of the check of the others.
async function prove(store: GoalStore, tip: string, signal: AbortSignal): Promise<Pick<Proof, 'events' | 'problems'>> {
  try {
    return await fsckGoal(store, tip, signal);
  } catch (error) {
    if (!isFailure(error) || error.code === 'interrupted') throw error;
    return {events: 0, problems: [{commit: tip, code: 'unreadable', message: error.message}]};
  }
}
