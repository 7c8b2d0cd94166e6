// Gates for people. Whoever is woken by one must see at a glance what is asked, what may be answered, and how.
import type {Gate} from '../lib/model/gate.ts';
import {fieldLines, wrap} from './layout.ts';
import {type Output, styled, when} from './print.ts';

export type GateContext = {readonly id: string; readonly nowMs: number; readonly output: Output};

/** Returns a gate: the question first, then what may be answered, then the rest. */
export function gateDetails(gate: Gate, {id, nowMs, output}: GateContext): readonly string[] {
  const {columns} = output;
  const last = gate.answers.at(-1);
  const isOpen = gate.status === 'open';
  return [
    isOpen ? styled(output, 'yellow', `Question ${id} waits for an answer`) : `Question ${id} (${gate.status})`,
    ...wrap(gate.question, columns, '  ').map(line => styled(output, 'bold', line)),
    ...optionLines(gate, columns),
    ...fieldLines(
      [
        ['suggested', gate.options.length === 0 ? gate.recommend : undefined],
        ['evidence', gate.evidence],
        ['blocks', gate.blocks.map(blockText).join(', ')],
        ['asked', `${when(gate.askedAt, nowMs)} by ${gate.askedBy}`],
        ['answer', isOpen ? undefined : gate.answer],
        ['reason', isOpen ? undefined : last?.reason],
        ['answered', !isOpen && last ? `${when(last.at, nowMs)} by ${last.by}` : undefined],
        ['so far', gate.answers.length > 1 || isOpen ? gate.answers.map(given).join('\n') : undefined],
      ],
      columns,
    ),
    ...(isOpen ? answerHint(gate, id) : []),
  ];
}

/** Returns what a gate blocks, in words. */
export function blockText(block: string): string {
  const [kind, name] = block.split(/:(.*)/s);
  return kind === 'goal' ? 'the whole goal' : `${kind} ${name}`;
}

function optionLines(gate: Gate, columns: number): readonly string[] {
  return gate.options.flatMap((option, index) => {
    const label = `${option}${option === gate.recommend ? ' (recommended)' : ''}`;
    const [first = '', ...rest] = wrap(label, columns, '       ');
    return [`    ${index + 1}  ${first.trimStart()}`, ...rest];
  });
}

function answerHint(gate: Gate, id: string): readonly string[] {
  const answer = gate.options.length > 0 ? '1' : '"Your answer"';
  return [`  Answer: loopx gate answer ${id} ${answer} --reason "Why"`];
}

function given({answer, reason, by}: Gate['answers'][number]): string {
  return `${answer}${reason === undefined ? '' : ` (${reason})`}, by ${by}`;
}
