import {applyDisconnect, disconnectLines, planDisconnect} from '../../lib/hosts/connect.ts';
import {defineCommand} from '../command.ts';
import {requirePerson} from '../person.ts';
import {plural} from '../print.ts';
import {printResult} from '../result.ts';

export const command = defineCommand({
  usage: 'disconnect',
  describe: 'Take back what connect has set; goals stay',
  options: {'dry-run': {type: 'boolean', describe: 'Show what would be taken back, and take nothing'}},
  async run(args, session) {
    const repository = await session.repository();
    const plan = await planDisconnect(repository);
    const changes = disconnectLines(plan);
    if (!args.dryRun) requirePerson(session, 'disconnect a repository');
    if (!args.dryRun) await applyDisconnect(repository, plan);
    const where = repository.top ?? repository.gitDir;
    const kept = (await (await session.store()).tips()).size;
    printResult(session, {schema: 'loopx/connect@1', repository: where, changes, dryRun: args.dryRun === true}, () => [
      changes.length === 0
        ? `${where} is not connected.`
        : args.dryRun
          ? `Would disconnect ${where}:`
          : `Disconnected ${where}:`,
      ...changes.map(change => `  ${change}`),
      ...(kept > 0
        ? [`  ${plural(kept, 'goal')} stay${kept === 1 ? 's' : ''} in refs/loopx/goals/; connect again at any time.`]
        : []),
    ]);
  },
});
