import test from 'ava';
import {addTodo, claimTodo, doneTodo, releaseTodo} from '../../lib/change/todo.ts';
import {openTodos} from '../../lib/model/goal.ts';
import {owningClaim} from '../../lib/model/todo.ts';
import {openTwins} from '../support/twins.ts';

const minute = 60_000;
const [anna, ben] = ['claude@a', 'claude@b'];

/** Two replicas that both see one open todo. */
async function twinsWithTodo() {
  const twins = await openTwins();
  const [event] = await twins.a.change(addTodo({title: 'port it'}));
  await twins.sync();
  const owner = async (twin: typeof twins.a) => {
    const [todo] = openTodos((await twin.view()).goal);
    return owningClaim(todo?.claims, twin.world.now())?.agent;
  };
  return {...twins, todo: String(event!.todo), owner};
}

test('of two who claimed without seeing each other one owns the todo, the same one everywhere', async t => {
  const {a, b, sync, todo, owner} = await twinsWithTodo();
  const [first] = await a.change(claimTodo(todo, {agent: anna, ms: 30 * minute}));
  const [second] = await b.change(claimTodo(todo, {agent: ben, ms: 30 * minute}));
  await sync();
  const winner = first!.id < second!.id ? anna : ben;
  t.deepEqual([await owner(a), await owner(b)], [winner, winner]);
  const loser = winner === anna ? ben : anna;
  await t.throwsAsync(a.change(claimTodo(todo, {agent: loser, ms: minute})), {code: 'todo-claimed'});
  await a.change(claimTodo(todo, {agent: winner, ms: 60 * minute}));
  await sync();
  t.is(await owner(b), winner, 'renewing keeps the place');
});

test('a todo whose owner died is free once the lease has run out, and the late owner learns of it', async t => {
  const {a, b, sync, todo, owner} = await twinsWithTodo();
  await a.change(claimTodo(todo, {agent: anna, ms: 30 * minute}));
  await sync();
  await t.throwsAsync(b.change(claimTodo(todo, {agent: ben, ms: minute})), {code: 'todo-claimed'});
  b.world.advance(31 * minute);
  const [claimed] = await b.change(claimTodo(todo, {agent: ben, ms: 30 * minute}));
  t.is((claimed!.saw as string[]).length, 1, 'the claim names the one that has lapsed');
  await sync();
  t.is(await owner(a), ben, 'also for the first, whose clock is behind');
  await t.throwsAsync(a.change(claimTodo(todo, {agent: anna, ms: minute})), {code: 'todo-claimed'});
});

test('a renewal that the other did not see keeps the todo', async t => {
  const {a, b, sync, todo, owner} = await twinsWithTodo();
  await a.change(claimTodo(todo, {agent: anna, ms: 30 * minute}));
  await sync();
  await a.change(claimTodo(todo, {agent: anna, ms: 300 * minute}));
  b.world.advance(31 * minute);
  await b.change(claimTodo(todo, {agent: ben, ms: 30 * minute}));
  await sync();
  t.is(await owner(b), ben, 'whoever took over named the claim as lapsed, and that ends it');
});

test('giving back and closing free a todo', async t => {
  const {a, b, sync, todo, owner} = await twinsWithTodo();
  await a.change(claimTodo(todo, {agent: anna, ms: 30 * minute}));
  await sync();
  await t.throwsAsync(b.change(releaseTodo(todo, ben)), {code: 'todo-claimed'});
  await a.change(releaseTodo(todo, anna));
  await sync();
  t.is(await owner(b), undefined);
  await b.change(doneTodo(todo));
  await sync();
  await t.throwsAsync(a.change(claimTodo(todo, {agent: anna, ms: minute})), {code: 'todo-closed'});
});
