// Two people who changed one field without seeing each other have contradicted each other. Where that matters (the
// answer of a gate; what a goal is) the fold derives an open gate that quotes both. Nobody writes its opening; the
// answer is an ordinary event that sets the field and saw all of its heads.
import type {Gate} from './gate.ts';
import type {Goal} from './goal.ts';
import {derivedGateId} from './ids.ts';
import {canonicalJson, type Json} from './json.ts';
import {headsOf, isContested} from './register.ts';
import {type Draft, goalPath, putGate, recordPath} from './state.ts';

/** The fields of a goal whose contradiction a person has to settle. */
export const contestable = ['objective', 'acceptance', 'constraints', 'policy'] as const;

/** Returns the paths of the gates that a change of these fields of a goal may open or close. */
export function contestPaths(goal: string, fields: readonly string[]): readonly string[] {
  return contestable.filter(field => fields.includes(field)).map(field => recordPath.gate(derivedGateId(goal, field)));
}

/** Opens or settles the gates of contradictory fields of a goal, after an event set them. */
export function settleGoal(draft: Draft, fields: readonly string[], at: {id: string; at: string; by: string}): void {
  for (const field of contestable.filter(name => fields.includes(name))) {
    const goal = draft.get<Goal>(goalPath);
    if (!goal) return;
    const quotes = isContested(goal, field) ? headsOf(goal, field).map(head => quote(head.value)) : undefined;
    settle(
      draft,
      {record: goal.id, field},
      `Two changes of the goal's ${field} contradict each other. Which one holds?`,
      quotes,
      {
        ...at,
        blocks: ['goal'],
        settled: quote((goal as unknown as Record<string, Json>)[field] ?? null),
      },
    );
  }
}

/** Opens or settles the gate of contradictory answers of another gate. */
export function settleAnswer(draft: Draft, gate: Gate, at: {id: string; at: string; by: string}): void {
  const quotes = isContested(gate, 'answer') ? headsOf(gate, 'answer').map(head => String(head.value)) : undefined;
  const question = `"${gate.question}" was answered in different ways. Which answer holds?`;
  settle(draft, {record: gate.id, field: 'answer'}, question, quotes, {
    ...at,
    blocks: gate.blocks,
    settled: gate.answer ?? '',
  });
}

function settle(
  draft: Draft,
  about: {record: string; field: string},
  question: string,
  quotes: readonly string[] | undefined,
  at: {id: string; at: string; by: string; blocks: readonly string[]; settled: string},
): void {
  const id = derivedGateId(about.record, about.field);
  const before = draft.get<Gate>(recordPath.gate(id));
  if (quotes) {
    const answers = before?.answers ?? [];
    putGate(draft, {
      ...{id, created: at.id, kind: 'contested', status: 'open', question},
      ...{options: [...new Set(quotes)], blocks: at.blocks, answers, about, askedAt: at.at, askedBy: 'loopx'},
    });
  } else if (before?.status === 'open') {
    const answer = {id: at.id, answer: at.settled, by: at.by, at: at.at};
    putGate(draft, {...before, status: 'answered', answer: at.settled, answers: [...before.answers, answer]});
  }
}

function quote(value: Json): string {
  return typeof value === 'string' ? value : canonicalJson(value);
}
