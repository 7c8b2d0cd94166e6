// Commands drawn at random, for histories that could have happened: each writes only what loopx itself would write,
// from what its replica sees at that moment.
import {type Change, together} from '../../lib/change/change.ts';
import {addDecision, answerGate, askGate, withdrawGate} from '../../lib/change/gate.ts';
import {amendGoal, archiveGoal, editGoal, finishGoal, grantQuota, setGoalStatus} from '../../lib/change/goal.ts';
import {
  addArtifact,
  beginRound,
  deleteCheckpoints,
  finishRound,
  limitAgent,
  renewRound,
  reportRound,
  saveCheckpoint,
} from '../../lib/change/round.ts';
import {
  addTodo,
  blockTodo,
  claimTodo,
  doneTodo,
  dropTodo,
  editTodo,
  releaseTodo,
  retryTodo,
  verifyTodo,
} from '../../lib/change/todo.ts';
import {isFailure} from '../../lib/failure.ts';
import type {Checkpoint} from '../../lib/model/checkpoint.ts';
import type {Gate} from '../../lib/model/gate.ts';
import {roundOutcomes} from '../../lib/model/round.ts';
import {isClosed, type Todo} from '../../lib/model/todo.ts';
import type {RecordFolder} from '../../lib/store/view.ts';

/** The free choices of one command; which records they hit depends on what the replica sees. */
export type Choice = {readonly command: number; readonly one: number; readonly two: number; readonly agent: string};

type Drawn = (choice: Choice) => Change;

const minute = 60_000;
const treeOf = (n: number) => n.toString(16).padStart(40, 'a');
const check = (n: number) => ({name: `check ${n % 3}`, run: `make check-${n % 3}`});
const pick = <T>(items: readonly T[], n: number): T | undefined => items[n % items.length];

// Does something with one of the records there are, or nothing where there are none.
const withOne =
  <T extends {id: string}>(
    folder: RecordFolder,
    wanted: (record: T) => boolean,
    make: (record: T, choice: Choice) => Change,
  ) =>
  (choice: Choice): Change =>
  async (view, draw) => {
    const record = pick((await view.all<T>(folder)).filter(wanted), choice.one);
    return record ? make(record, choice)(view, draw) : [];
  };
const anyTodo = (make: (todo: Todo, choice: Choice) => Change) => withOne<Todo>('todos', () => true, make);
const openTodo = (make: (todo: Todo, choice: Choice) => Change) =>
  withOne<Todo>('todos', todo => !isClosed(todo.status), make);
const ownRound =
  (make: (round: string, choice: Choice) => Change): Drawn =>
  choice =>
  (view, draw) => {
    const round = pick(
      view.goal.live.filter(live => live.agent === choice.agent),
      choice.one,
    )?.round;
    return round === undefined ? [] : make(round, choice)(view, draw);
  };

const finished = ({one, two}: Choice) => ({
  outcome: pick(roundOutcomes, one)!,
  summary: `did ${one}`,
  seconds: two % 900,
  usage: {tokens: one, microUsd: two, modelSeconds: (two % 1000) / 7},
  billed: one % 4 !== 0,
  commits: one % 2 ? [{commit: treeOf(one), tree: treeOf(two), subject: 'work'}] : [],
  checks: [{...check(one), outcome: 'pass' as const, status: 0, seconds: 0.25}],
  artifacts: [],
  changed: two % 3 !== 0,
  state: treeOf(one % 4),
  ...(one % 5 === 0 && {error: {class: 'rate-limit', message: 'slow down'}}),
});

const edits: readonly ((n: number) => Parameters<typeof editTodo>[1])[] = [
  n => ({title: `title ${n % 5}`}),
  n => ({priority: n % 5}),
  n => ({rank: n % 7}),
  n => ({detail: n % 2 ? null : `detail ${n}`, agent: n % 3 ? null : 'codex'}),
  n => ({required: n % 2 === 0, checks: n % 3 ? [check(n)] : null, watched: `state ${n}`}),
];
const goalEdits: readonly ((n: number) => Parameters<typeof editGoal>[0])[] = [
  n => ({objective: `objective ${n % 4}`}),
  n => ({constraints: [`constraint ${n % 3}`]}),
  n => ({policy: {stallAfter: n % 4, budgets: [{hours: 24, rounds: n % 9}]}}),
  n => ({phase: n % 2 ? null : `phase ${n}`, schedule: n % 3 ? null : {everySeconds: n}}),
  n => ({acceptance: [check(n)], scope: [`src/${n % 3}/**`]}),
];

/** Every command there is, some of them several times so that they come more often. */
const commands: readonly Drawn[] = [
  ({one, two}) => addTodo({title: `todo ${one}`, priority: two % 5, ...(one % 3 === 0 && {rank: two % 5})}),
  ({one, two}) => addTodo({title: `step ${one}`, priority: two % 5, checks: [check(one)], watch: 'origin/main'}),
  anyTodo((todo, {two}) => addTodo({title: `child ${two}`, parent: todo.id, dependsOn: [todo.id]})),
  anyTodo((todo, {two}) => editTodo(todo.id, pick(edits, two)!(two))),
  anyTodo((todo, {two}) => editTodo(todo.id, pick(edits, two)!(two))),
  openTodo((todo, {two}) => doneTodo(todo.id, two % 2 ? undefined : `result ${two}`)),
  openTodo((todo, {two}) =>
    together(doneTodo(todo.id), verifyTodo(todo.id, {tree: treeOf(two), checks: [check(two)]})),
  ),
  anyTodo((todo, {two}) => verifyTodo(todo.id, {tree: treeOf(two), checks: [check(two)]})),
  openTodo(todo => dropTodo(todo.id, 'not needed')),
  openTodo(todo => blockTodo(todo.id, 'waits for a person')),
  anyTodo(todo => retryTodo(todo.id)),
  openTodo((todo, {agent, two}) => claimTodo(todo.id, {agent, ms: (two % 90) * minute})),
  openTodo((todo, {agent, two}) => claimTodo(todo.id, {agent, ms: (two % 90) * minute})),
  anyTodo((todo, {agent}) => releaseTodo(todo.id, agent)),
  anyTodo(todo => releaseTodo(todo.id, 'everybody')),
  ({one, two}) =>
    askGate({
      question: `Should release ${one} keep support for Python 2?`,
      options: ['keep it', 'drop it'],
      recommend: 'drop it',
      kind: two % 3 ? 'question' : 'approval',
    }),
  openTodo((todo, {two}) =>
    askGate({question: `May todo number ${two} rewrite the index?`, blocks: [`todo:${todo.id}`], evidence: 'a log'}),
  ),
  withOne<Gate>(
    'gates',
    gate => gate.status !== 'withdrawn',
    (gate, {two}) => answerGate(gate.id, pick(gate.options, two) ?? `answer ${two}`, two % 2 ? 'because' : undefined),
  ),
  withOne<Gate>(
    'gates',
    gate => gate.status === 'open',
    (gate, {two}) => answerGate(gate.id, pick(gate.options, two) ?? `answer ${two}`),
  ),
  withOne<Gate>(
    'gates',
    gate => gate.kind !== 'contested',
    gate => withdrawGate(gate.id, 'asked by mistake'),
  ),
  ({one}) => addDecision({text: `decided ${one}`, why: 'it is simpler'}),
  withOne<{id: string}>(
    'decisions',
    () => true,
    (decision, {two}) => addDecision({text: `rather ${two}`, replaces: [decision.id]}),
  ),
  ({one, two}) => editGoal(pick(goalEdits, one)!(two), 'on reflection'),
  ({one, two}) => editGoal(pick(goalEdits, one % 3)!(two)),
  ({two}) => editGoal(goalEdits[0]!(two)),
  ({one}) => setGoalStatus(one % 2 ? 'paused' : 'active'),
  () => setGoalStatus('active'),
  () => setGoalStatus('active'),
  ({one, two}) => (one % 3 ? setGoalStatus('active') : finishGoal({commit: treeOf(one), tree: treeOf(two)})),
  ({one}) => (one % 4 ? setGoalStatus('active') : archiveGoal('not needed any more')),
  ({one}) => amendGoal(`amendment ${one}`),
  ({one, two}) => grantQuota({rounds: 1 + (one % 5), ...(two % 2 && {until: '2026-02-01T00:00:00.000Z'})}),
  ({agent, two}) => beginRound({agent, leaseMs: (two % 60) * minute, reserve: {rounds: 1}}),
  openTodo((todo, {agent, two}) =>
    beginRound({agent, todo: todo.id, leaseMs: (two % 60) * minute, reserve: {tokens: two}, executor: 'claude'}),
  ),
  ownRound((round, {two}) => renewRound(round, (two % 60) * minute)),
  ownRound((round, {two}) => reportRound(round, {outcome: pick(roundOutcomes, two)!, summary: `reports ${two}`})),
  ownRound((round, choice) => finishRound(round, finished(choice))),
  ownRound((round, choice) => finishRound(round, finished(choice))),
  ({agent}) => limitAgent(agent, '2026-01-02T00:00:00.000Z', 'usage limit'),
  ({one}) => saveCheckpoint({trigger: one % 2 ? 'hand' : 'interval', digest: `so far ${one}`}),
  ({one}) => saveCheckpoint({trigger: 'round-end', digest: `so far ${one}`}),
  withOne<Checkpoint>(
    'checkpoints',
    () => true,
    checkpoint => deleteCheckpoints([checkpoint.id]),
  ),
  withOne<Checkpoint>(
    'checkpoints',
    () => true,
    checkpoint => deleteCheckpoints([checkpoint.id]),
  ),
  ({one}) => addArtifact({path: `out/${one}.txt`, kind: 'report', sha256: 'f'.repeat(64), sizeBytes: one}),
];

/** Returns the change that a choice stands for; where its command is refused or has nothing to do, an amendment. */
export function drawCommand(choice: Choice): Change {
  const drawn = pick(commands, choice.command)!;
  return async (view, draw) => {
    try {
      const events = await drawn(choice)(view, draw);
      if (events.length > 0) return events;
    } catch (error) {
      if (!isFailure(error)) throw error;
    }

    return amendGoal(`amendment ${choice.one}`)(view, draw);
  };
}
