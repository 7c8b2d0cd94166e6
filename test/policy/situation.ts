// A situation in which a round may run, to be spoiled by each test: one agent, one ready todo, noon.
import type {Agent} from '../../lib/model/agent.ts';
import type {Gate} from '../../lib/model/gate.ts';
import {type Goal, type LiveRound, noTotals, type OpenTodo, type ShortRound} from '../../lib/model/goal.ts';
import type {LocalFacts, Situation} from '../../lib/policy/verdict.ts';

export const noon = Date.parse('2026-12-01T12:00:00Z');
export const me = 'claude@mbp';
export const other = 'codex@ci';

/** An ISO time so many minutes after noon. */
export const minute = (minutes: number) => new Date(noon + minutes * 60_000).toISOString();

export const todo = (id: string, more: Partial<OpenTodo> = {}): OpenTodo => ({
  id: `t-${id}`,
  status: 'open',
  priority: 2,
  clock: 1,
  title: `Step ${id}`,
  ...more,
});

export const claim = (agent: string, minutes: number) => ({claims: [{id: 'k-1', agent, until: minute(minutes)}]});

export const gate = (blocks: readonly string[], id = 'g-1'): Gate => ({
  ...{id, created: 'E', kind: 'question', status: 'open', question: 'Drop Node 18?', options: ['drop', 'keep']},
  ...{blocks, answers: [], askedAt: minute(-60), askedBy: me},
});

export const round = (more: Partial<ShortRound> = {}): ShortRound => ({
  ...{round: 'r-1', agent: me, outcome: 'progress', summary: 'Moved a file.', at: minute(-30)},
  ...{seconds: 60, tokens: 1000, microUsd: 50_000, billed: true},
  ...more,
});

export const live = (more: Partial<LiveRound> = {}): LiveRound => ({
  ...{round: 'r-9', agent: me, n: 9, clock: 40, at: minute(-5), until: minute(10)},
  reserve: {rounds: 1, seconds: 60, tokens: 1000, microUsd: 50_000},
  ...more,
});

export type Spoil = {
  readonly goal?: Partial<Goal>;
  readonly agent?: Partial<Agent>;
  readonly gates?: readonly Gate[];
  readonly todos?: readonly OpenTodo[];
  readonly months?: Situation['months'];
  readonly local?: Partial<LocalFacts>;
  readonly nowMs?: number;
};

export function situation({goal, agent, gates = [], todos = [todo('a')], months, local, nowMs}: Spoil = {}): Situation {
  const openGates = gates.map(({id, blocks, question}) => ({id, status: 'open' as const, blocks, title: question}));
  const totals = {...noTotals, todos: todos.length};
  return {
    goal: {
      ...{format: 1, id: 'py3-k3m9', created: 'E', objective: 'Python 3', status: 'active', acceptance: []},
      ...{constraints: [], scope: [], policy: {}, createdAt: minute(-600), createdBy: 'Ada <ada@example.org>'},
      ...{amendments: [], grants: [], clock: 40, changed: 40, totals, live: [], rounds: []},
      open: [...openGates, ...todos],
      ...goal,
    },
    agent: {id: me, rounds: 0, ...agent},
    nowMs: nowMs ?? noon,
    gates: Object.fromEntries(gates.map(item => [item.id, item])),
    months: months ?? [],
    local: {roundProcessLives: {}, code: 'c1', watches: {}, ...local},
  };
}
