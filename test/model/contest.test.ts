import test from 'ava';
import type {Change} from '../../lib/change/change.ts';
import {answerGate, askGate, withdrawGate} from '../../lib/change/gate.ts';
import {editGoal} from '../../lib/change/goal.ts';
import {addTodo, doneTodo, editTodo} from '../../lib/change/todo.ts';
import type {Gate} from '../../lib/model/gate.ts';
import {openGates} from '../../lib/model/goal.ts';
import {derivedGateId} from '../../lib/model/ids.ts';
import {recordPath} from '../../lib/model/state.ts';
import {openTwins, type Twins} from '../support/twins.ts';

const question = 'Drop support for Node 18?';

/** Two replicas that both see one open gate. */
async function twinsWithGate(): Promise<Twins & {gate: string}> {
  const twins = await openTwins();
  const [event] = await twins.a.change(askGate({question, options: ['drop it', 'keep it']}));
  await twins.sync();
  return {...twins, gate: String(event!.gate)};
}

const contradict = async (twins: Twins, mine: Change, theirs: Change) => {
  await twins.a.change(mine);
  await twins.b.change(theirs);
  await twins.sync();
};

test('contradictory answers open a gate that quotes both and blocks what the first one blocked', async t => {
  const twins = await twinsWithGate();
  await contradict(twins, answerGate(twins.gate, 'drop it'), answerGate(twins.gate, 'keep it'));
  const view = await twins.a.view();
  const derived = await view.get<Gate>(recordPath.gate(derivedGateId(twins.gate, 'answer')));
  t.like(derived, {
    kind: 'contested',
    status: 'open',
    question: `"${question}" was answered in different ways. Which answer holds?`,
    blocks: ['goal'],
    about: {record: twins.gate, field: 'answer'},
  });
  t.deepEqual([...derived!.options].sort(), ['drop it', 'keep it']);
  t.true(openGates(view.goal).some(({id}) => id === derived!.id));
  t.is((await view.get<Gate>(recordPath.gate(twins.gate)))!.answers.length, 2, 'the log of answers keeps both');
});

test('answering the contradiction settles it', async t => {
  const twins = await twinsWithGate();
  await contradict(twins, answerGate(twins.gate, 'drop it'), answerGate(twins.gate, 'keep it'));
  const derived = derivedGateId(twins.gate, 'answer');
  await t.throwsAsync(twins.a.change(withdrawGate(derived)), {code: 'gate-closed'});
  await twins.b.change(answerGate(derived, 'keep it', 'we have users on it'));
  await twins.sync();
  const view = await twins.a.view();
  t.deepEqual(openGates(view.goal), []);
  t.like(await view.get<Gate>(recordPath.gate(twins.gate)), {status: 'answered', answer: 'keep it'});
  t.like(await view.get<Gate>(recordPath.gate(derived)), {status: 'answered', answer: 'keep it'});
});

test('answering the first gate again, having seen both answers, settles it as well', async t => {
  const twins = await twinsWithGate();
  await contradict(twins, answerGate(twins.gate, 'drop it'), answerGate(twins.gate, 'keep it'));
  await twins.a.change(answerGate(twins.gate, 'drop it'));
  t.deepEqual(openGates((await twins.a.view()).goal), []);
});

test('two who settle a contradiction in different ways have contradicted each other again', async t => {
  const twins = await twinsWithGate();
  await contradict(twins, answerGate(twins.gate, 'drop it'), answerGate(twins.gate, 'keep it'));
  const derived = derivedGateId(twins.gate, 'answer');
  await contradict(twins, answerGate(derived, 'drop it'), answerGate(derived, 'keep it'));
  t.true(openGates((await twins.a.view()).goal).some(({id}) => id === derived));
  await twins.a.change(answerGate(derived, 'drop it'));
  t.deepEqual(openGates((await twins.a.view()).goal), []);
});

test('a correction that saw the first answer replaces it and asks nobody', async t => {
  const twins = await twinsWithGate();
  await twins.a.change(answerGate(twins.gate, 'drop it'));
  await twins.sync();
  await twins.b.change(answerGate(twins.gate, 'keep it'));
  await twins.sync();
  const view = await twins.a.view();
  t.deepEqual(openGates(view.goal), []);
  t.is((await view.get<Gate>(recordPath.gate(twins.gate)))!.answer, 'keep it');
});

test('the same answer twice is no contradiction', async t => {
  const twins = await twinsWithGate();
  await contradict(twins, answerGate(twins.gate, 'keep it'), answerGate(twins.gate, '2'));
  t.deepEqual(openGates((await twins.a.view()).goal), []);
});

const contests = test.macro(
  async (t, field: string, mine: Parameters<typeof editGoal>[0], theirs: Parameters<typeof editGoal>[0]) => {
    const twins = await openTwins();
    await contradict(twins, editGoal(mine), editGoal(theirs));
    const view = await twins.a.view();
    const id = derivedGateId(view.id, field);
    t.deepEqual(
      openGates(view.goal).map(gate => gate.id),
      [id],
    );
    const {options} = (await view.get<Gate>(recordPath.gate(id)))!;
    t.is(options.length, 2);
    const chosen = options[0]!;
    await twins.a.change(answerGate(id, chosen));
    const settled = await twins.a.view();
    t.deepEqual(openGates(settled.goal), []);
    const value = (settled.goal as unknown as Record<string, unknown>)[field];
    t.is(typeof value === 'string' ? value : JSON.stringify(value), chosen);
  },
);

test('contradictory objectives become a question', contests, 'objective', {objective: 'a'}, {objective: 'b'});
test(
  'contradictory constraints become a question',
  contests,
  'constraints',
  {constraints: ['a']},
  {constraints: ['b']},
);
test('contradictory policies become a question', contests, 'policy', {policy: {compute: 0.5}}, {policy: {compute: 1}});
const checks = (name: string) => ({acceptance: [{name, run: `make ${name}`}]});
test('contradictory acceptance checks become a question', contests, 'acceptance', checks('a'), checks('b'));

test('other contradictions take the last setting and ask nobody', async t => {
  const twins = await openTwins();
  const [added] = await twins.a.change(addTodo({title: 'a'}));
  await twins.sync();
  const todo = String(added!.todo);
  await contradict(twins, editTodo(todo, {title: 'b'}), editTodo(todo, {title: 'c'}));
  await contradict(twins, editGoal({phase: 'b'}), editGoal({phase: 'c'}));
  await contradict(twins, doneTodo(todo), editTodo(todo, {priority: 0}));
  t.deepEqual(openGates((await twins.a.view()).goal), []);
});

test('changes of different fields do not contradict each other', async t => {
  const twins = await openTwins();
  await contradict(twins, editGoal({objective: 'a'}), editGoal({constraints: ['b']}));
  const {goal} = await twins.a.view();
  t.like(goal, {objective: 'a', constraints: ['b'], open: []});
});
