import {versions} from 'node:process';
import {examineAll} from '../../lib/doctor/doctor.ts';
import type {Finding, FindingState} from '../../lib/doctor/finding.ts';
import {openPatient} from '../../lib/doctor/patient.ts';
import {Failure, isFailure} from '../../lib/failure.ts';
import {defineCommand} from '../command.ts';
import {wrap} from '../layout.ts';
import {oneLine, plural, type Style, styled} from '../print.ts';
import {printResult} from '../result.ts';
import type {Session} from '../session.ts';

export const command = defineCommand({
  usage: 'doctor',
  describe: 'Find what is wrong before a long run does, each with what mends it',
  examples: [
    ['', 'Examine this machine and this repository'],
    ['--json', 'The same for programs'],
  ],
  topic: 'config',
  async run(_, session) {
    const {world, cwd, signal} = session;
    const patient = await openPatient({
      world,
      cwd,
      signal,
      nodeVersion: versions.node,
      repository: await open(session),
    });
    const findings = await examineAll(patient);
    const count = (state: FindingState) => findings.filter(finding => finding.state === state).length;
    const bad = count('bad');
    printResult(session, {schema: 'loopx/doctor@1', ok: bad === 0, findings}, () => [
      ...(['good', 'warn', 'bad'] as const).flatMap(state => linesOf(state, findings, session)),
      closing(bad, count('warn')),
    ]);
    if (bad > 0) {
      throw new Failure('doctor-failed', `${bad === 1 ? '1 thing is' : `${bad} things are`} wrong.`, {
        hint: 'Mend it as said, then see again: loopx doctor',
      });
    }
  },
});

async function open(session: Session) {
  try {
    return {repository: await session.repository(), store: await session.store()};
  } catch (error) {
    if (isFailure(error)) return error;
    throw error;
  }
}

const marks: Readonly<Record<FindingState, {readonly sign: string; readonly plain: string; readonly style: Style}>> = {
  good: {sign: '✓', plain: '+', style: 'green'},
  warn: {sign: '!', plain: '!', style: 'yellow'},
  bad: {sign: '✗', plain: 'x', style: 'red'},
};

function linesOf(state: FindingState, findings: readonly Finding[], session: Session): readonly string[] {
  const {stdout, world} = session;
  const {sign, plain, style} = marks[state];
  const mark = styled(stdout, style, world.env.TERM === 'dumb' ? plain : sign);
  return findings
    .filter(finding => finding.state === state)
    .flatMap(({message, mend}) => [
      ...wrap(oneLine(message), stdout.columns, '  ').map((line, index) => (index === 0 ? mark + line.slice(1) : line)),
      // Not wrapped: it is there to be copied.
      ...(mend === undefined ? [] : [`    mend: ${oneLine(mend)}`]),
    ]);
}

function closing(bad: number, warnings: number): string {
  if (bad > 0) return `${plural(bad, 'thing')} ${bad === 1 ? 'needs' : 'need'} you.`;
  if (warnings > 0)
    return `Nothing is broken; ${plural(warnings, 'thing')} ${warnings === 1 ? 'needs' : 'need'} a look.`;
  return 'Everything is as it should be.';
}
