import {defineCommand} from '../../command.ts';
import {printQuota} from '../../quota-text.ts';

export const command = defineCommand({
  usage: 'quota show',
  describe: 'Show what the goal may spend, and what is spent',
  topic: 'quota',
  run: async (_, session) => printQuota(session, await session.view()),
});
