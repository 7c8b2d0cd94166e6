// The state of a goal is nothing but the fold of its events: the goal's own record and one record a file. A draft is
// the state while events are folded onto it; records are never changed, only replaced, so states share them.
import type {Gate} from './gate.ts';
import {type Goal, isOpenGate, type OpenItem, type Totals} from './goal.ts';
import type {Todo} from './todo.ts';
import {isClosed} from './todo.ts';

/** The path of the goal's own record. */
export const goalPath = 'goal.yaml';

export const recordPath = {
  todo: (id: string) => `todos/${id}.yaml`,
  gate: (id: string) => `gates/${id}.yaml`,
  decision: (id: string) => `decisions/${id}.yaml`,
  checkpoint: (id: string) => `checkpoints/${id}.yaml`,
  artifact: (id: string) => `artifacts/${id}.yaml`,
  agent: (name: string) => `agents/${name}.yaml`,
  /** @param at - An ISO time; spend lies in one file a month. */
  spend: (at: string) => `spend/${at.slice(0, 7)}.yaml`,
} as const;

/** In the place of paths: all records that there are. */
export const everyPath = '';

/** Says whether an archived goal keeps the record at this path. */
export const staysArchived = (path: string) => path === goalPath || /^(decisions|lessons)\//.test(path);

export type StateRecord = object;

/** Records by path, `goal.yaml` among them. */
export type State = ReadonlyMap<string, StateRecord>;

export type Draft = {
  readonly get: <T extends StateRecord>(path: string) => T | undefined;
  readonly put: (path: string, record: StateRecord) => void;
  readonly remove: (path: string) => void;
  /** Returns the paths of all records that there are now, in no order that counts. */
  readonly paths: () => readonly string[];
  /** What has changed so far; a removed record is undefined. */
  readonly changes: ReadonlyMap<string, StateRecord | undefined>;
};

/** Returns a draft over a state, or over whatever part of it the events touch. */
export function draftOf(base: Pick<State, 'get' | 'has' | 'keys'>): Draft {
  const changes = new Map<string, StateRecord | undefined>();
  return {
    get: <T extends StateRecord>(path: string) =>
      (changes.has(path) ? changes.get(path) : base.get(path)) as T | undefined,
    put: (path, record) => void changes.set(path, record),
    remove: path => void (base.has(path) ? changes.set(path, undefined) : changes.delete(path)),
    paths: () => {
      const there = new Set(base.keys());
      for (const [path, record] of changes) record === undefined ? there.delete(path) : there.add(path);
      return [...there];
    },
    changes,
  };
}

/** Returns the state with the draft's changes applied; with none, the same map. */
export function stateAfter(base: State, draft: Draft): State {
  if (draft.changes.size === 0) return base;
  const next = new Map(base);
  for (const [path, record] of draft.changes) {
    if (record === undefined) next.delete(path);
    else next.set(path, record);
  }

  return next;
}

/** Changes the goal's own record; a goal that isn't there stays away. */
export function changeGoal(draft: Draft, change: (goal: Goal) => Goal): void {
  const goal = draft.get<Goal>(goalPath);
  if (goal) draft.put(goalPath, change(goal));
}

/** Puts a todo, and brings the goal's list of open items and its counts up to date. */
export function putTodo(draft: Draft, todo: Todo): void {
  const before = draft.get<Todo>(recordPath.todo(todo.id));
  draft.put(recordPath.todo(todo.id), todo);
  changeGoal(draft, goal => ({
    ...goal,
    totals: countTodo(countTodo(goal.totals, before, -1), todo, 1),
    open: replaceOpen(goal.open, todo.id, isClosed(todo.status) ? undefined : openTodo(todo)),
  }));
}

/** Puts a gate, and brings the goal's list of open items up to date. */
export function putGate(draft: Draft, gate: Gate): void {
  draft.put(recordPath.gate(gate.id), gate);
  const open = {id: gate.id, status: 'open' as const, blocks: gate.blocks, title: gate.question};
  changeGoal(draft, goal => ({
    ...goal,
    open: replaceOpen(goal.open, gate.id, gate.status === 'open' ? open : undefined),
  }));
}

function openTodo(todo: Todo): OpenItem {
  const {id, status, priority, rank, clock, parent, dependsOn, agent, watch, watched, claims, title} = todo;
  return {
    id,
    status,
    priority,
    ...(rank !== undefined && {rank}),
    clock,
    ...(parent !== undefined && {parent}),
    ...(dependsOn !== undefined && dependsOn.length > 0 && {dependsOn}),
    ...(agent !== undefined && {agent}),
    ...(watch !== undefined && {watch}),
    ...(watched !== undefined && {watched}),
    ...(claims.length > 0 && {claims}),
    title,
  };
}

function countTodo(totals: Totals, todo: Todo | undefined, by: 1 | -1): Totals {
  if (!todo) return totals;
  return {
    ...totals,
    todos: totals.todos + by,
    done: totals.done + (todo.status === 'done' ? by : 0),
    verified: totals.verified + (todo.status === 'done' && todo.verified ? by : 0),
    dropped: totals.dropped + (todo.status === 'dropped' ? by : 0),
  };
}

// Gates come first, then todos by priority, rank and creation; gates stay in the order in which they were opened.
function replaceOpen(open: readonly OpenItem[], id: string, item: OpenItem | undefined): readonly OpenItem[] {
  const at = open.findIndex(other => other.id === id);
  if (at < 0 && !item) return open;
  const next = [...open];
  if (at < 0) next.push(item!);
  else next.splice(at, 1, ...(item ? [item] : []));
  return next.sort((a, b) => compareWeights(weight(a), weight(b)));
}

function weight(item: OpenItem): readonly number[] {
  return isOpenGate(item) ? [-1] : [item.priority, item.rank ?? 0, item.clock];
}

function compareWeights(a: readonly number[], b: readonly number[]): number {
  const differs = a.findIndex((value, index) => value !== (b[index] ?? 0));
  return differs < 0 ? 0 : a[differs]! - (b[differs] ?? 0);
}
