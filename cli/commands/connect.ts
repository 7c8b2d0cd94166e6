import {applyConnect, connectLines, planConnect} from '../../lib/hosts/connect.ts';
import {preparePush} from '../../lib/sync/prepare.ts';
import {defineCommand} from '../command.ts';
import {printResult} from '../result.ts';

export const command = defineCommand({
  usage: 'connect',
  describe: 'Connect this repository: hooks, and refspecs so that fetches bring goals along',
  options: {'dry-run': {type: 'boolean', describe: 'Show what would be set, and set nothing'}},
  examples: [['--dry-run', 'See first what it sets']],
  topic: 'state',
  async run(args, session) {
    const repository = await session.repository();
    const plan = await planConnect(repository);
    const changes = connectLines(plan);
    if (!args.dryRun) {
      await applyConnect(repository, plan);
      await preparePush(repository, session.loopx);
    }

    const where = repository.top ?? repository.gitDir;
    const tips = await (await session.store()).tips();
    const next = tips.size > 0 ? 'loopx status' : 'loopx start-goal --goal-text "What is to be reached"';
    printResult(session, {schema: 'loopx/connect@1', repository: where, changes, dryRun: args.dryRun === true}, () => [
      args.dryRun
        ? `Would connect ${where}:`
        : changes.length > 0
          ? `Connected ${where}:`
          : `${where} is connected already.`,
      ...changes.map(change => `  ${change}`),
      ...(args.dryRun ? [] : ['  Take exactly this back: loopx disconnect', `  Next: ${next}`]),
    ]);
  },
});
