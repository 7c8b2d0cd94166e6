// An answer to "may it run?", for programs and for people.
import type {Gate} from '../lib/model/gate.ts';
import type {Verdict} from '../lib/policy/verdict.ts';
import type {GoalView} from '../lib/store/view.ts';
import {oneLine, styled, when} from './print.ts';
import {gateJson} from './records.ts';
import type {Session} from './session.ts';

/** Returns a verdict as programs see it. */
export function verdictJson(view: GoalView, agent: string, verdict: Verdict): object {
  return {goal: view.id, agent, ...verdict, gate: verdict.gate && gateJson(verdict.gate)};
}

/** Returns a verdict as people see it: what holds, and the question if there is one. */
export function verdictText(verdict: Verdict, session: Session): readonly string[] {
  const color = verdict.shouldRun ? 'green' : verdict.decision === 'ask' ? 'red' : 'yellow';
  const head = `${styled(session.stdout, color, verdict.decision)} (${verdict.reason}): `;
  const look = verdict.nextCheckAt ? [`  Look again ${when(verdict.nextCheckAt, session.world.now())}.`] : [];
  if (verdict.reason === 'gate_open' && verdict.gate) {
    return [`${head}a person has to decide.`, ...questionText(verdict.gate)];
  }

  return [head + oneLine(verdict.message), ...look];
}

/** Returns a gate's question so that one can answer it from the screen alone. */
export function questionText(gate: Gate, id: string = gate.id): readonly string[] {
  const options = gate.options.map(
    (option, index) => `    ${index + 1}  ${oneLine(option)}${option === gate.recommend ? ' (recommended)' : ''}`,
  );
  const evidence = gate.evidence ? gate.evidence.split('\n').map(line => `    ${oneLine(line)}`) : [];
  const answer = gate.options.length > 0 ? '1' : '"your answer"';
  return [
    '',
    `  ${id} asks: ${oneLine(gate.question)}`,
    ...options,
    ...(evidence.length > 0 ? ['  To decide on:', ...evidence] : []),
    `  Answer with: loopx gate answer ${id} ${answer} --reason "…"`,
  ];
}
