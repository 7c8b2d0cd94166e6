import {makeBrief} from '../../lib/loop/make-brief.ts';
import {sortTodos} from '../../lib/policy/ready.ts';
import {agentOf} from '../../lib/store/view.ts';
import {defineCommand} from '../command.ts';
import {claimant} from '../person.ts';
import {printResult} from '../result.ts';

export const command = defineCommand({
  usage: 'brief [todo]',
  describe: 'Show the brief that the next round would start from',
  options: {tokens: {type: 'number', describe: 'The most tokens it may have; left out: as configured', value: 'N'}},
  examples: [
    ['', 'For the todo that is next'],
    ['k3m9 --tokens 2000', 'A short one for this todo'],
  ],
  topic: 'goals',
  async run(args, session) {
    const [view, config, agent] = await Promise.all([session.view(), session.config(), claimant(session)]);
    const {goal} = view;
    const live = goal.live.find(other => other.agent === agent);
    const {ready} = sortTodos(goal, await agentOf(view, agent), {nowMs: session.world.now(), watches: {}});
    const todo = args.todo === undefined ? (live?.todo ?? ready[0]?.id) : await view.resolve('t', args.todo);
    const brief = await makeBrief(view, {
      ...{agent, round: live?.round ?? 'next', loopx: 'loopx'},
      limitTokens: args.tokens ?? config.count('context_compression_threshold'),
      ...(todo !== undefined && {todo}),
    });
    const document = {schema: 'loopx/brief@1', goal: goal.id, todo: todo ?? null, ...brief};
    printResult(session, document, () => brief.text.replace(/\n$/, ''));
  },
});
