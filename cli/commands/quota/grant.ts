import {grantQuota} from '../../../lib/change/goal.ts';
import {Failure} from '../../../lib/failure.ts';
import {amountOptions, spendFrom} from '../../budget.ts';
import {defineCommand} from '../../command.ts';
import {parseUntil} from '../../loop-session.ts';
import {requirePerson} from '../../person.ts';
import {printQuota} from '../../quota-text.ts';

export const command = defineCommand({
  usage: 'quota grant',
  describe: 'Allow more than the budgets say, for good or until a time; only a person can',
  options: {
    ...amountOptions,
    until: {type: 'string', describe: 'When it ends, such as 18:30, 2h or an ISO time', value: 'TIME'},
    reason: {type: 'string', describe: 'Why, for the log', value: 'TEXT'},
  },
  examples: [['--rounds 5 --until 18:30', 'Five more rounds until the evening']],
  topic: 'quota',
  async run(args, session) {
    requirePerson(session, 'grant more than the budgets say');
    const nowMs = session.world.now();
    const until = args.until === undefined ? undefined : parseUntil(args.until, nowMs);
    if (until !== undefined && until <= nowMs) throw new Failure('usage', `--until ${args.until} is in the past.`);
    await session.change(
      grantQuota({
        ...spendFrom(args),
        ...(until !== undefined && {until: new Date(until).toISOString()}),
        ...(args.reason && {reason: args.reason}),
      }),
    );
    await printQuota(session, await session.view(), ['Granted more than the budgets say.']);
  },
});
