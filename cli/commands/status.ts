import {resolve} from 'node:path';
import {defineCommand, globalOptions} from '../command.ts';
import {printResult} from '../result.ts';
import {readRemoteStatus, readStatus} from '../status.ts';
import {statusJson} from '../status-json.ts';
import {statusText} from '../status-text.ts';

export const command = defineCommand({
  usage: 'status [goal]',
  describe: 'Show where a goal stands, on one screen',
  options: {
    project: globalOptions.project,
    remote: {type: 'string', describe: 'Look at another repository, without a clone', value: 'URL'},
  },
  examples: [
    ['', 'The goal of this repository'],
    ['--remote origin', 'The same as others see it'],
    ['--json', 'The same for programs'],
  ],
  topic: 'goals',
  async run(args, outer) {
    if (args.remote !== undefined) {
      const at = {remote: args.remote, dir: resolve(outer.cwd, args.project ?? '.'), goal: args.goal};
      const status = await readRemoteStatus(outer, at);
      return printResult(outer, statusJson(status, outer.world.now()), () => statusText(status, outer));
    }

    const session = args.goal === undefined ? outer : outer.forGoal(args.goal);
    // A read-only repository can be looked at all the same.
    await session.settled().catch(error => session.say(`  (${(error as Error).message})`));
    const status = await readStatus(session);
    printResult(session, statusJson(status, session.world.now()), () => statusText(status, session));
  },
});
