// The status of a goal as people see it: one screen, the thing to do at its end.
import {openTodos} from '../lib/model/goal.ts';
import {shortId} from '../lib/model/ids.ts';
import type {BudgetLine} from '../lib/policy/spend.ts';
import type {SyncState} from '../lib/sync/waiting.ts';
import {amount, bytes, cutTo, duration, money, oneLine, plural, styled, when} from './print.ts';
import type {Session} from './session.ts';
import type {Status} from './status.ts';
import {questionText} from './verdict.ts';

const labelWidth = 13;

/** Returns the lines of the screen. */
export function statusText(status: Status, session: Session): readonly string[] {
  const {stdout, world} = session;
  const nowMs = world.now();
  const {view, gates, next, counts, budget, checkpoint, untracked} = status;
  const {goal} = view;
  const ids = goal.open.map(item => item.id);
  const line = (label: string, text: string, style?: Parameters<typeof styled>[1]) => {
    const shown = cutTo(text, Math.max(stdout.columns - labelWidth - 2, 16));
    return `  ${styled(stdout, 'dim', label.padEnd(labelWidth - 2))}${style ? styled(stdout, style, shown) : shown}`;
  };
  const {totals} = goal;
  const last = goal.rounds.at(-1);
  const state = [
    goal.status,
    ...(goal.phase ? [`phase ${goal.phase}`] : []),
    `started ${when(goal.createdAt, nowMs)}`,
  ].join(' · ');
  const held =
    totals.todos === 0
      ? 'no todos yet'
      : `${totals.done} of ${totals.todos - totals.dropped} todos done, ${totals.verified} verified`;
  const extra = [
    ...(totals.dropped > 0 ? [`${totals.dropped} dropped`] : []),
    ...(counts.claimed > 0 ? [`${counts.claimed} claimed`] : []),
    ...(counts.blocked > 0 ? [`${counts.blocked} blocked`] : []),
  ];
  const lines = [
    `${styled(stdout, 'bold', goal.id)}  ${cutTo(goal.objective, Math.max(stdout.columns - goal.id.length - 2, 16))}`,
    line('State', state, goal.status === 'active' ? undefined : 'yellow'),
    line('Progress', [held, ...extra].join(', ')),
    ...(gates.length === 0
      ? [line('Gate', 'none open')]
      : gates.map(gate => line('Gate', `${shortId(gate.id, ids)} ${gate.question}`, 'red'))),
    line('Next', next ? `${shortId(next.id, ids)} ${next.title}` : nothingNext(status)),
    ...goal.live.map(live => {
      const on = live.todo ? ` on ${shortId(live.todo, ids)}` : ', planning';
      const isLapsed = Date.parse(live.until) <= nowMs;
      const since = isLapsed ? `lease over since ${when(live.until, nowMs)}` : `begun ${when(live.at, nowMs)}`;
      return line('Working', `${live.agent}${on}, ${since}`, isLapsed ? 'yellow' : 'green');
    }),
    ...(goal.live.length === 0 ? [line('Working', 'nobody')] : []),
    ...budgetLines(budget.lines).map(text => line('Budget', text, budget.exhausted ? 'red' : undefined)),
    ...(budget.lines.length === 0 ? [line('Spent', spentText(totals))] : []),
    ...(status.context
      ? [
          line(
            'Context',
            `${amount(status.context.tokens)}${status.context.limit ? ` of ${amount(status.context.limit)}` : ''} tokens at the last call`,
          ),
        ]
      : []),
    line(
      'Checkpoint',
      checkpoint
        ? `${checkpoint.id} (${checkpoint.trigger}), ${when(checkpoint.at, nowMs)}${checkpoint.snapshot?.state === 'partial' ? ', snapshot partial' : ''}`
        : 'none yet',
    ),
    ...(last ? [line('Last round', `${last.outcome}, ${duration(last.seconds)}: ${oneLine(last.summary)}`)] : []),
    ...(untracked ? [line('Commits', `${plural(untracked, 'commit')} on HEAD belong to no round`, 'yellow')] : []),
    ...status.sync.flatMap(state => syncTexts(state).map(text => line('Sync', text, 'yellow'))),
    ...(status.sizeBytes === undefined ? [] : [line('Size', `${bytes(status.sizeBytes)} on disk`)]),
    ...(status.remote === undefined ? [] : [line('Read at', status.remote)]),
  ];
  // What to do next is to be done there.
  if (status.remote !== undefined) return lines;
  const [gate] = gates;
  return [...lines, ...(gate ? questionText(gate) : ['', `  ${advice(status)}`])];
}

// The problem stands first: what waits is no news then.
function syncTexts({remote, ahead, behind, problem}: SyncState): readonly string[] {
  const wait = ahead === 1 ? 'waits' : 'wait';
  return [
    ...(problem ? [problem] : []),
    ...(behind > 0 ? [`${plural(behind, 'event')} of ${remote} ${behind === 1 ? 'is' : 'are'} not taken in`] : []),
    ...(ahead > 0 ? [`${plural(ahead, 'event')} ${wait} for ${remote}: loopx sync`] : []),
  ];
}

function spentText(totals: Status['view']['goal']['totals']): string {
  const {rounds, seconds, tokens, microUsd} = totals;
  return [
    plural(rounds, 'round'),
    `${duration(seconds)} working`,
    ...(tokens > 0 ? [`${amount(tokens)} tokens`] : []),
    ...(microUsd > 0 ? [money(microUsd)] : []),
  ].join(', ');
}

function budgetLines(lines: readonly BudgetLine[]): readonly string[] {
  return lines.map(({measure, hours, limit, spent, reserved}) => {
    const [used, unit] = [spent + reserved, units[measure]];
    return `${unit.show(used)} of ${unit.show(limit)}${unit.noun} ${hours === null ? 'in all' : `in ${hours} h`}`;
  });
}

const units: Readonly<Record<BudgetLine['measure'], {show: (value: number) => string; noun: string}>> = {
  rounds: {show: String, noun: ' rounds'},
  seconds: {show: duration, noun: ' of work'},
  tokens: {show: amount, noun: ' tokens'},
  microUsd: {show: money, noun: ''},
};

function nothingNext({view: {goal}}: Status): string {
  if (goal.status === 'finished' || goal.status === 'archived') return `nothing: the goal is ${goal.status}`;
  return openTodos(goal).length > 0 ? 'nothing is ready' : 'no open todo';
}

function advice({view: {goal}, next, budget}: Status): string {
  if (goal.status === 'finished' || goal.status === 'archived') return 'See how it went: loopx log --rounds';
  if (goal.status === 'paused') return 'Take it up again: loopx goal resume';
  if (goal.live.length > 0) return 'Follow it: loopx log';
  if (goal.totals.todos === 0) return 'Add a step: loopx todo add "…", or let an agent plan: loopx run';
  if (next && budget.exhausted) return 'Allow more: loopx quota grant --rounds 5, or wait: loopx quota show';
  if (next) return 'Go on: loopx run';
  return openTodos(goal).length > 0 ? 'See what is in the way: loopx todo list' : 'Finish it: loopx goal finish';
}
