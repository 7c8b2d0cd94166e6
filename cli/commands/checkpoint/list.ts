import {listRefs} from '../../../lib/git/refs.ts';
import type {Checkpoint} from '../../../lib/model/checkpoint.ts';
import {shortId} from '../../../lib/model/ids.ts';
import {defineCommand} from '../../command.ts';
import {oneLine, table, when} from '../../print.ts';
import {printResult} from '../../result.ts';

export const command = defineCommand({
  usage: 'checkpoint list',
  describe: 'List the recovery points, newest first',
  options: {todo: {type: 'string', describe: 'Only those of one todo', value: 'TODO'}},
  topic: 'checkpoints',
  async run(args, session) {
    const view = await session.view();
    const {git} = await session.repository();
    const todo = args.todo && (await view.resolve('t', args.todo));
    const all = await view.all<Checkpoint>('checkpoints');
    const wanted = all
      .filter(checkpoint => !todo || checkpoint.todo === todo)
      .sort((a, b) => (a.created < b.created ? 1 : -1));
    const refs = await listRefs(git, `refs/loopx/snapshots/${view.id}/`);
    const here = new Set([...refs.keys()].map(ref => ref.slice(ref.lastIndexOf('/') + 1)));
    const checkpoints = wanted.map(checkpoint => ({...checkpoint, restorable: here.has(checkpoint.id)}));
    printResult(session, {schema: 'loopx/checkpoint-list@1', checkpoints}, () => {
      if (checkpoints.length === 0) return ['There is no checkpoint yet. Save one with: loopx checkpoint save'];
      const ids = all.map(({id}) => id);
      const nowMs = session.world.now();
      return table(
        checkpoints.map(({id, trigger, at, digest, restorable, snapshot}) => [
          shortId(id, ids),
          when(at, nowMs),
          trigger,
          [
            ...(restorable ? [] : ['(on another machine)']),
            ...(snapshot?.state === 'partial' ? ['(partial)'] : []),
            oneLine(digest),
          ].join(' '),
        ]),
        session.stdout.columns,
      );
    });
  },
});
