import {diffSnapshot, patchSnapshot} from '../../../lib/git/snapshot-diff.ts';
import {snapshotOf} from '../../../lib/loop/checkpoint.ts';
import type {Checkpoint} from '../../../lib/model/checkpoint.ts';
import {defineCommand} from '../../command.ts';
import {oneLine} from '../../print.ts';
import {printResult} from '../../result.ts';

export const command = defineCommand({
  usage: 'checkpoint diff <checkpoint> [other]',
  describe: 'Show what differs between a recovery point and another, or the working tree as it is',
  options: {
    patch: {type: 'boolean', describe: 'Show the lines, as a patch that git apply takes'},
    round: {type: 'boolean', describe: "Show what the checkpoint's round changed in the working tree"},
  },
  topic: 'checkpoints',
  async run(args, session) {
    const [repository, view] = await Promise.all([session.repository(), session.view()]);
    const find = (prefix: string) => view.find<Checkpoint>('c', prefix);
    const first = await find(args.checkpoint);
    const from = await snapshotOf(repository, view.id, first, args.round ? 'start' : 'end');
    const other = args.other === undefined ? undefined : await find(args.other);
    const to = args.round
      ? await snapshotOf(repository, view.id, first)
      : other
        ? await snapshotOf(repository, view.id, other)
        : 'worktree';
    if (args.patch && !session.json) {
      const patch = await patchSnapshot(repository.git, from, to);
      if (patch.length > 0) session.print(patch.toString().replace(/\n$/, ''));
      return;
    }

    const changes = await diffSnapshot(repository.git, from, to);
    const letters = {added: 'A', modified: 'M', deleted: 'D'};
    printResult(session, {schema: 'loopx/checkpoint-diff@1', changes}, () =>
      changes.length === 0
        ? ['Nothing differs.']
        : changes.map(({path, change}) => `${letters[change]} ${oneLine(path)}`),
    );
  },
});
