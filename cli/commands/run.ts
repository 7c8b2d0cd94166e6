import {defineCommand} from '../command.ts';
import {runCommand, runOptions} from '../run.ts';

export const command = defineCommand({
  usage: 'run [goal]',
  describe: 'Drive an agent round by round until something stops it',
  options: runOptions,
  examples: [
    ['', 'Go on with the goal, with the agent that is configured or found'],
    ['--executor codex --max-rounds 5', 'At most five rounds of Codex'],
    ['--command "./agent.sh" --until 18:30', 'Drive a program of your own until the evening'],
    ['--dry-run', 'Say what would happen'],
  ],
  topic: 'executors',
  run: (args, session) => runCommand(args, session),
});
