import {defineCommand} from '../command.ts';
import {printResult} from '../result.ts';
import {readStatus} from '../status.ts';
import {statusJson} from '../status-json.ts';
import {statusText} from '../status-text.ts';

export const command = defineCommand({
  usage: 'status [goal]',
  describe: 'Show where a goal stands, on one screen',
  examples: [
    ['', 'The goal of this repository'],
    ['--json', 'The same for programs'],
  ],
  topic: 'goals',
  async run(args, outer) {
    const session = args.goal === undefined ? outer : outer.forGoal(args.goal);
    // A read-only repository can be looked at all the same.
    await session.settled().catch(error => session.say(`  (${(error as Error).message})`));
    const status = await readStatus(session);
    printResult(session, statusJson(status, session.world.now()), () => statusText(status, session));
  },
});
