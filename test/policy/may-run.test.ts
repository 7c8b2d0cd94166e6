import test from 'ava';
import fc from 'fast-check';
import {noTotals, openGates} from '../../lib/model/goal.ts';
import {decisionTable, mayRun, preflightVerdict} from '../../lib/policy/may-run.ts';
import {backOffMs} from '../../lib/policy/stall.ts';
import type {Situation, Verdict} from '../../lib/policy/verdict.ts';
import {claim, gate, live, me, minute, other, round, type Spoil, situation, todo} from './situation.ts';

type Expected = {todo?: string; gate?: string; fallback?: boolean; next?: string | null};

const decides = test.macro((t, spoil: Spoil, decision: Verdict['decision'], reason: string, more: Expected = {}) => {
  const verdict = mayRun(situation(spoil));
  t.like(verdict, {decision, reason, shouldRun: decision === 'run', billed: false});
  t.is(verdict.todo?.id, more.todo);
  t.is(verdict.gate?.id, more.gate);
  t.is(verdict.fallback, more.fallback ?? false);
  if (more.next !== undefined) t.is(verdict.nextCheckAt, more.next);
  t.regex(verdict.message, /^\S.{15,}[.?"]$/);
});

const idle = (rounds: number, minutes: number, more = {}) => ({
  idle: {rounds, at: minute(minutes), clock: 40, state: 'c1', ...more},
});
const last = (minutes: number, seconds = 60, outcome = 'progress') => ({
  last: {round: 'r-1', at: minute(minutes), seconds, outcome},
});
const spent = (rounds: number, hour = '2026-12-01T11') => [
  {[`${hour} ${other}`]: {rounds, seconds: 0, tokens: 0, microUsd: 0}},
];
const perDay = {policy: {budgets: [{hours: 24, rounds: 5}]}};
const preflight = {message: 'git is not on the PATH.', hint: 'Install git 2.30 or later.'};
const closed = (more = {}) => ({totals: {...noTotals, todos: 3, done: 3}, ...more});
const watch = {watch: 'ref:main', watched: 'w1'};

// Rows 1 to 3: what is broken, over, or paused.
test('a broken machine waits', decides, {local: {preflight}}, 'wait', 'preflight_failed', {next: null});
test(
  'a broken machine comes before a finished goal',
  decides,
  {local: {preflight}, goal: {status: 'finished'}},
  'wait',
  'preflight_failed',
);
test('a finished goal stops', decides, {goal: {status: 'finished'}}, 'stop', 'goal_finished', {next: null});
test('an archived goal stops', decides, {goal: {status: 'archived', policy: {compute: 0}}}, 'stop', 'goal_finished');
test('a paused goal stops', decides, {goal: {status: 'paused'}}, 'stop', 'goal_paused', {next: null});
test(
  'a share of 0 stops, also while a round runs',
  decides,
  {goal: {policy: {compute: 0}, live: [live()]}},
  'stop',
  'goal_paused',
);

test('what is broken is told with its mend, also where no goal can be read', t => {
  t.is(preflightVerdict(preflight).message, 'git is not on the PATH. Install git 2.30 or later.');
  t.deepEqual({...preflightVerdict(preflight)}, mayRun(situation({local: {preflight}})));
});

// Row 4: a round at a time.
test('a running round waits for its lease', decides, {goal: {live: [live()]}}, 'wait', 'round_in_progress', {
  next: minute(10),
});
test(
  'a running round comes before a gate',
  decides,
  {goal: {live: [live()], open: situation({gates: [gate(['goal'])]}).goal.open}},
  'wait',
  'round_in_progress',
);
test("another agent's round is no obstacle", decides, {goal: {live: [live({agent: other})]}}, 'run', 'todo_ready', {
  todo: 't-a',
});
test('a lease that ends now has ended', decides, {goal: {live: [live({until: minute(0)})]}}, 'run', 'todo_ready', {
  todo: 't-a',
});
test(
  'a round whose process is known to be dead is over',
  decides,
  {goal: {live: [live()]}, local: {roundProcessLives: {'r-9': false}}},
  'run',
  'todo_ready',
  {todo: 't-a'},
);
test(
  'a round whose process lives is waited for, though a sleeping machine let its lease run out',
  decides,
  {goal: {live: [live({until: minute(-5)})]}, local: {roundProcessLives: {'r-9': true}}},
  'wait',
  'round_in_progress',
  {next: minute(1)},
);

// Row 5: a person's word.
test('a gate on the goal asks', decides, {gates: [gate(['goal'])]}, 'ask', 'gate_open', {gate: 'g-1', next: null});
test('a gate on the agent asks', decides, {gates: [gate([`agent:${me}`])]}, 'ask', 'gate_open', {gate: 'g-1'});
test('a gate on another agent does not', decides, {gates: [gate([`agent:${other}`])]}, 'run', 'todo_ready', {
  todo: 't-a',
});
test('a gate on an action does not', decides, {gates: [gate(['action:push'])]}, 'run', 'todo_ready', {todo: 't-a'});
test('a gate on the only ready todo asks', decides, {gates: [gate(['todo:t-a'])]}, 'ask', 'gate_open', {
  gate: 'g-1',
  todo: 't-a',
});
test(
  'a gate asks where everything else is held by others',
  decides,
  {gates: [gate(['todo:t-a'])], todos: [todo('b', claim(other, 5)), todo('a'), todo('c', {dependsOn: ['t-a']})]},
  'ask',
  'gate_open',
  {gate: 'g-1', todo: 't-a'},
);
test(
  'a gate on a todo that another agent holds is not what this one waits for',
  decides,
  {gates: [gate(['todo:t-a'])], todos: [todo('a', claim(other, 5))]},
  'wait',
  'nothing_ready',
  {next: minute(5)},
);
test(
  'a todo that was blocked with a question waits for the answer',
  decides,
  {gates: [gate(['todo:t-a'])], todos: [todo('a', {status: 'blocked'})]},
  'ask',
  'gate_open',
  {gate: 'g-1', todo: 't-a'},
);
test(
  'a gate comes before a rate limit',
  decides,
  {gates: [gate(['goal'])], agent: {limited: {until: minute(5), reason: 'Limit.'}}},
  'ask',
  'gate_open',
  {gate: 'g-1'},
);
test(
  'a gate on the goal comes before an empty list',
  decides,
  {gates: [gate(['goal'])], todos: []},
  'ask',
  'gate_open',
  {gate: 'g-1'},
);

test('a gate is asked with its question, its options and the way to answer', t => {
  const {message} = mayRun(situation({gates: [gate(['goal'])]}));
  t.is(message, 'A person has to decide: "Drop Node 18?" (drop | keep); answer with `loopx gate answer g-1 "…"`.');
});

test('a gate whose record is not at hand still stops', t => {
  const verdict = mayRun({...situation({gates: [gate(['goal'])]}), gates: {}});
  t.like(verdict, {decision: 'ask', gate: null});
  t.true(verdict.message.includes('"Drop Node 18?"'));
});

// Rows 6 and 7: not yet.
const limited = {limited: {until: minute(5), reason: 'The weekly limit is reached.'}};
test('a rate limit waits for its end', decides, {agent: limited}, 'wait', 'rate_limited', {next: minute(5)});
test(
  'a rate limit that ends now has ended',
  decides,
  {agent: limited, nowMs: Date.parse(minute(5))},
  'run',
  'todo_ready',
  {todo: 't-a'},
);
test(
  'a rate limit comes before the schedule',
  decides,
  {agent: {...limited, ...last(-1)}, goal: {schedule: {everySeconds: 3600}}},
  'wait',
  'rate_limited',
);
const everyHour = {schedule: {everySeconds: 3600}};
test(
  'a schedule counts from the end of the last round',
  decides,
  {agent: last(-20), goal: everyHour},
  'wait',
  'not_due',
  {next: minute(40)},
);
test('a schedule that is due runs', decides, {agent: last(-60), goal: everyHour}, 'run', 'todo_ready', {todo: 't-a'});
test('a schedule lets a first round run at once', decides, {goal: everyHour}, 'run', 'todo_ready', {todo: 't-a'});
test(
  'half of the time rests as long as the round took',
  decides,
  {agent: last(-5, 600), goal: {policy: {compute: 0.5}}},
  'wait',
  'not_due',
  {next: minute(5)},
);
test(
  'a quarter of the time rests three times as long',
  decides,
  {agent: last(-5, 600), goal: {policy: {compute: 0.25}}},
  'wait',
  'not_due',
  {next: minute(25)},
);
test('all of the time never rests', decides, {agent: last(0, 600), goal: {policy: {compute: 1}}}, 'run', 'todo_ready', {
  todo: 't-a',
});
test(
  'the later of schedule and rest counts',
  decides,
  {agent: last(-20, 6000), goal: {...everyHour, policy: {compute: 0.5}}},
  'wait',
  'not_due',
  {next: minute(80)},
);
test(
  'a tiny share of time is no error',
  decides,
  {agent: last(-5, 600), goal: {policy: {compute: 1e-300}}},
  'wait',
  'not_due',
);
test(
  'a last round in a far future holds nobody up',
  decides,
  {agent: last(120), goal: everyHour},
  'run',
  'todo_ready',
  {todo: 't-a'},
);
test(
  'not due comes before the budget',
  decides,
  {agent: last(-20), goal: {...everyHour, ...perDay}, months: spent(9)},
  'wait',
  'not_due',
);

// Row 8: budgets.
test(
  'a spent window throttles until it has room',
  decides,
  {goal: perDay, months: spent(5)},
  'throttle',
  'budget_exhausted',
  {next: '2026-12-02T12:00:00.000Z'},
);
test('a window with room runs', decides, {goal: perDay, months: spent(4)}, 'run', 'todo_ready', {todo: 't-a'});
test(
  'what other agents reserved counts',
  decides,
  {goal: {...perDay, live: [live({agent: other})]}, months: spent(4)},
  'throttle',
  'budget_exhausted',
  {next: minute(10)},
);
test(
  'a total budget has no next look',
  decides,
  {goal: {policy: {budgets: [{rounds: 3}]}, totals: {...noTotals, todos: 1, rounds: 3}}},
  'throttle',
  'budget_exhausted',
  {next: null},
);
test(
  'a budget comes before an empty list',
  decides,
  {goal: {...perDay, ...closed()}, todos: [], months: spent(5)},
  'throttle',
  'budget_exhausted',
);
test(
  'a budget comes before todos that are held',
  decides,
  {goal: perDay, todos: [todo('a', {status: 'blocked'})], months: spent(5)},
  'throttle',
  'budget_exhausted',
);
test(
  'a gate comes before a budget',
  decides,
  {goal: perDay, months: spent(5), gates: [gate(['goal'])]},
  'ask',
  'gate_open',
  {gate: 'g-1'},
);

test('a spent budget says how much of what, when there is room, and how to get more', t => {
  const {message} = mayRun(situation({goal: {...perDay, live: [live({agent: other})]}, months: spent(5)}));
  t.is(
    message,
    'The budget of 5 rounds in 24 hours is used up: 5 rounds spent, and 1 round reserved by running rounds; ' +
      'there is room again at 2026-12-02 12:00 UTC. More: `loopx quota grant`.',
  );
});

// Row 9: nothing that this agent could take.
test(
  'todos of others are waited for until the first lease ends',
  decides,
  {todos: [todo('a', claim(other, 9)), todo('b', claim(other, 4))]},
  'wait',
  'nothing_ready',
  {next: minute(4)},
);
test('a blocked todo waits', decides, {todos: [todo('a', {status: 'blocked'})]}, 'wait', 'nothing_ready', {next: null});
test('a todo for another agent waits', decides, {todos: [todo('a', {agent: 'codex'})]}, 'wait', 'nothing_ready');
test('what cannot be looked at here waits', decides, {todos: [todo('a', watch)]}, 'wait', 'nothing_ready', {
  next: null,
});
test(
  'an unchanged watch beside blocked work waits, and looks again',
  decides,
  {todos: [todo('a', watch), todo('b', {status: 'blocked'})], local: {watches: {'ref:main': 'w1'}}},
  'wait',
  'nothing_ready',
  {next: minute(1)},
);
test(
  'nothing ready comes before a standstill',
  decides,
  {todos: [todo('a', {status: 'blocked'})], agent: idle(5, -1)},
  'wait',
  'nothing_ready',
);

test('what holds the todos is told with its mend', t => {
  const todos = [todo('a', claim(other, 9)), todo('b', {dependsOn: ['t-a']}), todo('c', {status: 'blocked'})];
  t.is(
    mayRun(situation({todos})).message,
    'No todo is ready: 1 is claimed by another agent, 1 waits for todos that it depends on, 1 is blocked. ' +
      'When nothing blocks t-c any more: `loopx todo retry t-c`.',
  );
});

// Row 10: no todo is open.
test('a new goal is planned', decides, {todos: []}, 'run', 'needs_plan', {next: null});
test(
  'a plan that came to nothing is not repeated',
  decides,
  {todos: [], agent: idle(1, -90)},
  'skip',
  'nothing_to_do',
  {next: null},
);
test(
  'a plan that came to nothing is repeated once the goal changes',
  decides,
  {todos: [], agent: idle(1, -90), goal: {changed: 41, rounds: [round()]}},
  'run',
  'needs_plan',
);
test(
  'a plan that came to nothing is repeated once the code changes',
  decides,
  {todos: [], agent: idle(1, -90, {state: 'c0'}), goal: {rounds: [round()]}},
  'run',
  'needs_plan',
);
test(
  'a plan that another agent made in vain is not repeated',
  decides,
  {todos: [], goal: {rounds: [round({agent: other})]}},
  'skip',
  'nothing_to_do',
);
test(
  'a plan that was interrupted is repeated',
  decides,
  {todos: [], goal: {rounds: [round({outcome: 'interrupted'})]}},
  'run',
  'needs_plan',
);
test(
  'a plan that was not billed is repeated',
  decides,
  {todos: [], goal: {rounds: [round({billed: false})]}},
  'run',
  'needs_plan',
);
test(
  'a plan that failed is repeated after a while',
  decides,
  {todos: [], agent: {...idle(2, -1), ...last(-1, 60, 'failed')}},
  'skip',
  'no_change',
  {next: minute(1)},
);
test(
  'a plan that failed is repeated',
  decides,
  {todos: [], agent: {...idle(2, -2), ...last(-2, 60, 'failed')}},
  'run',
  'needs_plan',
);
test(
  'a plan that keeps failing asks',
  decides,
  {todos: [], agent: {...idle(3, -90), ...last(-90, 60, 'failed')}},
  'ask',
  'stalled',
);
test(
  'a goal whose todos are closed is not planned again',
  decides,
  {todos: [], goal: closed()},
  'skip',
  'nothing_to_do',
);
test(
  'a goal that was amended since its last round is planned again',
  decides,
  {
    todos: [],
    goal: closed({
      rounds: [round({todo: 't-z'})],
      amendments: [{id: 'E2', at: minute(-10), by: 'Ada', text: 'Also the docs.'}],
    }),
  },
  'run',
  'needs_plan',
);
test(
  'an amendment that the last round saw is planned for',
  decides,
  {
    todos: [],
    goal: closed({
      rounds: [round({todo: 't-z'})],
      amendments: [{id: 'E2', at: minute(-40), by: 'Ada', text: 'Also the docs.'}],
    }),
  },
  'skip',
  'nothing_to_do',
);

test('a goal whose todos are closed says how to finish it', t => {
  const {message} = mayRun(situation({todos: [], goal: closed({acceptance: [{name: 'tests', run: 'npm test'}]})}));
  t.true(message.includes('`loopx goal finish`'), message);
});

// Row 11: monitors.
const watched = (fingerprint: string, more = {}): Spoil => ({
  todos: [todo('a', watch)],
  local: {watches: {'ref:main': fingerprint}},
  ...more,
});
test('a watch that has not changed skips', decides, watched('w1'), 'skip', 'no_change', {next: minute(1)});
test(
  'a watch that has not changed is no stall, however long',
  decides,
  watched('w1', {agent: idle(9, -600)}),
  'skip',
  'no_change',
  {next: minute(1)},
);
test('a watch that has changed runs', decides, watched('w2'), 'run', 'todo_ready', {todo: 't-a'});
test(
  'a watch that was never looked at runs',
  decides,
  watched('w1', {todos: [todo('a', {watch: 'ref:main'})]}),
  'run',
  'todo_ready',
  {todo: 't-a'},
);
test(
  'a watch that is named like a property of all objects is no surprise',
  decides,
  {todos: [todo('a', {watch: 'constructor'})]},
  'wait',
  'nothing_ready',
);
test('a watch that changed ends a standstill', decides, watched('w2', {agent: idle(9, -1)}), 'run', 'todo_ready', {
  todo: 't-a',
});
test(
  'in a standstill only the watch that changed is worth a round',
  decides,
  watched('w2', {agent: idle(2, -1), todos: [todo('b'), todo('a', watch)]}),
  'run',
  'todo_ready',
  {todo: 't-a'},
);

// Row 12: standstill.
test('after a round that changed nothing it waits a minute', decides, {agent: idle(1, -0.5)}, 'skip', 'no_change', {
  next: minute(0.5),
});
test('after a minute it tries again', decides, {agent: idle(1, -1)}, 'run', 'todo_ready', {todo: 't-a'});
test('after two rounds it waits two minutes', decides, {agent: idle(2, -1)}, 'skip', 'no_change', {next: minute(1)});
test('after three rounds it asks', decides, {agent: idle(3, -600)}, 'ask', 'stalled', {todo: 't-a', next: null});
test(
  'after how many rounds it asks can be set',
  decides,
  {agent: idle(3, -1), goal: {policy: {stallAfter: 4}}},
  'skip',
  'no_change',
  {next: minute(3)},
);
test(
  'a goal that changed is tried at once',
  decides,
  {agent: idle(3, -0.5), goal: {changed: 41}},
  'run',
  'todo_ready',
  {todo: 't-a'},
);
test('code that changed is tried at once', decides, {agent: idle(3, -0.5), local: {code: 'c2'}}, 'run', 'todo_ready', {
  todo: 't-a',
});
test('a standstill from a far future makes nobody wait', decides, {agent: idle(1, 90)}, 'run', 'todo_ready', {
  todo: 't-a',
});
test(
  'a standstill comes before work that a gate leaves over',
  decides,
  {agent: idle(1, -0.5), gates: [gate(['todo:t-b'])], todos: [todo('a'), todo('b')]},
  'skip',
  'no_change',
);

test('a stall asks what a person can answer: what repeated, how often, on what, and what to choose', t => {
  const rounds = [round({todo: 't-b', summary: 'Ran the tests;\n41 of 57 pass.'})];
  const {message, todo: about} = mayRun(situation({agent: idle(3, -1), goal: {rounds}, todos: [todo('a'), todo('b')]}));
  t.is(about?.id, 't-b');
  t.is(
    message,
    'claude@mbp changed nothing in 3 rounds in a row; it stands still on t-b "Step b". The last one said ' +
      '"Ran the tests; 41 of 57 pass.". Should it try again, drop this todo, or pause the goal?',
  );
});

// Rows 13 and 14: work.
test(
  'what a gate does not stop goes on, and the gate is shown',
  decides,
  {gates: [gate(['todo:t-a'])], todos: [todo('a'), todo('b')]},
  'run',
  'safe_fallback',
  {todo: 't-b', gate: 'g-1', fallback: true},
);
test(
  'a gate on work of others makes it a fallback too',
  decides,
  {gates: [gate(['todo:t-b'])], todos: [todo('a'), todo('b', claim(other, 5))]},
  'run',
  'safe_fallback',
  {todo: 't-a', gate: 'g-1', fallback: true},
);
test('a gate on a todo that is closed stops nothing', decides, {gates: [gate(['todo:t-z'])]}, 'run', 'todo_ready', {
  todo: 't-a',
});
test('the first ready todo is taken', decides, {todos: [todo('a'), todo('b')]}, 'run', 'todo_ready', {
  todo: 't-a',
  next: null,
});
test(
  'an agent goes on with its own todo',
  decides,
  {todos: [todo('a'), todo('b', claim(me, 5))]},
  'run',
  'todo_ready',
  {todo: 't-b'},
);

const agents = fc.record({
  limited: fc.option(fc.record({until: fc.integer({min: -5, max: 5}).map(minute), reason: fc.string()}), {
    nil: undefined,
  }),
  last: fc.option(
    fc.integer({min: -5, max: 5}).map(minutes => last(minutes).last),
    {nil: undefined},
  ),
  idle: fc.option(
    fc.tuple(fc.integer({min: 1, max: 5}), fc.integer({min: -5, max: 0})).map(([n, ago]) => idle(n, ago).idle),
    {nil: undefined},
  ),
});
const blocks = fc.constantFrom('goal', `agent:${me}`, 'todo:t-a', 'todo:t-b', 'action:push');
const todos = fc.uniqueArray(
  fc.record({
    id: fc.constantFrom('a', 'b', 'c'),
    status: fc.constantFrom('open' as const, 'blocked' as const),
    claimed: fc.constantFrom(undefined, me, other),
    dependsOn: fc.constantFrom(undefined, ['t-a'], ['t-z']),
    watch: fc.constantFrom(undefined, 'ref:main'),
    watched: fc.constantFrom(undefined, 'w1', 'w2'),
  }),
  {selector: ({id}) => id},
);
const situations: fc.Arbitrary<Situation> = fc
  .record({
    agents,
    gates: fc.array(blocks, {maxLength: 2}),
    todos,
    status: fc.constantFrom('active' as const, 'active' as const, 'paused' as const, 'finished' as const),
    spent: fc.integer({min: 0, max: 8}),
    isLive: fc.boolean(),
    code: fc.constantFrom('c1', 'c2'),
    watches: fc.constantFrom({}, {'ref:main': 'w1'}),
  })
  .map(drawn =>
    situation({
      agent: drawn.agents as Spoil['agent'] & object,
      gates: drawn.gates.map((block, index) => gate([block], `g-${index}`)),
      todos: drawn.todos.map(({id, claimed, dependsOn, ...rest}) => ({
        ...todo(id, rest as Partial<ReturnType<typeof todo>>),
        ...(claimed && claim(claimed, 5)),
        ...(dependsOn && {dependsOn}),
      })),
      months: spent(drawn.spent),
      goal: {status: drawn.status, ...perDay, live: drawn.isLive ? [live({agent: other})] : []},
      local: {code: drawn.code, watches: drawn.watches},
    }),
  )
  // As state is read: a field that is not there is left out.
  .map(drawn => JSON.parse(JSON.stringify(drawn)) as Situation);

test('no round runs against a gate, over a budget, without a ready todo, or on a goal that does not go on', t => {
  fc.assert(
    fc.property(situations, drawn => {
      const verdict = mayRun(drawn);
      const {goal} = drawn;
      t.is(verdict.shouldRun, verdict.decision === 'run');
      if (verdict.reason === 'gate_open') t.is(verdict.decision, 'ask');
      if (!verdict.shouldRun) return;
      t.is(goal.status, 'active');
      t.is(verdict.budget.exhausted, null);
      const stops = openGates(goal).flatMap(({blocks: all}) => all);
      t.false(stops.includes('goal') || stops.includes(`agent:${me}`) || stops.includes(`todo:${verdict.todo?.id}`));
      if (verdict.todo) t.like(verdict.todo, {status: 'open'});
      t.is(verdict.todo === null, verdict.reason === 'needs_plan');
      if (verdict.todo?.claims) t.is(verdict.todo.claims[0]!.agent, me);
    }),
    {numRuns: 2000},
  );
});

test('asking twice gives the same answer and changes nothing', t => {
  fc.assert(
    fc.property(situations, drawn => {
      const before = structuredClone(drawn);
      const verdict = mayRun(drawn);
      t.deepEqual(mayRun(drawn), verdict);
      t.deepEqual(drawn, before);
      t.deepEqual(JSON.parse(JSON.stringify(verdict)), verdict);
    }),
    {numRuns: 300},
  );
});

test('the next look is never in the past', t => {
  fc.assert(
    fc.property(situations, drawn => {
      const {nextCheckAt} = mayRun(drawn);
      if (nextCheckAt) t.true(Date.parse(nextCheckAt) > drawn.nowMs, nextCheckAt);
    }),
    {numRuns: 1000},
  );
});

test('the table has the fourteen rows of the design', t => t.is(decisionTable.length, 14));

test('back-off doubles from a minute and never exceeds an hour', t => {
  t.deepEqual([1, 2, 3, 6, 7, 5000].map(backOffMs), [60e3, 120e3, 240e3, 1920e3, 3600e3, 3600e3]);
});
