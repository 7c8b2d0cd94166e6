import {Failure} from '../../../lib/failure.ts';
import {diffSnapshot} from '../../../lib/git/snapshot-diff.ts';
import {restoreNow, snapshotOf} from '../../../lib/loop/checkpoint.ts';
import type {Checkpoint} from '../../../lib/model/checkpoint.ts';
import {defineCommand} from '../../command.ts';
import {loopContext, settle} from '../../loop-session.ts';
import {oneLine, plural} from '../../print.ts';
import {printResult} from '../../result.ts';

const listedMax = 20;

export const command = defineCommand({
  usage: 'checkpoint restore <checkpoint> [paths..]',
  describe: 'Bring the files back as they were, byte for byte; what is there now is saved first',
  options: {
    start: {type: 'boolean', describe: "Go back to what the checkpoint's round found when it began"},
    'dry-run': {type: 'boolean', describe: 'Show what would change, and change nothing'},
  },
  examples: [
    ['k3m9', 'All files that are not ignored'],
    ['k3m9 src README.md', 'Only these'],
  ],
  topic: 'checkpoints',
  async run(args, session) {
    const [repository, writer, config] = await Promise.all([session.repository(), session.writer(), session.config()]);
    await settle(session, await loopContext(session));
    const view = await session.view();
    const checkpoint = await view.find<Checkpoint>('c', args.checkpoint);
    const snapshot = await snapshotOf(repository, view.id, checkpoint, args.start ? 'start' : 'end');
    if (args.dryRun) {
      const changes = await diffSnapshot(repository.git, snapshot, 'worktree');
      return printResult(session, {schema: 'loopx/restore@1', checkpoint: checkpoint.id, dryRun: true, changes}, () =>
        changes.length === 0
          ? ['Nothing would change.']
          : changes.map(({path, change}) => `would ${undoing[change]} ${oneLine(path)}`),
      );
    }

    const running = view.goal.live.find(
      live => Date.parse(live.until) > session.world.now() && live.agent !== session.agent,
    );
    if (running) {
      throw new Failure('round-live', `${running.agent} is working in a round (${running.round}).`, {
        hint: 'Stop it first, or wait for its end: loopx status',
      });
    }

    const {written, removed, kept, undo} = await restoreNow(repository, writer, {
      ...{
        goal: view.id,
        checkpoint,
        snapshot,
        maxFileSizeBytes: config.sizeBytes('snapshot.maxFileSize'),
        signal: session.signal,
      },
      ...(args.paths.length > 0 && {paths: args.paths}),
    });
    const head = await repository.git.run(['rev-parse', '--verify', '--quiet', 'HEAD']);
    const moved = snapshot.head !== null && head.stdout.toString().trim() !== snapshot.head;
    const list = (verb: string, paths: readonly string[]) => [
      ...paths.slice(0, listedMax).map(path => `  ${verb} ${oneLine(path)}`),
      ...(paths.length > listedMax ? [`  ${verb} ${paths.length - listedMax} more`] : []),
    ];
    printResult(
      session,
      {schema: 'loopx/restore@1', checkpoint: checkpoint.id, written, removed, kept, undo: undo.id},
      () => [
        `Restored ${checkpoint.id}: ${plural(written.length, 'file')} written, ${removed.length} removed.`,
        ...list('wrote', written),
        ...list('removed', removed),
        ...kept.map(({path, reason}) => `  left ${oneLine(path)}: ${reason}`),
        ...(moved ? [`  HEAD was at ${snapshot.head!.slice(0, 12)} then; it is left where it is now.`] : []),
        `  Undo this with: loopx checkpoint restore ${undo.id}`,
      ],
    );
  },
});

const undoing = {added: 'remove', modified: 'write', deleted: 'write'};
