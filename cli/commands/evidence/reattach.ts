import {applyReattach, planReattach} from '../../../lib/evidence/reattach.ts';
import {markLooked} from '../../../lib/evidence/reattach-new.ts';
import {defineCommand} from '../../command.ts';
import {copyText, unclearText} from '../../evidence-text.ts';
import {cutTo, plural} from '../../print.ts';
import {printResult} from '../../result.ts';

export const command = defineCommand({
  usage: 'evidence reattach',
  describe: 'Find what rebases, cherry-picks and squash merges made of rounds’ commits, and note the rounds there',
  options: {
    'dry-run': {type: 'boolean', describe: 'Show what would be noted, and note nothing'},
  },
  examples: [
    ['--dry-run', 'See what is found'],
    ['', 'Note it, also for others: notes travel with the goals'],
  ],
  topic: 'evidence',
  async run(args, session) {
    const {world, stdout} = session;
    const [store, repository] = await Promise.all([session.store(), session.repository()]);
    const plan = await planReattach(store, repository);
    const dryRun = args.dryRun === true;
    if (!dryRun) {
      await applyReattach(repository, world, plan);
      await markLooked(store, repository, world);
    }

    const copies = plan.copies.map(({commit, round: {goal, round}, via, from}) => ({commit, goal, round, via, from}));
    const unclear = plan.unclear.map(({rounds, ...rest}) => ({
      ...rest,
      rounds: rounds.map(({goal, round}) => ({goal, round})),
    }));
    const document = {schema: 'loopx/reattach@1', commits: plan.commits, copies, unclear, dryRun};
    printResult(session, document, () => [
      copies.length === 0
        ? `Nothing to note: ${plural(plan.commits, 'commit')} looked at.`
        : `${dryRun ? 'Would note' : 'Noted'} ${plural(new Set(copies.map(({round}) => round)).size, 'round')} on ${plural(new Set(copies.map(({commit}) => commit)).size, 'commit')}:`,
      ...copies.map(({commit, goal, round, via, from}) =>
        cutTo(`  ${commit.slice(0, 12)}  ${round} of ${goal}, ${copyText(via, from)}`, stdout.columns),
      ),
      ...plan.unclear.map(each => `  ${each.commit.slice(0, 12)}  ${unclearText(each)}`),
    ]);
  },
});
