// How a run of the loop ended: told so that one knows what to do next, with the exit status that scripts read.
import {Failure} from '../lib/failure.ts';
import type {Finish} from '../lib/loop/finish.ts';
import type {LoopEnd} from '../lib/loop/loop.ts';
import {failureText} from '../lib/loop/outcome.ts';
import type {Verdict} from '../lib/policy/verdict.ts';
import {oneLine, plural, when} from './print.ts';
import type {Session} from './session.ts';
import {questionText, verdictText} from './verdict.ts';

/**
 * Returns how a run ended, in words.
 *
 * @throws {Failure} Where it did not end well, with the exit status that says how.
 */
export function endText(
  session: Session,
  end: LoopEnd,
  told: {readonly rounds: number; readonly again: string},
): readonly string[] {
  const rounds = `${plural(told.rounds, 'round')} run.`;
  switch (end.kind) {
    case 'finished':
      return [
        `The goal is finished: ${plural(end.finish.checks.length, 'check')} passed at ${end.finish.commit.slice(0, 10)}. ${rounds}`,
        '  See it all: loopx log',
      ];
    case 'rounds-max':
      return [`Stopped after ${plural(end.rounds, 'round')}, as asked.`, `  Go on with: ${told.again}`];
    case 'until':
      return [`Stopped, as the time is up. ${rounds}`, `  Go on with: ${told.again}`];
    case 'interrupted': {
      const where = end.report
        ? ` Round ${end.report.round} is recorded; what was there is in checkpoint ${end.report.checkpoint}.`
        : '';
      throw new Failure('interrupted', `Interrupted.${where}`, {hint: `Go on with: ${told.again}`});
    }

    case 'person': {
      const {error} = end.report;
      const mend =
        error?.class === 'auth' ? 'Log the agent in, or set its key (how: loopx doctor); then' : 'Mend that, then';
      throw new Failure('person-needed', error?.message ?? 'The agent needs you.', {
        hint: `${mend} go on with: loopx resume`,
      });
    }

    case 'unfinished':
      return unfinished(end.finish);
    case 'verdict':
      return stopped(session, end.verdict, rounds);
  }
}

function stopped(session: Session, verdict: Verdict, rounds: string): readonly string[] {
  const refused =
    verdict.decision === 'ask' || verdict.decision === 'throttle' || verdict.reason === 'round_in_progress';
  if (!refused && verdict.reason !== 'goal_paused' && verdict.reason !== 'preflight_failed')
    return [...verdictText(verdict, session), `  ${rounds}`];
  if (verdict.decision === 'ask' && verdict.gate) {
    for (const line of questionText(verdict.gate)) session.say(line);
    throw new Failure('gate-open', 'The loop stops here: a person has to decide.', {
      hint: 'It goes on after the answer: loopx resume',
    });
  }

  if (verdict.reason === 'preflight_failed') throw new Failure('state-unreadable', verdict.message);
  const codes = {
    throttle: 'quota-exhausted',
    ask: 'gate-open',
    wait: 'round-live',
    stop: 'not-now',
    skip: 'not-now',
    run: 'not-now',
  } as const;
  const hint = verdict.nextCheckAt
    ? `Look again ${when(verdict.nextCheckAt, session.world.now())}: loopx quota should-run`
    : 'See: loopx status';
  throw new Failure(codes[verdict.decision], verdict.message, {hint});
}

/** So many files are named. */
const namedMax = 5;

/** Returns what is left to do, or throws what stands in the way. */
export function unfinished(finish: Finish): readonly string[] {
  switch (finish.kind) {
    case 'no-checks':
      return [
        'All todos are closed, but nothing proves the goal.',
        '  Add a check: loopx goal edit --check "npm test", then: loopx goal finish',
        '  Or finish it on your word: loopx goal finish --reason "…"',
      ];
    case 'dirty': {
      const [paths, more] = [finish.paths.slice(0, namedMax).map(oneLine), finish.paths.length - namedMax];
      const names = `${paths.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
      throw new Failure('not-verified', `All todos are closed, but not everything is committed: ${names}.`, {
        hint: 'Commit it, or have git ignore it, so that HEAD is what the checks see. Then: loopx goal finish',
      });
    }

    case 'no-commit':
      throw new Failure('not-verified', 'All todos are closed, but there is no commit yet.', {
        hint: 'Commit the work, then: loopx goal finish',
      });
    case 'not-trusted':
      throw new Failure(
        'not-trusted',
        `All todos are closed, but a check was not run, since you have not trusted it: ${finish.runs.join(' · ')}`,
        {
          hint: 'If you trust it on this machine: loopx trust, then: loopx goal finish',
        },
      );
    case 'failed': {
      const failed = finish.checks.filter(check => check.outcome !== 'pass');
      const names = failed.map(check => oneLine(`${check.run} (${failureText(check)})`)).join(' · ');
      const fails = failed.length === 1 ? 'a check fails' : `${failed.length} checks fail`;
      throw new Failure('not-verified', `All todos are closed, but ${fails} at HEAD: ${names}.`, {
        hint: 'Add what is missing: loopx todo add "…", then: loopx resume',
      });
    }

    default:
      return ['There is nothing to do.'];
  }
}

/** Returns how a run ended, for programs. */
export function endJson(end: LoopEnd): object {
  if (end.kind === 'interrupted' || end.kind === 'person') return {kind: end.kind, round: end.report?.round ?? null};
  return end;
}
