// Drives the agent of a round: brief in, events out, with the upkeep of the round going on beside it.
import {writeFile} from 'node:fs/promises';
import {Failure} from '../failure.ts';
import {viewGoal} from '../store/view.ts';
import type {LoopContext} from './context.ts';
import type {AgentEvent, AgentVerdict, Usage} from './executor.ts';
import {makeBrief} from './make-brief.ts';
import {runAgent} from './process.ts';
import type {Live, RoundPlan} from './round.ts';
import {makeRoundFolder} from './round-folder.ts';
import type {Running} from './running.ts';
import {writeShim} from './shim.ts';
import {startUpkeep} from './upkeep.ts';

/** What is known of a running round. */
export type Known = {usage: Usage; calledModel: boolean; lastMessage: string};

export type Driven = {
  readonly verdict: AgentVerdict;
  /** Why the agent could not be started at all. */
  readonly missing?: Failure;
};

/** How long an agent may go on after its final word. */
const afterResultMs = 10_000;
const lastWordMax = 500;

/** Runs the agent to its end. */
export async function drive(
  context: LoopContext,
  plan: RoundPlan,
  at: {round: string; attempt: string; top: string; note: (change: Partial<Running>) => Promise<void>; live: Live},
): Promise<Driven> {
  const {repository, world, config, store} = context;
  const {view, agent, todo, executor} = plan;
  const {round, attempt, top, note, live} = at;
  const folder = await makeRoundFolder(repository, round);
  const tip = (await store.tip(view.id)) ?? view.tip;
  const brief = await makeBrief(await viewGoal(store, view.id, tip), {
    ...{agent, round, loopx: 'loopx', limitTokens: config.count('context_compression_threshold')},
    ...(todo && {todo: todo.id}),
  });
  const promptFile = `${folder}/brief.md`;
  await writeFile(promptFile, brief.text);
  const shim = await writeShim(repository, context.loopx);
  const launch = executor.plan({
    ...{
      goal: view.id,
      round,
      todo: todo?.id,
      agent,
      prompt: brief.text,
      promptFile,
      cwd: top,
      loopx: shim.file,
      args: plan.args,
    },
    ...(plan.command !== undefined && {command: plan.command}),
  });
  const path = `${world.env.PATH ?? '/usr/bin:/bin'}:${shim.folder}`;

  const known: Known = {usage: {}, calledModel: false, lastMessage: ''};
  const upkeep = startUpkeep(context, {
    ...{goal: view.id, agent, round, live},
    note: () => note({...known}),
    onTrouble: plan.onTrouble,
  });
  try {
    const {verdict} = await runAgent(
      {...launch, env: {...launch.env, PATH: path, ...(todo && {LOOPX_TODO_TITLE: todo.title})}},
      {
        ...{cwd: top, env: world.env, attempt, interrupt: executor.interrupt, signal: context.signal, world},
        reader: executor.read({nowMs: world.now, prompt: brief.text}),
        limits: {
          roundMs: config.durationMs('round.timeout'),
          silenceMs: config.durationMs('round.silence'),
          afterResultMs,
        },
        logFile: `${folder}/log`,
        onEvent: event => {
          learn(known, event);
          upkeep.sign();
          plan.onEvent(event, known);
        },
        onSpawn: () => note({}),
      },
    );
    return {verdict};
  } catch (error) {
    if (!(error instanceof Failure) || (error.code !== 'executor-missing' && error.code !== 'interrupted')) throw error;
    const cls = error.code === 'interrupted' ? 'interrupted' : 'crash';
    const verdict = {
      ok: false,
      error: {class: cls, message: error.message},
      lastMessage: '',
      usage: {},
      calledModel: false,
    } as const;
    return {verdict, ...(error.code === 'executor-missing' && {missing: error})};
  } finally {
    await upkeep.stop();
  }
}

function learn(known: Known, event: AgentEvent): void {
  if (event.kind === 'usage') {
    const {kind: _, ...usage} = event;
    known.usage = {...known.usage, ...usage};
  }

  if (event.kind === 'result') known.usage = {...known.usage, ...event.result.usage};
  if (event.kind === 'message') known.lastMessage = event.text.slice(-lastWordMax);
  if (event.kind === 'raw') known.lastMessage = event.line.slice(0, lastWordMax);
  // A command says nothing of its model: that it spoke at all has to do.
  if (['message', 'tool-call', 'usage', 'raw', 'result'].includes(event.kind)) known.calledModel = true;
}
