import {stat} from 'node:fs/promises';
import {resolve} from 'node:path';
import {exportGoal} from '../../lib/sync/bundle.ts';
import {defineCommand} from '../command.ts';
import {bytes} from '../print.ts';
import {printResult} from '../result.ts';

export const command = defineCommand({
  usage: 'export',
  describe: 'Write a goal with its history to a file that git can carry anywhere',
  options: {
    bundle: {type: 'string', describe: 'The file to write, a git bundle', required: true, value: 'FILE'},
  },
  examples: [['--bundle py3.bundle', 'Write the goal of this repository, to be sent by mail']],
  topic: 'bundles',
  async run(args, session) {
    const [repository, store, {id, tip}] = await Promise.all([session.repository(), session.store(), session.view()]);
    const file = resolve(session.cwd, args.bundle);
    await exportGoal({repository, store, world: session.world}, id, file);
    const {size: sizeBytes} = await stat(file);
    printResult(session, {schema: 'loopx/export@1', goal: id, tip, file, sizeBytes}, () => [
      `Wrote ${id} to ${args.bundle} (${bytes(sizeBytes)}).`,
      `  Take it in elsewhere: loopx import ${args.bundle}`,
    ]);
  },
});
