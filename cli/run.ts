// `run` and `resume`: drives the loop and tells how it goes.

import {Failure} from '../lib/failure.ts';
import {runLoop} from '../lib/loop/loop.ts';
import type {RoundReport} from '../lib/loop/round.ts';
import {situationOf} from '../lib/loop/situation.ts';
import {mayRun} from '../lib/policy/may-run.ts';
import {liveView, usageText} from './live-log.ts';
import {type ChosenExecutor, chooseExecutor, loopContext, parseUntil, settle} from './loop-session.ts';
import {duration, oneLine, plural, styled, when} from './print.ts';
import {jsonLine, printResult} from './result.ts';
import {endJson, endText} from './run-end.ts';
import type {Session} from './session.ts';
import {tidy} from './tidy.ts';
import {verdictJson, verdictText} from './verdict.ts';

export const runOptions = {
  executor: {
    type: 'string',
    describe: 'The agent to drive: claude, codex, or one from the configuration',
    value: 'NAME',
  },
  command: {type: 'string', describe: 'Drive this command line instead; its prompt comes on stdin', value: 'COMMAND'},
  'max-rounds': {type: 'number', describe: 'Stop after so many rounds', value: 'N'},
  until: {type: 'string', describe: 'Begin no round after this time: 18:30, 2h, or an ISO time', value: 'TIME'},
  'dry-run': {type: 'boolean', describe: 'Say what the next round would be, and begin none'},
} as const;

export type RunArgs = {
  readonly goal?: string | undefined;
  readonly executor?: string | undefined;
  readonly command?: string | undefined;
  readonly maxRounds?: number | undefined;
  readonly until?: string | undefined;
  readonly dryRun?: boolean | undefined;
};

/** Runs the loop for a command line. */
export async function runCommand(args: RunArgs, outer: Session): Promise<void> {
  const session = args.goal === undefined ? outer : outer.forGoal(args.goal);
  const {world} = session;
  if (args.maxRounds !== undefined && (!Number.isInteger(args.maxRounds) || args.maxRounds < 1)) {
    throw new Failure('usage', '--max-rounds needs a whole number of 1 or more.');
  }

  const untilMs = args.until === undefined ? Number.POSITIVE_INFINITY : parseUntil(args.until, world.now());
  const view = await session.view();
  const chosen = await chooseExecutor(session, args);
  const context = await loopContext(session);
  if (args.dryRun) return dryRun(session, chosen);
  await settle(session, context);

  const live = liveView(session);
  const reports: RoundReport[] = [];
  const end = await runLoop(context, {
    ...{goal: view.id, agent: chosen.agent, executor: chosen.executor, args: chosen.args},
    ...(chosen.command !== undefined && {command: chosen.command}),
    ...{roundsMax: args.maxRounds ?? Number.POSITIVE_INFINITY, untilMs},
    onVerdict: () => {},
    onBegin: (round, verdict) => {
      live.begin();
      const on = verdict.todo ? `on ${verdict.todo.id}: ${oneLine(verdict.todo.title)}` : 'to plan';
      session.say(styled(session.stderr, 'bold', `Round ${round} by ${chosen.agent} ${on}`));
    },
    onEvent: live.event,
    onTrouble: message => session.say(`  (${oneLine(message)})`),
    onRound: report => {
      reports.push(report);
      for (const line of roundText(report, session)) session.say(line);
    },
    onWait: (verdict, until) =>
      session.say(`${verdict.message} Waiting; it goes on ${when(new Date(until).toISOString(), world.now())}.`),
  });
  await tidy(session);
  const document = {schema: 'loopx/run@1', goal: view.id, rounds: reports, end: endJson(end)};
  // Programs get the whole of it, also where the end is a refusal.
  if (session.json) session.print(jsonLine(document));
  const lines = endText(session, end, {rounds: reports.length, again: againText(args)});
  if (!session.json) printResult(session, document, () => lines);
}

/** Returns how to go on in the same way. */
function againText({command, executor}: RunArgs): string {
  const quoted = command === undefined ? '' : ` --command '${command.replaceAll("'", `'\\''`)}'`;
  return `loopx resume${executor === undefined ? '' : ` --executor ${executor}`}${quoted}`;
}

async function dryRun(session: Session, chosen: ChosenExecutor): Promise<void> {
  const view = await session.view();
  const [repository, store] = await Promise.all([session.repository(), session.store()]);
  const {world} = session;
  const verdict = mayRun(await situationOf(view, {repository, store, world, agent: chosen.agent}));
  printResult(
    session,
    {schema: 'loopx/should-run@1', ...verdictJson(view, chosen.agent, verdict), dryRun: true},
    () => [
      ...verdictText(verdict, session),
      ...(verdict.shouldRun
        ? [`  It would be driven by ${chosen.executor.name} as ${chosen.agent}. Nothing was begun.`]
        : []),
    ],
  );
}

function roundText(report: RoundReport, session: Session): readonly string[] {
  const good = report.outcome === 'done' || report.outcome === 'progress';
  const mark = styled(session.stderr, good ? 'green' : 'yellow', report.outcome);
  const facts = [
    duration(report.seconds),
    ...(report.usage.inputTokens || report.usage.outputTokens ? [usageText(report.usage)] : []),
    ...(report.commits > 0 ? [plural(report.commits, 'commit')] : []),
    ...report.checks.map(check => `${check.name}: ${check.outcome}`),
    ...(report.billed ? [] : ['not billed']),
  ];
  const trust = report.checks.some(check => check.outcome === 'not-trusted')
    ? ['  A check was not run, since you have not trusted it: loopx trust']
    : [];
  return [
    `  ${mark}: ${oneLine(report.summary)}`,
    `  ${facts.join(' · ')} · checkpoint ${report.checkpoint}`,
    ...trust,
  ];
}
