import type {Agent} from '../../../lib/model/agent.ts';
import {type Goal, openTodos} from '../../../lib/model/goal.ts';
import {owningClaim} from '../../../lib/model/todo.ts';
import {defineCommand} from '../../command.ts';
import {fieldLines} from '../../layout.ts';
import {plural, when} from '../../print.ts';
import {printResult} from '../../result.ts';
import {type Shorten, shortIds} from '../../short-ids.ts';

export const command = defineCommand({
  usage: 'agent list',
  describe: 'List the agents that work on the goal, and what each of them does',
  async run(_, session) {
    const {goal, tip, all} = await session.view();
    const nowMs = session.world.now();
    const agents = agentsOf(goal, await all<Agent>('agents'), nowMs);
    const short = await shortIds(session, tip, 't');
    printResult(session, {schema: 'loopx/agent-list@1', agents}, () =>
      agents.length === 0
        ? ['No agent has worked on this goal yet.', '  Start one: loopx run']
        : agents.flatMap(agent => agentLines(agent, {short, nowMs, columns: session.stdout.columns})),
    );
  },
});

type Shown = ReturnType<typeof agentsOf>[number];

// Also who holds a todo without ever having begun a round.
function agentsOf(goal: Goal, known: readonly Agent[], nowMs: number) {
  const held = openTodos(goal).flatMap(todo => {
    const claim = owningClaim(todo.claims, nowMs);
    return claim ? [{todo: todo.id, agent: claim.agent, until: claim.until}] : [];
  });
  const names = new Set([...known.map(({id}) => id), ...goal.live.map(({agent}) => agent), ...held.map(c => c.agent)]);
  return [...names].sort().map(id => {
    const {rounds = 0, last = null, idle = null, limited = null} = known.find(agent => agent.id === id) ?? {};
    const {round = null, until = null} = goal.live.find(({agent}) => agent === id) ?? {};
    const claims = held.filter(({agent}) => agent === id).map(({todo}) => todo);
    return {id, rounds, round, roundEndsAt: until, claims, last, idle, limited};
  });
}

function agentLines(
  {id, rounds, round, roundEndsAt, claims, last, idle, limited}: Shown,
  {short, nowMs, columns}: {short: Shorten; nowMs: number; columns: number},
): readonly string[] {
  const isLimited = limited && Date.parse(limited.until) > nowMs;
  return [
    id,
    ...fieldLines(
      [
        ['round', round ? `${round}, lease ends ${when(roundEndsAt!, nowMs)}` : undefined],
        ['holds', claims.map(short).join(', ')],
        ['rounds', String(rounds)],
        ['last', last ? `${last.outcome}, ${when(last.at, nowMs)}` : undefined],
        ['idle', idle ? `${plural(idle.rounds, 'round')} without a change` : undefined],
        ['waits', isLimited ? `until ${when(limited.until, nowMs)}: ${limited.reason}` : undefined],
      ],
      columns,
    ),
  ];
}
