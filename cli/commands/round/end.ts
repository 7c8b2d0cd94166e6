import {endByHand, findLive, isDriven, reportDriven} from '../../../lib/loop/manual-round.ts';
import {namedRound} from '../../../lib/loop/running.ts';
import {roundOutcomes} from '../../../lib/model/round.ts';
import {defineCommand} from '../../command.ts';
import {loopContext} from '../../loop-session.ts';
import {claimant} from '../../person.ts';
import {duration, plural} from '../../print.ts';
import {printResult} from '../../result.ts';

export const command = defineCommand({
  usage: 'round end [round]',
  describe: 'End a round: say how it went; loopx looks, checks and records',
  options: {
    outcome: {type: 'string', describe: 'How it went', choices: roundOutcomes, required: true},
    summary: {type: 'string', describe: 'What came of it, in a sentence', required: true, value: 'TEXT'},
    'input-tokens': {type: 'number', describe: 'Tokens that went in', value: 'N'},
    'output-tokens': {type: 'number', describe: 'Tokens that came out', value: 'N'},
    usd: {type: 'number', describe: 'What it cost in US dollars', value: 'N'},
  },
  examples: [['--outcome done --summary "Ported the lexer; all tests pass"', "End this worktree's round"]],
  topic: 'executors',
  async run(args, session) {
    const {env} = session.world;
    const context = await loopContext(session);
    const named = args.round ?? env.LOOPX_ROUND ?? (await namedRound(context.repository.gitDir))?.round;
    const view = await session.view();
    const live = findLive(view, {round: named, agent: await claimant(session)});
    const {outcome, summary} = args;
    const word = {outcome: outcome as (typeof roundOutcomes)[number], summary};
    if (await isDriven(context, live.round)) {
      await reportDriven(await session.writer(), view.id, live.round, word);
      return printResult(session, {schema: 'loopx/round@1', round: {id: live.round, ...word, reported: true}}, () => [
        `Noted: ${outcome}. The loop ends the round when you exit.`,
      ]);
    }

    const {inputTokens, outputTokens, usd} = args;
    const usage = {
      ...(inputTokens !== undefined && {inputTokens}),
      ...(outputTokens !== undefined && {outputTokens}),
      ...(usd !== undefined && {costUsd: usd}),
    };
    const report = await endByHand(context, view, live, {...word, usage});
    printResult(session, {schema: 'loopx/round@1', round: {id: live.round, ...report}}, () => [
      `Ended round ${live.round}: ${report.outcome}`,
      `  ${duration(report.seconds)} · ${plural(report.commits, 'commit')}${report.checks.map(check => ` · ${check.name}: ${check.outcome}`).join('')}`,
      `  Checkpoint ${report.checkpoint}`,
    ]);
  },
});
