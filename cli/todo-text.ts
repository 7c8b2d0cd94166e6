// Todos for people: one of a list, and all that is known of one.
import {blocksWork} from '../lib/model/gate.ts';
import type {Goal, OpenGate} from '../lib/model/goal.ts';
import {isClosed, owningClaim, type Todo} from '../lib/model/todo.ts';
import {type Field, fieldLines} from './layout.ts';
import {oneLine, plural, table, when} from './print.ts';
import type {Shorten} from './short-ids.ts';

export type TodoContext = {
  readonly all: readonly Todo[];
  /** The open gates of the goal. */
  readonly gates: readonly OpenGate[];
  readonly short: Shorten;
  readonly nowMs: number;
  readonly columns: number;
};

/** Returns todos in the goal's order: the open ones as they should be worked on, then the closed ones. */
export function inOrder(goal: Goal, todos: readonly Todo[]): readonly Todo[] {
  const place = new Map(goal.open.map((item, index) => [item.id, index]));
  return [...todos].sort(
    (a, b) =>
      (place.get(a.id) ?? goal.open.length) - (place.get(b.id) ?? goal.open.length) ||
      (a.created < b.created ? -1 : a.created > b.created ? 1 : 0),
  );
}

/** Returns a list: a line a todo, and under it what keeps it from being taken. */
export function todoLines(todos: readonly Todo[], context: TodoContext): readonly string[] {
  const rows = todos.map(todo => [context.short(todo.id), mark(todo, context), `p${todo.priority}`, todo.title]);
  const lines = table(rows, context.columns).split('\n');
  return todos.flatMap((todo, index) => {
    const notes = fieldLines([['', note(todo, context)]], context.columns).map(line => `    ${line.trimStart()}`);
    return [lines[index]!, ...notes];
  });
}

/** Returns all that is known of one todo. */
export function todoDetails(todo: Todo, context: TodoContext): readonly string[] {
  const {short, nowMs, columns} = context;
  const other = (id: string) => {
    const found = context.all.find(each => each.id === id);
    return found ? `${short(id)} ${oneLine(found.title)} (${found.status})` : id;
  };
  const children = context.all.filter(({parent}) => parent === todo.id);
  const fields: readonly Field[] = [
    ['title', todo.title],
    ['status', `${todo.status}${todo.required === false ? ', optional' : ''}, priority ${todo.priority}`],
    ['claim', claimText(todo, nowMs)],
    ['phase', todo.phase],
    ['detail', todo.detail],
    ['part of', todo.parent && other(todo.parent)],
    ['parts', children.map(({id}) => other(id)).join('\n')],
    ['after', todo.dependsOn?.map(other).join('\n')],
    ['agent', todo.agent],
    ['executor', todo.executor],
    ['watches', todo.watch],
    ['checks', todo.checks?.map(check => check.run).join('\n')],
    ['verified', todo.verified && `on tree ${todo.verified.tree.slice(0, 12)}, by ${todo.verified.by}`],
    ['attempts', todo.attempts > 0 ? String(todo.attempts) : undefined],
    ['reason', todo.reason],
    ['result', todo.result],
    ['added', `${when(todo.createdAt, nowMs)} by ${todo.createdBy}`],
  ];
  return [todo.id, ...fieldLines(fields, columns)];
}

/** Returns who holds a todo and for how long, or undefined. */
export function claimText(todo: Todo, nowMs: number): string | undefined {
  const claim = isClosed(todo.status) ? undefined : owningClaim(todo.claims, nowMs);
  return claim && `claimed by ${claim.agent}, lease ends ${when(claim.until, nowMs)}`;
}

// Marks are ASCII: in many terminals of the East, other signs are two columns wide.
function mark(todo: Todo, context: TodoContext): string {
  if (todo.status === 'done') return '[x]';
  if (todo.status === 'dropped') return '[-]';
  if (todo.status === 'blocked') return '[!]';
  if (owningClaim(todo.claims, context.nowMs)) return '[>]';
  if (gateOf(todo, context)) return '[?]';
  return waitsFor(todo, context).length > 0 ? '[~]' : '[ ]';
}

function note(todo: Todo, context: TodoContext): string | undefined {
  if (todo.status === 'done') return todo.result;
  if (todo.status === 'dropped') return `dropped: ${todo.reason ?? 'no reason given'}`;
  if (todo.status === 'blocked') return `blocked: ${todo.reason ?? 'no reason given'}`;
  const claim = claimText(todo, context.nowMs);
  if (claim) return claim;
  const gate = gateOf(todo, context);
  if (gate) return `waits for an answer: loopx gate show ${gate.id}`;
  const waiting = waitsFor(todo, context);
  if (waiting.length > 0) return `waits for ${waiting.map(context.short).join(', ')}`;
  return todo.attempts > 0 ? `tried in ${plural(todo.attempts, 'round')}` : undefined;
}

function gateOf(todo: Todo, {gates}: TodoContext): OpenGate | undefined {
  return gates.find(({blocks}) => blocksWork(blocks, {todo: todo.id, agent: ''}));
}

function waitsFor(todo: Todo, {all}: TodoContext): readonly string[] {
  return (todo.dependsOn ?? []).filter(id => all.some(other => other.id === id && !isClosed(other.status)));
}
