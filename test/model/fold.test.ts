import test from 'ava';
import type {Agent} from '../../lib/model/agent.ts';
import type {Decision} from '../../lib/model/decision.ts';
import {checkedEvent, eventKinds, foldEvent, touchedPaths} from '../../lib/model/fold.ts';
import type {Gate} from '../../lib/model/gate.ts';
import {openGates, openTodos} from '../../lib/model/goal.ts';
import {draftOf, everyPath, recordPath, type State} from '../../lib/model/state.ts';
import {owningClaim, type Todo} from '../../lib/model/todo.ts';
import {type EventBody, eventsOf, folded, goalOf, idOf} from '../support/events.ts';

const t1 = 't-aaaaaaaa';
const t2 = 't-bbbbbbbb';
const g1 = 'g-aaaaaaaa';
const r1 = 'r-aaaaaaaa';
const c1 = 'c-aaaaaaaa';
const agent = 'claude@test';
const until = '2026-01-01T13:00:00.000Z';

const add = (todo: string, rest: object = {}) => ({event: 'todo.added', todo, title: todo, priority: 2, ...rest});
const edit = (todo: string, set: object, saw: object = {}) => ({event: 'todo.edited', todo, set, saw});
const claim = (todo: string, name: string, rest: object = {}) => ({
  ...{event: 'todo.claimed', todo, claim: `k-${name.repeat(8)}`, agent: `${name}@test`, until, saw: []},
  ...rest,
});
const ask = {event: 'gate.asked', gate: g1, kind: 'question', question: 'Which one?', options: [], blocks: ['goal']};
const begin = {event: 'round.begun', round: r1, agent, n: 1, until, reserve: {rounds: 1}};
const end = {
  ...{event: 'round.finished', round: r1, agent, outcome: 'progress', summary: 's', startedAt: until, seconds: 60},
  ...{usage: {tokens: 10, microUsd: 5, modelSeconds: 0.1}, billed: true, changed: true, state: 'x'},
  ...{commits: [], checks: [], artifacts: []},
};
const save = {
  event: 'checkpoint.saved',
  checkpoint: c1,
  trigger: 'hand',
  digest: 'd',
  progress: {open: 0, done: 0, verified: 0, total: 0},
};
const todoOf = (state: State, id = t1) => state.get(recordPath.todo(id)) as Todo;
const fold = (...bodies: EventBody[]) => folded(eventsOf(...bodies));

test('a goal starts empty, active and in the format of this version', t => {
  const goal = goalOf(fold());
  t.like(goal, {format: 1, id: 'test-0000', status: 'active', clock: 1, changed: 1, open: [], live: [], rounds: []});
  t.is(goal.totals.events, 1);
});

test('todos are counted, and the open ones listed by priority, rank and creation', t => {
  const state = fold(
    add(t1),
    add(t2, {priority: 1}),
    add('t-cccccccc', {rank: -1}),
    add('t-dddddddd'),
    edit('t-dddddddd', {status: 'done'}),
    add('t-eeeeeeee'),
    edit('t-eeeeeeee', {status: 'dropped', reason: 'no need'}),
  );
  t.deepEqual(
    openTodos(goalOf(state)).map(({id}) => id),
    [t2, 't-cccccccc', t1],
  );
  t.like(goalOf(state).totals, {todos: 5, done: 1, dropped: 1, verified: 0});
});

test('a todo is verified only while it is done', t => {
  const verify = {event: 'todo.verified', todo: t1, tree: 'a'.repeat(40), checks: [{name: 'test', run: 'npm test'}]};
  t.is(todoOf(fold(add(t1), verify)).verified, undefined, 'not while it is open');
  const verified = fold(add(t1), edit(t1, {status: 'done'}), verify);
  t.like(todoOf(verified).verified, {tree: 'a'.repeat(40), by: agent});
  t.is(goalOf(verified).totals.verified, 1);
  const reopened = fold(add(t1), edit(t1, {status: 'done'}), verify, edit(t1, {status: 'open'}));
  t.is(todoOf(reopened).verified, undefined);
  t.like(goalOf(reopened).totals, {todos: 1, done: 0, verified: 0});
  const retitled = fold(add(t1), edit(t1, {status: 'done'}), verify, edit(t1, {title: 'better'}));
  t.truthy(todoOf(retitled).verified, 'another title takes no proof away');
});

test('the earliest claim whose lease runs owns the todo', t => {
  const {claims} = todoOf(fold(add(t1), claim(t1, 'a'), claim(t1, 'b', {until: '2026-01-01T15:00:00.000Z'})));
  t.is(owningClaim(claims, Date.parse('2026-01-01T12:30:00Z'))?.agent, 'a@test');
  t.is(owningClaim(claims, Date.parse('2026-01-01T14:00:00Z'))?.agent, 'b@test', 'the first has lapsed');
  t.is(owningClaim(claims, Date.parse('2026-01-01T15:00:00Z')), undefined);
  t.is(owningClaim(undefined, 0), undefined);
});

test('renewing a claim keeps its place', t => {
  const renew = {event: 'todo.renewed', todo: t1, claim: 'k-aaaaaaaa', until: '2026-01-01T16:00:00.000Z'};
  const {claims} = todoOf(fold(add(t1), claim(t1, 'a'), claim(t1, 'b'), renew));
  t.deepEqual(
    claims.map(({id}) => id),
    ['k-aaaaaaaa', 'k-bbbbbbbb'],
  );
  t.is(owningClaim(claims, Date.parse('2026-01-01T15:30:00Z'))?.agent, 'a@test');
});

test('whoever claims after a lapse takes the claims away that it saw lapse', t => {
  const {claims} = todoOf(fold(add(t1), claim(t1, 'a'), claim(t1, 'b', {saw: ['k-aaaaaaaa']})));
  t.deepEqual(
    claims.map(({id}) => id),
    ['k-bbbbbbbb'],
  );
  const state = fold(add(t1), claim(t1, 'a'), claim(t1, 'b', {saw: ['k-aaaaaaaa']}), {
    ...{event: 'todo.renewed', todo: t1, claim: 'k-aaaaaaaa', until},
  });
  t.deepEqual(
    todoOf(state).claims.map(({id}) => id),
    ['k-bbbbbbbb'],
    'renewing what is gone brings nothing back',
  );
});

test('closing a todo ends its claims, and a closed todo takes none', t => {
  t.deepEqual(todoOf(fold(add(t1), claim(t1, 'a'), edit(t1, {status: 'done'}))).claims, []);
  t.deepEqual(todoOf(fold(add(t1), edit(t1, {status: 'done'}), claim(t1, 'a'))).claims, []);
  t.deepEqual(
    todoOf(fold(add(t1), claim(t1, 'a'), {event: 'todo.released', todo: t1, claim: 'k-aaaaaaaa'})).claims,
    [],
  );
  const [item] = openTodos(goalOf(fold(add(t1), claim(t1, 'a'))));
  t.is(item?.claims?.[0]?.agent, 'a@test', 'goal.yaml tells the claim');
});

test('a gate is open until it is answered or withdrawn', t => {
  t.deepEqual(openGates(goalOf(fold(ask))), [{id: g1, status: 'open', blocks: ['goal'], title: 'Which one?'}]);
  const answered = fold(ask, {event: 'gate.answered', gate: g1, answer: 'this', reason: 'r', saw: {answer: [idOf(2)]}});
  t.deepEqual(openGates(goalOf(answered)), []);
  t.like(answered.get(recordPath.gate(g1)), {status: 'answered', answer: 'this'});
  t.deepEqual(openGates(goalOf(fold(ask, {event: 'gate.withdrawn', gate: g1}))), []);
});

test('a decision says what took its place', t => {
  const decide = {event: 'decision.made', decision: 'd-aaaaaaaa', text: 'tabs'};
  const state = fold(decide, {...decide, decision: 'd-bbbbbbbb', text: 'spaces', replaces: ['d-aaaaaaaa']});
  t.is((state.get(recordPath.decision('d-aaaaaaaa')) as Decision).replacedBy, 'd-bbbbbbbb');
});

test('a round reserves when it begins and is billed once when it ends', t => {
  const begun = goalOf(fold(begin));
  t.deepEqual(begun.live, [
    {round: r1, agent, n: 1, clock: 2, at: '2026-01-01T12:00:00.000Z', until, reserve: {rounds: 1}},
  ]);
  const state = fold(add(t1), {...begin, todo: t1}, {...end, todo: t1}, {...end, todo: t1, outcome: 'failed'});
  const goal = goalOf(state);
  t.deepEqual(goal.live, []);
  t.like(goal.totals, {ended: 1, rounds: 1, seconds: 60, tokens: 10, microUsd: 5, modelSeconds: 0.1});
  t.is(goal.rounds.length, 1);
  t.is(todoOf(state).attempts, 1);
  t.deepEqual(state.get('spend/2026-01.yaml'), {
    '2026-01-01T12 claude@test': {rounds: 1, seconds: 60, tokens: 10, microUsd: 5},
  });
  t.like(state.get(recordPath.agent(agent)), {rounds: 1, last: {round: r1, outcome: 'progress'}});
});

test('what was not billed costs no round and no time', t => {
  t.like(goalOf(fold(begin, {...end, billed: false})).totals, {ended: 1, rounds: 0, seconds: 0, tokens: 10});
});

test('rounds that changed nothing are counted until one changes something', t => {
  const idle = (n: number, rest: object = {}) => {
    const round = `r-${String(n).padStart(8, '0')}`;
    return [
      {...begin, round, n},
      {...end, round, changed: false, outcome: 'no-change', ...rest},
    ];
  };
  const agentAfter = (...bodies: EventBody[]) => fold(...bodies).get(recordPath.agent(agent)) as Agent;
  t.like(agentAfter(...idle(1), ...idle(2)).idle, {rounds: 2, state: 'x', clock: 5});
  t.is(agentAfter(...idle(1), ...idle(2, {billed: false})).idle?.rounds, 1, 'no model was called');
  t.is(agentAfter(...idle(1), ...idle(2, {outcome: 'interrupted'})).idle?.rounds, 1);
  t.is(agentAfter(...idle(1), ...idle(2, {changed: true})).idle, undefined);
});

test('the report and the lease of a running round are kept until it ends', t => {
  const [live] = goalOf(
    fold(
      begin,
      {event: 'round.reported', round: r1, outcome: 'done', summary: 'all of it'},
      {event: 'round.renewed', round: r1, until: '2026-01-01T14:00:00.000Z'},
    ),
  ).live;
  t.like(live, {until: '2026-01-01T14:00:00.000Z', report: {outcome: 'done', summary: 'all of it'}});
});

test('goal.yaml tells the last ten rounds', t => {
  const rounds = Array.from({length: 13}, (_, n) => [
    {...begin, round: `r-${String(n).padStart(8, '0')}`, n: n + 1},
    {...end, round: `r-${String(n).padStart(8, '0')}`},
  ]).flat();
  const goal = goalOf(fold(...rounds));
  t.deepEqual(goal.rounds.map(({round}) => round).slice(0, 2), ['r-00000003', 'r-00000004']);
  t.is(goal.rounds.length, 10);
  t.is(goal.totals.ended, 13);
});

test('only what changes the work counts as a change', t => {
  t.is(goalOf(fold(add(t1), begin)).changed, 2, 'a beginning is book-keeping');
  t.is(goalOf(fold(add(t1), begin, end)).changed, 4, 'an end that changed something is not');
  t.is(goalOf(fold(add(t1), begin, {...end, changed: false})).changed, 2);
  t.is(goalOf(fold(add(t1), save)).changed, 2);
});

test('a deleted checkpoint leaves nothing behind', t => {
  t.true(fold(save).has(recordPath.checkpoint(c1)));
  const state = fold(save, {event: 'checkpoint.deleted', checkpoints: [c1]});
  t.deepEqual([...state.keys()], ['goal.yaml']);
});

test('a goal is edited, amended, granted and finished', t => {
  const goal = goalOf(
    fold(
      {
        event: 'goal.edited',
        goal: 'test-0000',
        set: {phase: 'two', status: 'paused'},
        saw: {phase: [idOf(1)], status: [idOf(1)]},
      },
      {event: 'goal.amended', text: 'and more'},
      {event: 'quota.granted', rounds: 3, until},
      {event: 'goal.finished', commit: 'c'.repeat(40), tree: 'd'.repeat(40), saw: {status: [idOf(2)]}},
    ),
  );
  t.like(goal, {phase: 'two', status: 'finished', finished: {commit: 'c'.repeat(40), tree: 'd'.repeat(40)}});
  t.is(goal.amendments[0]?.text, 'and more');
  t.deepEqual(goal.grants, [{id: idOf(4), at: '2026-01-01T12:00:00.000Z', until, rounds: 3}]);
});

const orphans = [
  edit(t1, {status: 'done'}),
  claim(t1, 'a'),
  {event: 'todo.renewed', todo: t1, claim: 'k-aaaaaaaa', until},
  {event: 'todo.released', todo: t1, claim: 'k-aaaaaaaa'},
  {event: 'todo.verified', todo: t1, tree: 'a'.repeat(40), checks: []},
  {event: 'gate.answered', gate: g1, answer: 'x', saw: {}},
  {event: 'gate.withdrawn', gate: g1},
  {event: 'round.renewed', round: r1, until},
  {event: 'round.reported', round: r1, outcome: 'done', summary: 's'},
  end,
  {event: 'checkpoint.deleted', checkpoints: [c1]},
];
for (const orphan of orphans) {
  test(`${orphan.event} on a record that isn't there changes nothing but the count`, t => {
    const before = goalOf(fold());
    const state = fold(orphan);
    t.deepEqual([...state.keys()], ['goal.yaml']);
    const {totals, clock, changed: _, ...rest} = goalOf(state);
    t.like(rest, {status: before.status, open: [], live: [], rounds: []});
    t.deepEqual({totals, clock}, {totals: {...before.totals, events: 2}, clock: 2});
  });
}

test('what creates a record does nothing where it is there already', t => {
  const state = fold(add(t1), {...add(t1), title: 'another'}, ask, {...ask, question: 'Another?'});
  t.is(todoOf(state).title, t1);
  t.is((state.get(recordPath.gate(g1)) as Gate).question, 'Which one?');
  t.is(goalOf(state).totals.todos, 1);
});

test('an archived goal keeps its decisions and totals, and what comes later on its other records changes nothing', t => {
  const decided = {event: 'decision.made', decision: 'd-aaaaaaaa', text: 'x'};
  const before = [add(t1), add(t2), edit(t2, {status: 'done'}), ask, decided, {...begin, todo: t1}, save];
  const archived = {event: 'goal.archived', saw: {status: [idOf(1)]}, rounds: []};
  const late = [edit(t1, {title: 'late'}), {event: 'gate.answered', gate: g1, answer: 'x', saw: {}}];
  const state = fold(...before, archived, ...late);
  t.deepEqual([...state.keys()].sort(), ['decisions/d-aaaaaaaa.yaml', 'goal.yaml']);
  const goal = goalOf(state);
  t.like(goal, {status: 'archived', open: [], checkpoint: undefined});
  t.like(goal.totals, {todos: 2, done: 1});
  t.is(goal.live.length, 1, 'a round that the archive did not see is billed when it ends');
  t.is(goalOf(fold(...before, archived, {...end, todo: t1})).totals.rounds, 1);
  t.deepEqual(goalOf(fold(...before, {...archived, rounds: [r1]})).live, []);

  const again = fold(
    ...before,
    archived,
    {event: 'goal.edited', goal: 'test-0000', set: {status: 'active'}, saw: {}},
    add(t1),
  );
  t.is(goalOf(again).open.length, 1, 'going on is a new beginning');
});

// A merge loads only what its events touch: a record that a fold reads and doesn't name would be taken as absent.
test('every kind of event reads and writes only the records that it names', t => {
  const every = eventsOf(
    ...[add(t1), add(t2), claim(t1, 'a'), {event: 'todo.renewed', todo: t1, claim: 'k-aaaaaaaa', until}],
    ...[{event: 'todo.released', todo: t1, claim: 'k-aaaaaaaa'}, edit(t1, {status: 'done'})],
    ...[{event: 'todo.verified', todo: t1, tree: 'a'.repeat(40), checks: []}, ask],
    ...[{event: 'gate.answered', gate: g1, answer: 'x', saw: {answer: [idOf(9)]}}],
    ...[{event: 'gate.answered', gate: g1, answer: 'y', saw: {answer: [idOf(9)]}}],
    ...[
      {event: 'gate.withdrawn', gate: g1},
      {event: 'decision.made', decision: 'd-aaaaaaaa', text: 'x'},
    ],
    ...[{event: 'decision.made', decision: 'd-bbbbbbbb', text: 'y', replaces: ['d-aaaaaaaa']}],
    ...[
      {...begin, todo: t2},
      {event: 'round.renewed', round: r1, until},
    ],
    ...[
      {event: 'round.reported', round: r1, outcome: 'done', summary: 's'},
      {...end, todo: t2},
    ],
    ...[{event: 'agent.limited', agent, until, reason: 'limit'}, save],
    ...[{event: 'checkpoint.deleted', checkpoints: [c1]}],
    ...[{event: 'artifact.added', artifact: 'a-aaaaaaaa', path: 'p', kind: 'k', sha256: 'f'.repeat(64), sizeBytes: 1}],
    ...['objective', 'phase'].flatMap(field => [
      {event: 'goal.edited', goal: 'test-0000', set: {[field]: 'a'}, saw: {[field]: [idOf(1)]}},
      {event: 'goal.edited', goal: 'test-0000', set: {[field]: 'b'}, saw: {[field]: [idOf(1)]}},
    ]),
    ...[
      {event: 'goal.amended', text: 'x'},
      {event: 'quota.granted', rounds: 1},
    ],
    ...[{event: 'goal.finished', commit: 'c'.repeat(40), tree: 'd'.repeat(40), saw: {}}],
    {event: 'goal.archived', saw: {}, rounds: []},
  );
  t.deepEqual([...new Set(every.map(({event}) => event))].sort(), eventKinds.map(({kind}) => kind).sort());
  let state: State = new Map();
  for (const event of every) {
    const draft = draftOf(state);
    const named = new Set(touchedPaths(event));
    const allowed = (path: string) => t.true(named.has(path) || named.has(everyPath), `${event.event} touches ${path}`);
    foldEvent(
      {
        changes: draft.changes,
        get: path => (allowed(path) ? draft.get(path) : undefined),
        put: (path, record) => allowed(path) && draft.put(path, record),
        remove: path => allowed(path) && draft.remove(path),
        paths: () => (named.has(everyPath) ? draft.paths() : t.fail() || []),
      },
      event,
    );
    state = folded([event], state);
  }
});

test('an event is refused that this version does not know, or whose fields are not as they should be', t => {
  const [event] = eventsOf() as [ReturnType<typeof eventsOf>[number]];
  t.throws(() => checkedEvent({...event, event: 'goal.exploded'}), {code: 'state-newer'});
  const {objective: _, ...without} = event;
  const [good] = eventsOf(add(t1)).slice(1) as [typeof event];
  for (const bad of [
    {...event, colour: 'red'},
    without as typeof event,
    {...event, objective: 7},
    {...event, clock: -1},
    {...event, clock: 1.5},
    {...event, id: 'x'},
    {...event, at: 'yesterday'},
    {...event, by: 'two\nlines'},
    {...event, goal: '../x'},
    {...good, todo: '../../x'},
    {...good, title: 'a\0b'},
    {...good, title: '\ud800'},
  ]) {
    t.throws(() => checkedEvent(bad as typeof event), {code: 'state-unreadable'}, JSON.stringify(bad));
  }
});

test('a goal of a later format, and a clock out of range, are not folded', t => {
  const state = new Map([['goal.yaml', {...goalOf(fold()), format: 2}]]);
  t.throws(() => folded(eventsOf(add(t1)).slice(1), state), {code: 'state-newer'});
  t.throws(() => folded([{...eventsOf()[0]!, clock: 2 ** 48}]), {code: 'state-unreadable'});
});
