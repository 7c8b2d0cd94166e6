// Events of todos: added, edited (also done, blocked, dropped), claimed, and verified by checks that loopx ran.
import {checkCommands, treeId} from '../checks.ts';
import {defineEvent} from '../event.ts';
import type {Json} from '../json.ts';
import {setFields} from '../register.ts';
import {count, flag, list, matching, nullable, number, object, oneOf, optional, text} from '../shape.ts';
import {type Draft, putTodo, recordPath} from '../state.ts';
import {isClosed, type Todo} from '../todo.ts';
import {sawShape} from './goal.ts';

export const todoIdShape = matching(/^t-[0-9a-z]{8}$/, 'the id of a todo');
const claimIdShape = matching(/^k-[0-9a-z]{8}$/, 'the id of a claim');
const agentShape = matching(/^[a-z0-9_-][a-z0-9._-]*@[a-z0-9._-]+$/, 'an agent');

const todoFields = {
  title: optional(text),
  status: optional(oneOf('open', 'blocked', 'done', 'dropped')),
  priority: optional(count),
  rank: optional(nullable(number)),
  detail: optional(nullable(text)),
  phase: optional(nullable(text)),
  parent: optional(nullable(todoIdShape)),
  dependsOn: optional(nullable(list(todoIdShape))),
  agent: optional(nullable(text)),
  executor: optional(nullable(text)),
  checks: optional(nullable(checkCommands)),
  required: optional(nullable(flag)),
  reason: optional(nullable(text)),
  result: optional(nullable(text)),
  watch: optional(nullable(text)),
  watched: optional(nullable(text)),
};

const path = (id: string) => [recordPath.todo(id)];

export const todoAdded = defineEvent(
  'todo.added',
  {
    todo: todoIdShape,
    title: text,
    priority: count,
    rank: optional(number),
    detail: optional(text),
    phase: optional(text),
    parent: optional(todoIdShape),
    dependsOn: optional(list(todoIdShape)),
    agent: optional(text),
    executor: optional(text),
    checks: optional(checkCommands),
    required: optional(flag),
    watch: optional(text),
  },
  {
    changes: true,
    touches: event => path(event.todo),
    fold(draft, event) {
      if (draft.get(recordPath.todo(event.todo))) return;
      const {event: _, id, clock, at, by, todo, title, priority, ...rest} = event;
      const made = {id: todo, created: id, title, status: 'open' as const, priority, ...rest};
      putTodo(draft, {...made, attempts: 0, claims: [], createdAt: at, createdBy: by, clock});
    },
    subject: event => `add ${event.todo}: ${event.title}`,
  },
);

export const todoEdited = defineEvent(
  'todo.edited',
  {todo: todoIdShape, set: object(todoFields), saw: sawShape},
  {
    changes: true,
    touches: event => path(event.todo),
    fold(draft, event) {
      change(draft, event.todo, todo => {
        const {verified, ...next} = setFields(todo, event.id, event.set as Record<string, Json>, event.saw);
        const {status} = event.set;
        if (status === undefined) return {...next, ...(verified && {verified})};
        // Whoever closes a todo ends the claims on it; whoever reopens it takes back what proved it.
        return isClosed(status) ? {...next, claims: [], ...(verified && {verified})} : next;
      });
    },
    subject: event => `${event.set.status ? statusVerb[event.set.status] : 'edit'} ${event.todo}${told(event.set)}`,
  },
);

const statusVerb = {open: 'reopen', blocked: 'block', done: 'done', dropped: 'drop'};
const told = (set: {result?: string | null; reason?: string | null; status?: string}) =>
  set.result || set.reason ? `: ${set.result ?? set.reason}` : set.status ? '' : `: ${Object.keys(set).join(', ')}`;

export const todoClaimed = defineEvent(
  'todo.claimed',
  {todo: todoIdShape, claim: claimIdShape, agent: agentShape, until: text, saw: list(claimIdShape)},
  {
    changes: false,
    touches: event => path(event.todo),
    fold(draft, event) {
      change(draft, event.todo, todo => {
        if (isClosed(todo.status) || todo.claims.some(claim => claim.id === event.claim)) return todo;
        const kept = todo.claims.filter(claim => !event.saw.includes(claim.id));
        return {...todo, claims: [...kept, {id: event.claim, agent: event.agent, until: event.until}]};
      });
    },
    subject: event => `claim ${event.todo} for ${event.agent}`,
  },
);

export const todoRenewed = defineEvent(
  'todo.renewed',
  {todo: todoIdShape, claim: claimIdShape, until: text},
  {
    changes: false,
    touches: event => path(event.todo),
    fold(draft, event) {
      change(draft, event.todo, todo => ({
        ...todo,
        claims: todo.claims.map(claim => (claim.id === event.claim ? {...claim, until: event.until} : claim)),
      }));
    },
    subject: event => `renew the claim on ${event.todo}`,
  },
);

export const todoReleased = defineEvent(
  'todo.released',
  {todo: todoIdShape, claim: claimIdShape},
  {
    changes: false,
    touches: event => path(event.todo),
    fold(draft, event) {
      change(draft, event.todo, todo => ({...todo, claims: todo.claims.filter(claim => claim.id !== event.claim)}));
    },
    subject: event => `release ${event.todo}`,
  },
);

export const todoVerified = defineEvent(
  'todo.verified',
  {todo: todoIdShape, tree: treeId, checks: checkCommands},
  {
    changes: true,
    touches: event => path(event.todo),
    fold(draft, event) {
      const verified = {tree: event.tree, checks: event.checks, by: event.by, at: event.at};
      change(draft, event.todo, todo => (todo.status === 'done' ? {...todo, verified} : todo));
    },
    subject: event => `verify ${event.todo}: ${event.checks.map(check => check.name).join(', ')}`,
  },
);

// No command writes an event on a todo that it doesn't see; one that arrives all the same changes nothing.
function change(draft: Draft, id: string, edit: (todo: Todo) => Todo): void {
  const todo = draft.get<Todo>(recordPath.todo(id));
  if (!todo) return;
  const next = edit(todo);
  if (next !== todo) putTodo(draft, next);
}
