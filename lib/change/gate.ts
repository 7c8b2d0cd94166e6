// What commands write about gates and decisions.
import {Failure} from '../failure.ts';
import {checkQuestion, type Gate, type GateKind} from '../model/gate.ts';
import {openGates} from '../model/goal.ts';
import {canonicalJson} from '../model/json.ts';
import {headsOf, sawOf} from '../model/register.ts';
import {recordPath} from '../model/state.ts';
import type {GoalView} from '../store/view.ts';
import {type Change, creation, given, refuseClosed, together} from './change.ts';
import {setGoalStatus} from './goal.ts';
import {dropTodo} from './todo.ts';

export type GateInput = {
  readonly question: string;
  readonly kind?: Exclude<GateKind, 'contested'>;
  readonly options?: readonly string[];
  readonly recommend?: string;
  readonly evidence?: string;
  /** `goal`, `todo:<id or prefix>`, `agent:<name>`, `action:<word>`; none given means the goal. */
  readonly blocks?: readonly string[];
  readonly round?: string;
};

/**
 * Opens a gate. Asking what is being asked already writes nothing.
 *
 * @throws {Failure} `gate-vague` for a question that nobody could answer.
 */
export function askGate(input: GateInput): Change {
  const {question, kind = 'question', options = [], recommend, evidence, round} = input;
  checkQuestion(question, options, recommend);
  return async (view, draw) => {
    refuseClosed(view);
    const blocks = await Promise.all(
      (input.blocks?.length ? input.blocks : ['goal']).map(block => checkBlock(view, block)),
    );
    const same = openGates(view.goal).filter(gate => gate.title === question);
    // What waits for another todo's question does not wait for this one's.
    if (blocks.every(block => same.some(gate => gate.blocks.includes('goal') || gate.blocks.includes(block))))
      return [];
    const data = {kind, question, options, recommend, evidence, blocks, round};
    return [creation(draw, 'gate.asked', 'g', gate => given({gate, ...data}))];
  };
}

/**
 * Answers a gate, or corrects its answer. The answer to a contradiction sets the field that it is about.
 *
 * @throws {Failure} `gate-closed` when it was withdrawn; `usage` when the answer is none of the options.
 */
export function answerGate(prefix: string, answer: string, reason?: string): Change {
  return async (view, draw) => {
    const gate = await view.find<Gate>('g', prefix);
    if (gate.status === 'withdrawn') {
      throw new Failure('gate-closed', `Gate ${gate.id} was withdrawn.`, {
        hint: 'There is nothing to answer any more.',
      });
    }

    const chosen = chooseOption(gate, answer);
    if (gate.about) return settleContest(view, draw, gate, chosen, reason);
    const data = {gate: gate.id, answer: chosen, reason, saw: sawOf(gate, ['answer'])};
    return together(
      () => [draw.event('gate.answered', given(data))],
      ...(gate.status === 'open' ? consequences(gate, chosen) : []),
    )(view, draw);
  };
}

// What loopx itself asked about a standstill it also does; any other answer is for the agent to read.
function consequences(gate: Gate, chosen: string): readonly Change[] {
  if (gate.kind !== 'stalled') return [];
  if (chosen === 'pause the goal') return [setGoalStatus('paused', `Answer to ${gate.id}`)];
  if (chosen !== 'drop this todo') return [];
  const todos = gate.blocks.flatMap(block => (block.startsWith('todo:') ? [block.slice('todo:'.length)] : []));
  return todos.map(todo => dropTodo(todo, `Answer to ${gate.id}`));
}

/** Takes a question back that no longer needs an answer. */
export function withdrawGate(prefix: string, reason?: string): Change {
  return async (view, draw) => {
    const gate = await view.find<Gate>('g', prefix);
    if (gate.kind === 'contested') {
      throw new Failure('gate-closed', `Gate ${gate.id} is a contradiction: it needs an answer.`, {
        hint: `Say which one holds: loopx gate answer ${gate.id} …`,
      });
    }

    if (gate.status !== 'open') return [];
    return [draw.event('gate.withdrawn', given({gate: gate.id, reason}))];
  };
}

export type DecisionInput = {
  readonly text: string;
  readonly why?: string;
  readonly replaces?: readonly string[];
  readonly round?: string;
};

/** Records a decision; what it replaces has to be there. */
export function addDecision(input: DecisionInput): Change {
  if (input.text.trim() === '') throw new Failure('usage', 'A decision needs a text.');
  return async (view, draw) => {
    const replaces = await Promise.all((input.replaces ?? []).map(prefix => view.resolve('d', prefix)));
    const rest = replaces.length > 0 ? {replaces} : {replaces: undefined};
    return [creation(draw, 'decision.made', 'd', decision => given({decision, ...input, ...rest}))];
  };
}

// An option may be given by its words, by its number from 1, or by a beginning that only one of them has.
function chooseOption(gate: Gate, answer: string): string {
  const wanted = answer.trim();
  if (wanted === '') throw new Failure('usage', 'An answer needs a text.');
  if (gate.options.length === 0 || gate.options.includes(wanted)) return wanted;
  if (/^\d+$/.test(wanted) && gate.options[Number(wanted) - 1] !== undefined) return gate.options[Number(wanted) - 1]!;
  const alike = gate.options.filter(option => option.toLowerCase().startsWith(wanted.toLowerCase()));
  if (alike.length === 1) return alike[0]!;
  const options = gate.options.map((option, index) => `${index + 1} ${option}`).join(' | ');
  throw new Failure('usage', `"${wanted}" is none of the options of ${gate.id}.`, {
    hint: `Answer with one of: ${options}`,
  });
}

async function settleContest(
  view: GoalView,
  draw: Parameters<Change>[1],
  gate: Gate,
  chosen: string,
  reason: string | undefined,
) {
  const {record, field} = gate.about!;
  if (field === 'answer') {
    const asked = await view.get<Gate>(recordPath.gate(record));
    if (!asked) return [];
    return [draw.event('gate.answered', given({gate: record, answer: chosen, reason, saw: sawOf(asked, ['answer'])}))];
  }

  const head = headsOf(view.goal, field).find(
    ({value}) => (typeof value === 'string' ? value : canonicalJson(value)) === chosen,
  );
  if (!head)
    throw new Failure('usage', `"${chosen}" is none of the values of ${field}.`, {hint: 'Give one of the options.'});
  return [
    draw.event(
      'goal.edited',
      given({goal: view.id, set: {[field]: head.value}, saw: sawOf(view.goal, [field]), reason}),
    ),
  ];
}

async function checkBlock(view: GoalView, block: string): Promise<string> {
  if (block === 'goal') return block;
  const [kind, name = ''] = block.split(/:(.*)/s);
  if (kind === 'todo') return `todo:${await view.resolve('t', name)}`;
  if ((kind === 'agent' || kind === 'action') && /^[a-z0-9@._-]+$/.test(name)) return block;
  throw new Failure('usage', `A gate can't block "${block}".`, {hint: 'Use goal, todo:ID, agent:NAME or action:WORD.'});
}
