// Events of gates and of decisions: what a person was asked, what was answered, what was decided.
import {settleAnswer} from '../contest.ts';
import type {Decision} from '../decision.ts';
import {defineEvent} from '../event.ts';
import type {Gate} from '../gate.ts';
import {derivedGateId} from '../ids.ts';
import {isContested, setFields} from '../register.ts';
import {list, matching, oneOf, optional, text} from '../shape.ts';
import {putGate, recordPath} from '../state.ts';
import {sawShape} from './goal.ts';

export const gateIdShape = matching(/^g-[0-9a-z]{8}$/, 'the id of a gate');
const decisionIdShape = matching(/^d-[0-9a-z]{8}$/, 'the id of a decision');
export const roundIdShape = matching(/^r-[0-9a-z]{8}$/, 'the id of a round');

export const gateAsked = defineEvent(
  'gate.asked',
  {
    gate: gateIdShape,
    kind: oneOf('question', 'approval', 'stalled', 'unverified'),
    question: text,
    options: list(text),
    recommend: optional(text),
    evidence: optional(text),
    blocks: list(text),
    round: optional(roundIdShape),
  },
  {
    changes: true,
    touches: event => [recordPath.gate(event.gate)],
    fold(draft, event) {
      if (draft.get(recordPath.gate(event.gate))) return;
      const {gate, kind, question, options, recommend, evidence, blocks, round} = event;
      putGate(draft, {
        ...{id: gate, created: event.id, kind, status: 'open', question, options},
        ...(recommend !== undefined && {recommend}),
        ...(evidence !== undefined && {evidence}),
        ...{blocks, answers: []},
        ...(round !== undefined && {round}),
        ...{askedAt: event.at, askedBy: event.by},
      });
    },
    subject: event => `ask ${event.gate}: ${event.question}`,
  },
);

export const gateAnswered = defineEvent(
  'gate.answered',
  {gate: gateIdShape, answer: text, reason: optional(text), saw: sawShape},
  {
    changes: true,
    touches: event => [recordPath.gate(event.gate), recordPath.gate(derivedGateId(event.gate, 'answer'))],
    fold(draft, event) {
      const gate = draft.get<Gate>(recordPath.gate(event.gate));
      if (!gate) return;
      const set = setFields(gate, event.id, {answer: event.answer}, event.saw);
      const reason = event.reason !== undefined ? {reason: event.reason} : {};
      const given = {id: event.id, answer: event.answer, ...reason, by: event.by, at: event.at};
      const status = isContested(set, 'answer') ? 'open' : 'answered';
      const next: Gate = {...set, status, answers: [...gate.answers, given]};
      putGate(draft, next);
      settleAnswer(draft, next, event);
    },
    subject: event => `answer ${event.gate}: ${event.answer}`,
  },
);

export const gateWithdrawn = defineEvent(
  'gate.withdrawn',
  {gate: gateIdShape, reason: optional(text)},
  {
    changes: true,
    touches: event => [recordPath.gate(event.gate), recordPath.gate(derivedGateId(event.gate, 'answer'))],
    fold(draft, event) {
      const gate = draft.get<Gate>(recordPath.gate(event.gate));
      if (gate?.status !== 'open') return;
      putGate(draft, {...gate, status: 'withdrawn'});
      // With the question goes the contradiction of its answers.
      const contest = draft.get<Gate>(recordPath.gate(derivedGateId(event.gate, 'answer')));
      if (contest?.status === 'open') putGate(draft, {...contest, status: 'withdrawn'});
    },
    subject: event => `withdraw ${event.gate}${event.reason ? `: ${event.reason}` : ''}`,
  },
);

export const decisionMade = defineEvent(
  'decision.made',
  {
    decision: decisionIdShape,
    text,
    why: optional(text),
    replaces: optional(list(decisionIdShape)),
    round: optional(roundIdShape),
  },
  {
    changes: true,
    touches: event => [event.decision, ...(event.replaces ?? [])].map(recordPath.decision),
    fold(draft, event) {
      const {decision: id, text: what, why, replaces, round} = event;
      if (draft.get(recordPath.decision(id))) return;
      const made: Decision = {
        ...{id, created: event.id, text: what},
        ...(why !== undefined && {why}),
        ...(replaces !== undefined && {replaces}),
        ...(round !== undefined && {round}),
        ...{at: event.at, by: event.by},
      };
      draft.put(recordPath.decision(id), made);
      for (const old of replaces ?? []) {
        const replaced = draft.get<Decision>(recordPath.decision(old));
        if (replaced) draft.put(recordPath.decision(old), {...replaced, replacedBy: id});
      }
    },
    subject: event => `decide ${event.decision}: ${event.text}`,
  },
);
