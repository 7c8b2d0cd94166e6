import type {Checkpoint} from '../../../lib/model/checkpoint.ts';
import {defineCommand} from '../../command.ts';
import {oneLine, when} from '../../print.ts';
import {printResult} from '../../result.ts';

export const command = defineCommand({
  usage: 'checkpoint show <checkpoint>',
  describe: 'Show what a recovery point holds',
  topic: 'checkpoints',
  async run(args, session) {
    const view = await session.view();
    const checkpoint = await view.find<Checkpoint>('c', args.checkpoint);
    const {id, trigger, at, by, digest, progress, todo, round, snapshot} = checkpoint;
    printResult(session, {schema: 'loopx/checkpoint@1', checkpoint}, () => [
      `${id}  ${trigger}, ${when(at, session.world.now())}, by ${oneLine(by)}`,
      `  ${oneLine(digest)}`,
      `  ${progress.done} of ${progress.total} todos were done, ${progress.verified} verified.`,
      ...(todo ? [`  Todo ${todo}`] : []),
      ...(round ? [`  Round ${round}`] : []),
      ...(snapshot
        ? [
            `  Working tree ${snapshot.tree.slice(0, 12)} (${snapshot.state}), HEAD ${snapshot.head?.slice(0, 12) ?? 'unborn'}${snapshot.branch ? ` on ${oneLine(snapshot.branch)}` : ''}`,
          ]
        : []),
      ...(['partial', 'large', 'nested'] as const).flatMap(kind =>
        snapshot?.[kind] ? [`  ${said[kind]}: ${snapshot[kind].map(oneLine).join(', ')}`] : [],
      ),
      `  What changed since: loopx checkpoint diff ${id}`,
      `  Go back to it: loopx checkpoint restore ${id}`,
    ]);
  },
});

const said = {
  partial: 'Could not be read',
  large: 'Too large to be saved',
  nested: 'Repositories of their own, not saved',
};
