import {Failure, isFailure} from '../../../lib/failure.ts';
import {situationOf} from '../../../lib/loop/situation.ts';
import {mayRun, preflightVerdict} from '../../../lib/policy/may-run.ts';
import {defineCommand} from '../../command.ts';
import {claimant} from '../../person.ts';
import {printResult} from '../../result.ts';
import {verdictJson, verdictText} from '../../verdict.ts';

export const command = defineCommand({
  usage: 'quota should-run',
  describe: 'Say whether a round may begin now, with which todo, and if not, why',
  options: {
    agent: {
      type: 'string',
      describe: 'The agent that would work; left out: you, or the agent that asks',
      value: 'AGENT',
    },
    'exit-code': {type: 'boolean', describe: 'Exit with 3 unless the answer is run'},
  },
  examples: [
    ['--json', 'For a scheduler or a hook'],
    ['--exit-code && ./agent.sh', 'Run something only when it may'],
  ],
  topic: 'quota',
  async run(args, session) {
    const {world} = session;
    const asking = args.agent ?? claimant(session);
    const looking = session.view();
    looking.catch(() => {});
    const [repository, agent] = await Promise.all([session.repository(), asking]);
    try {
      const view = await looking;
      const verdict = mayRun(await situationOf(view, {repository, store: await session.store(), world, agent}));
      printResult(session, {schema: 'loopx/should-run@1', ...verdictJson(view, agent, verdict)}, () =>
        verdictText(verdict, session),
      );
      if (args.exitCode && !verdict.shouldRun) throw new Failure('not-now', 'Not now.');
    } catch (error) {
      // What can't be read may not be worked on; asking still has an answer.
      if (!isFailure(error, 'state-unreadable', 'state-newer', 'git-failed')) throw error;
      const verdict = preflightVerdict({message: error.message, hint: error.hint ?? 'Run `loopx doctor`.'});
      const document = {schema: 'loopx/should-run@1', goal: null, agent, ...verdict};
      printResult(session, document, () => verdictText(verdict, session));
      if (args.exitCode) throw new Failure('not-now', 'Not now.');
    }
  },
});
