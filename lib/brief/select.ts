// Which facts a brief tells, and in what order: what is wanted first, then what was decided, then the step at hand, then
// what lies around it. The first are key facts, which are always whole; the order of the others is their priority.
import type {Gate} from '../model/gate.ts';
import type {ShortRound} from '../model/goal.ts';
import {plainLine} from '../model/plain-text.ts';
import type {BriefFacts} from './brief.ts';
import type {Piece} from './mark.ts';

/** A record, or a part of one, as pieces of text. */
export type Entry = readonly Piece[];

export type Section = {
  readonly heading: string;
  /** A sentence of ours under the heading. */
  readonly note?: string;
  /** `key` is always whole; of a `list` the first entries are kept, of a `text` its beginning. */
  readonly kind: 'key' | 'list' | 'text';
  readonly style: 'block' | 'item';
  readonly entries: readonly Entry[];
  /** Says what was left out, and how to see it. */
  readonly leftOut: (count: number) => string;
};

/** Returns a command of loopx as the agent types it. */
export type Command = (command: string) => string;

const titleMax = 120;
const summaryMax = 240;

/** Returns the sections of a brief that have something to tell. */
export function selectSections(facts: BriefFacts): readonly Section[] {
  const see: Command = command => `\`${facts.loopx} ${command}\``;
  const sections = [
    ...keySections(facts, see),
    ...todoSections(facts, see),
    ...checkpointSections(facts, see),
    openGateSection(facts, see),
    ...proofSections(facts, see),
    otherTodosSection(facts, see),
    roundsSection(facts, see),
    artifactsSection(facts, see),
  ];
  return sections.filter(({entries}) => entries.length > 0);
}

function keySections({goal, gates, decisions}: BriefFacts, see: Command): readonly Section[] {
  const answered = byCreation(gates.filter(({status}) => status === 'answered'));
  const standing = byCreation(decisions.filter(({replacedBy}) => replacedBy === undefined));
  const replaced = decisions.length - standing.length;
  const amendments = goal.amendments.map(({at, text}) => [{label: `${at.slice(0, 10)}:`, text}]);
  const key = {kind: 'key', leftOut: never} as const;
  return [
    {heading: 'Objective', style: 'block', ...key, entries: [[{text: goal.objective}]]},
    {heading: 'Constraints', style: 'item', ...key, entries: goal.constraints.map(text => [{text}])},
    {
      heading: 'Amendments',
      note: 'Added to the objective since; where they differ, a later one holds.',
      ...{style: 'item', ...key, entries: amendments},
    },
    {heading: 'What people answered', style: 'item', ...key, entries: answered.map(answerEntry)},
    {
      heading: 'Decisions',
      ...(replaced > 0 && {note: `Replaced by these, and left out: ${replaced} (${see('decision list')}).`}),
      ...{style: 'item', ...key},
      entries: standing.map(({id, text, why}) => [{label: `${id}:`, text}, ...piece('Why:', why)]),
    },
  ];
}

function answerEntry({question, answer, answers}: Gate): Entry {
  const {reason} = answers.findLast(given => given.answer === answer) ?? {};
  return [{label: 'Question:', text: question}, ...piece('Answer:', answer), ...piece('Why:', reason)];
}

function todoSections({todo}: BriefFacts, see: Command): readonly Section[] {
  if (!todo) return [];
  const {id, title, detail, checks = [], attempts, result, reason} = todo;
  const last = [...piece('Result:', result), ...piece('Reason:', reason)];
  const all = see(`todo show ${id}`);
  return [
    {
      heading: `Your todo: ${id}`,
      ...(attempts > 0 && {note: `Rounds that worked on it before: ${attempts}.`}),
      ...{kind: 'key', style: 'block', leftOut: never},
      entries: [[{text: plainLine(title, summaryMax)}]],
    },
    {
      heading: 'Its detail',
      ...{kind: 'text', style: 'block', leftOut: () => `the rest of its detail (${all})`},
      entries: detail === undefined ? [] : [[{text: detail}]],
    },
    {
      heading: 'Its checks',
      note: 'loopx runs them after the round; the todo is verified only when they pass.',
      ...{kind: 'list', style: 'item', leftOut: count => `${counted(count, 'check')} of the todo (${all})`},
      entries: checks.map(({name, run}) => [{label: `${plainLine(name, titleMax)}:`, text: run}]),
    },
    {
      heading: 'What came of it before',
      ...{kind: 'text', style: 'block', leftOut: () => `the rest of what came of it before (${all})`},
      entries: last.length > 0 ? [last] : [],
    },
  ];
}

function checkpointSections({checkpoint, todo}: BriefFacts, see: Command): readonly Section[] {
  if (!checkpoint) return [];
  const {id, at, digest, progress} = checkpoint;
  const about = checkpoint.todo === undefined || checkpoint.todo === todo?.id ? '' : `, of ${checkpoint.todo}`;
  const {done, total, verified} = progress;
  return [
    {
      heading: `Last checkpoint: ${id}${about}`,
      note: `Saved at ${at}, with ${done} of ${total} todos done and ${verified} verified.`,
      ...{kind: 'text', style: 'block', leftOut: () => `the rest of the checkpoint (${see(`checkpoint show ${id}`)})`},
      entries: [[{text: digest}]],
    },
  ];
}

function openGateSection({gates}: BriefFacts, see: Command): Section {
  return {
    heading: 'Waiting for a person',
    note: 'Do nothing that one of these blocks, and do not answer it yourself.',
    ...{kind: 'list', style: 'item', leftOut: count => `${counted(count, 'open gate')} (${see('gate list')})`},
    entries: byCreation(gates.filter(({status}) => status === 'open')).map(({id, blocks, question}) => [
      {label: `${id}, blocks ${plainLine(blocks.join(' '), titleMax)}:`, text: plainLine(question, summaryMax)},
    ]),
  };
}

function proofSections({goal}: BriefFacts, see: Command): readonly Section[] {
  const {phase, scope, acceptance} = goal;
  const all = see('goal show');
  return [
    {
      heading: 'Acceptance checks of the goal',
      ...{kind: 'list', style: 'item', leftOut: count => `${counted(count, 'acceptance check')} (${all})`},
      entries: acceptance.map(({name, run}) => [{label: `${plainLine(name, titleMax)}:`, text: run}]),
    },
    {
      heading: 'Phase and scope',
      ...{kind: 'list', style: 'item', leftOut: () => `phase and scope (${all})`},
      entries: [
        ...(phase === undefined ? [] : [piece('Phase:', plainLine(phase, titleMax))]),
        ...(scope.length === 0 ? [] : [[{label: 'Work only in:', text: scope.join(' ')}]]),
      ],
    },
  ];
}

function otherTodosSection({todos, todo}: BriefFacts, see: Command): Section {
  return {
    heading: 'Other open todos',
    ...{kind: 'list', style: 'item', leftOut: count => `${counted(count, 'open todo')} (${see('todo list')})`},
    entries: todos
      .filter(({id}) => id !== todo?.id)
      .map(({id, priority, status, title}) => [
        {label: `${id} P${priority}${status === 'blocked' ? ' blocked' : ''}:`, text: plainLine(title, titleMax)},
      ]),
  };
}

function roundsSection({rounds}: BriefFacts, see: Command): Section {
  return {
    heading: 'Last rounds, newest first',
    ...{kind: 'list', style: 'item', leftOut: count => `${counted(count, 'round')} (${see('log --rounds')})`},
    entries: rounds.toReversed().map(roundEntry),
  };
}

function roundEntry({round, agent, todo, outcome, summary}: ShortRound): Entry {
  const on = todo === undefined ? '' : ` on ${todo}`;
  return [{label: `${round} ${agent}${on}, ${outcome}:`, text: plainLine(summary, summaryMax)}];
}

function artifactsSection({artifacts}: BriefFacts, see: Command): Section {
  return {
    heading: 'Artifacts, newest first',
    ...{kind: 'list', style: 'item', leftOut: count => `${counted(count, 'artifact')} (${see('evidence show')})`},
    entries: byCreation(artifacts)
      .toReversed()
      .map(({id, kind, path}) => [{label: `${id} ${plainLine(kind, titleMax)}:`, text: plainLine(path, summaryMax)}]),
  };
}

function piece(label: string, text: string | undefined): readonly Piece[] {
  return text === undefined ? [] : [{label, text}];
}

// Ids of events grow with time, so the ids that made the records tell their order.
function byCreation<T extends {readonly created: string; readonly id: string}>(records: readonly T[]): readonly T[] {
  return records.toSorted((a, b) => compare(a.created, b.created) || compare(a.id, b.id));
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}

function never(): string {
  return '';
}
