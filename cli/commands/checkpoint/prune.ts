import {Failure} from '../../../lib/failure.ts';
import {beyondRetention, pruneNow} from '../../../lib/loop/checkpoint.ts';
import {neededCheckpoints} from '../../../lib/loop/retention.ts';
import type {Checkpoint} from '../../../lib/model/checkpoint.ts';
import {defineCommand} from '../../command.ts';
import {plural} from '../../print.ts';
import {printResult} from '../../result.ts';

export const command = defineCommand({
  usage: 'checkpoint prune [checkpoints..]',
  describe: 'Delete recovery points; git reclaims their space by itself',
  options: {
    keep: {
      type: 'number',
      describe: 'Delete all but so many of the newest; the newest of an open todo stays',
      value: 'N',
    },
    'dry-run': {type: 'boolean', describe: 'Show what would be deleted, and delete nothing'},
  },
  examples: [
    ['--keep 20', 'Keep the newest twenty'],
    ['k3m9 q2x7', 'Delete these two'],
  ],
  topic: 'checkpoints',
  async run(args, session) {
    const [repository, writer, view] = await Promise.all([session.repository(), session.writer(), session.view()]);
    if (args.keep === undefined && args.checkpoints.length === 0) {
      throw new Failure('usage', 'Which ones?', {
        hint: 'Name them, or say how many to keep: loopx checkpoint prune --keep 20',
      });
    }

    if (args.keep !== undefined && (args.keep < 1 || !Number.isInteger(args.keep))) {
      throw new Failure('usage', '--keep needs a whole number of 1 or more.');
    }

    const named = await Promise.all(args.checkpoints.map(prefix => view.resolve('c', prefix)));
    const needed = await neededCheckpoints(view);
    const old =
      args.keep === undefined ? [] : beyondRetention(await view.all<Checkpoint>('checkpoints'), args.keep, needed);
    const ids = [...new Set([...named, ...old.map(({id}) => id)])];
    const pruned = args.dryRun || ids.length === 0 ? ids : await pruneNow(repository, writer, view.id, ids);
    printResult(session, {schema: 'loopx/prune@1', checkpoints: pruned, dryRun: args.dryRun === true}, () => [
      pruned.length === 0
        ? 'Nothing to delete.'
        : `${args.dryRun ? 'Would delete' : 'Deleted'} ${plural(pruned.length, 'checkpoint')}: ${pruned.join(', ')}`,
    ]);
  },
});
