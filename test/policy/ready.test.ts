import test from 'ava';
import type {OpenTodo} from '../../lib/model/goal.ts';
import {sortTodos} from '../../lib/policy/ready.ts';
import {claim, gate, me, noon, other, type Spoil, situation, todo} from './situation.ts';

const sort = (todos: readonly OpenTodo[], spoil: Spoil = {}, watches = {}) => {
  const {goal, agent} = situation({todos, ...spoil});
  const {ready, held} = sortTodos(goal, agent, {nowMs: noon, watches});
  return {ready: ready.map(({id}) => id), held: held.map(({todo: {id}, obstacle}) => `${id} ${obstacle.kind}`)};
};

test('todos keep the order of the goal, and the own one comes first', t => {
  t.deepEqual(sort([todo('a'), todo('b'), todo('c', claim(me, 5))]).ready, ['t-c', 't-a', 't-b']);
});

test('a lease that ran out holds nothing, and the next one in line owns the todo', t => {
  const two = {claims: [...claim(me, 0).claims, ...claim(other, 5).claims]};
  t.deepEqual(sort([todo('a', claim(other, 0)), todo('b', two)]), {ready: ['t-a'], held: ['t-b claimed']});
});

test('a todo waits for those it depends on, until they are closed', t => {
  t.deepEqual(sort([todo('a', {dependsOn: ['t-b', 't-z']}), todo('b', {dependsOn: ['t-z']})]), {
    ready: ['t-b'],
    held: ['t-a depends'],
  });
});

test('a todo waits for its parts', t => {
  t.deepEqual(sort([todo('a'), todo('b', {parent: 't-a'})]), {ready: ['t-b'], held: ['t-a children']});
});

test('a todo may be meant for one agent or for one kind of agent', t => {
  const todos = [
    todo('a', {agent: 'claude'}),
    todo('b', {agent: me}),
    todo('c', {agent: 'claude@ci'}),
    todo('d', {agent: 'clau'}),
  ];
  t.deepEqual(sort(todos), {ready: ['t-a', 't-b'], held: ['t-c agent', 't-d agent']});
});

test('a gate is named only where nothing else is in the way', t => {
  const todos = [todo('a'), todo('b', claim(other, 5)), todo('c', {status: 'blocked'}), todo('d')];
  const gates = [gate(['todo:t-a', 'todo:t-b', 'todo:t-c'])];
  t.deepEqual(sort(todos, {gates}), {ready: ['t-d'], held: ['t-a gate', 't-b claimed', 't-c gate']});
});

test('a todo that watches is ready when what it watches is not as it was', t => {
  const watching = (watch: string, watched?: string) => ({watch, ...(watched && {watched})});
  const todos = [
    todo('a', watching('x', '1')),
    todo('b', watching('y', '1')),
    todo('c', watching('y')),
    todo('d', watching('z')),
  ];
  t.deepEqual(sort(todos, {}, {x: '1', y: '2'}), {ready: ['t-b', 't-c'], held: ['t-a unchanged', 't-d unseen']});
});
