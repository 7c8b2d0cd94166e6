// What commands write about todos.
import {Failure} from '../failure.ts';
import type {CheckCommand} from '../model/checks.ts';
import {recordId} from '../model/ids.ts';
import {sawOf} from '../model/register.ts';
import {recordPath} from '../model/state.ts';
import {isClosed, owningClaim, priorityDefault, type Todo} from '../model/todo.ts';
import type {GoalView} from '../store/view.ts';
import {type Change, creation, given, refuseClosed} from './change.ts';

export type TodoInput = {
  readonly title: string;
  readonly priority?: number;
  readonly rank?: number;
  readonly detail?: string;
  readonly phase?: string;
  /** Ids or unique prefixes. */
  readonly parent?: string;
  readonly dependsOn?: readonly string[];
  readonly agent?: string;
  readonly executor?: string;
  readonly checks?: readonly CheckCommand[];
  readonly required?: boolean;
  readonly watch?: string;
};

export type TodoEdit = Partial<Record<'phase' | 'detail' | 'agent' | 'executor', string | null>> & {
  readonly title?: string;
  readonly priority?: number;
  readonly rank?: number;
  readonly checks?: readonly CheckCommand[] | null;
  readonly parent?: string | null;
  readonly dependsOn?: readonly string[] | null;
  readonly required?: boolean;
  readonly watched?: string;
};

/** Adds a todo; what it depends on has to be there. */
export function addTodo(input: TodoInput): Change {
  const {title, priority = priorityDefault} = input;
  checkTitle(title);
  checkPriority(priority);
  return async (view, draw) => {
    refuseClosed(view);
    const links = await resolveLinks(view, input);
    return [creation(draw, 'todo.added', 't', todo => given({todo, ...input, priority, ...links}))];
  };
}

/** Sets fields of a todo; null takes an optional one away. */
export function editTodo(prefix: string, edit: TodoEdit): Change {
  if (edit.title !== undefined) checkTitle(edit.title);
  if (edit.priority !== undefined) checkPriority(edit.priority);
  return async (view, draw) => {
    const todo = await view.find<Todo>('t', prefix);
    const set = given({...edit, ...(await resolveLinks(view, edit, todo.id))});
    if (Object.keys(set).length === 0) throw new Failure('usage', 'Nothing to change was named.');
    return [draw.event('todo.edited', {todo: todo.id, set, saw: sawOf(todo, Object.keys(set))})];
  };
}

/** Calls a todo done, with what came of it. It is verified only once loopx ran its checks. */
export function doneTodo(prefix: string, result?: string): Change {
  return close(prefix, 'done', {status: 'done', ...(result !== undefined && {result})});
}

/** Drops a todo: it will not be done. */
export function dropTodo(prefix: string, reason: string): Change {
  return close(prefix, 'dropped', {status: 'dropped', reason});
}

/** Marks a todo as blocked by something outside loopx, with the reason. */
export function blockTodo(prefix: string, reason: string): Change {
  return async (view, draw) => {
    const todo = await view.find<Todo>('t', prefix);
    if (isClosed(todo.status)) throw closed(todo);
    const set = {status: 'blocked', reason};
    const claims = todo.claims.map(claim => draw.event('todo.released', {todo: todo.id, claim: claim.id}));
    return [draw.event('todo.edited', {todo: todo.id, set, saw: sawOf(todo, Object.keys(set))}), ...claims];
  };
}

/** Opens a todo again that was blocked, done or dropped. */
export function retryTodo(prefix: string): Change {
  return async (view, draw) => {
    const todo = await view.find<Todo>('t', prefix);
    if (todo.status === 'open') return [];
    const set = {status: 'open', reason: null, result: null};
    return [draw.event('todo.edited', {todo: todo.id, set, saw: sawOf(todo, Object.keys(set))})];
  };
}

/**
 * Takes a todo for an agent, or renews the agent's claim.
 *
 * @param lease.ms - How long the claim holds, from now.
 * @throws {Failure} `todo-claimed` while another agent's lease is running, `todo-closed` when there is nothing to do.
 */
export function claimTodo(prefix: string, lease: {readonly agent: string; readonly ms: number}): Change {
  return async (view, draw) => {
    refuseClosed(view);
    const todo = await view.find<Todo>('t', prefix);
    if (isClosed(todo.status)) throw closed(todo);
    const held = owningClaim(todo.claims, draw.now);
    const until = new Date(draw.now + lease.ms).toISOString();
    if (held && held.agent !== lease.agent) {
      throw new Failure('todo-claimed', `Todo ${todo.id} is claimed by ${held.agent} until ${held.until}.`, {
        hint: 'Take another one, or wait for the lease to end: `loopx todo list`.',
      });
    }

    if (held) return [draw.event('todo.renewed', {todo: todo.id, claim: held.id, until})];
    // Whoever claims next names the claims that have lapsed.
    const saw = todo.claims.map(claim => claim.id);
    const id = draw.id();
    return [draw.event('todo.claimed', {todo: todo.id, claim: recordId('k', id), agent: lease.agent, until, saw}, id)];
  };
}

/** Gives a todo back: the agent's own claims, or with `force` everybody's. */
export function releaseTodo(prefix: string, agent: string | 'everybody'): Change {
  return async (view, draw) => {
    const todo = await view.find<Todo>('t', prefix);
    const mine = todo.claims.filter(claim => agent === 'everybody' || claim.agent === agent);
    const other = todo.claims[0];
    if (mine.length === 0 && other) {
      throw new Failure('todo-claimed', `Todo ${todo.id} is claimed by ${other.agent}, not by ${agent}.`, {
        hint: 'A person can release it with `loopx todo release --force`.',
      });
    }

    return mine.map(claim => draw.event('todo.released', {todo: todo.id, claim: claim.id}));
  };
}

/** Records that loopx itself ran the todo's checks on a tree, and that they passed. */
export function verifyTodo(
  id: string,
  proof: {readonly tree: string; readonly checks: readonly CheckCommand[]},
): Change {
  // Also right after `doneTodo` in the same commit; the fold takes it as nothing unless the todo is done.
  return (_, draw) => [draw.event('todo.verified', {todo: id, ...proof})];
}

function close(prefix: string, status: 'done' | 'dropped', set: Record<string, string>): Change {
  return async (view, draw) => {
    const todo = await view.find<Todo>('t', prefix);
    if (todo.status === status) return [];
    return [draw.event('todo.edited', {todo: todo.id, set, saw: sawOf(todo, Object.keys(set))})];
  };
}

function closed(todo: Todo): Failure {
  return new Failure('todo-closed', `Todo ${todo.id} is ${todo.status}.`, {
    hint: `Open it again with \`loopx todo retry ${todo.id}\` if that is wrong.`,
  });
}

async function resolveLinks(
  view: GoalView,
  links: {readonly parent?: string | null; readonly dependsOn?: readonly string[] | null},
  self?: string,
): Promise<{parent?: string | null; dependsOn?: readonly string[] | null}> {
  const parent = links.parent ? await view.resolve('t', links.parent) : links.parent;
  const dependsOn = links.dependsOn
    ? [...new Set(await Promise.all(links.dependsOn.map(prefix => view.resolve('t', prefix))))]
    : links.dependsOn;
  if (self)
    for (const link of [...(parent ? [parent] : []), ...(dependsOn ?? [])]) await refuseCircle(view, self, link);
  return given({parent, dependsOn});
}

// Work that waits for itself would never begin.
async function refuseCircle(view: GoalView, self: string, link: string): Promise<void> {
  const seen = new Set<string>();
  for (const queue = [link]; queue.length > 0; ) {
    const id = queue.pop()!;
    if (id === self)
      throw new Failure('usage', `Todo ${self} would wait for itself.`, {hint: 'Leave out one of the links.'});
    if (seen.has(id)) continue;
    seen.add(id);
    const todo = await view.get<Todo>(recordPath.todo(id));
    queue.push(...(todo?.dependsOn ?? []), ...(todo?.parent ? [todo.parent] : []));
  }
}

function checkTitle(title: string): void {
  if (title.trim() === '') throw new Failure('usage', 'A todo needs a title.');
}

function checkPriority(priority: number): void {
  if (Number.isInteger(priority) && priority >= 0 && priority <= 4) return;
  throw new Failure('usage', `Priority ${priority} is not one of 0 (at once) to 4 (some day).`);
}
