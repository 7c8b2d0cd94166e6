// Everything that a command may touch: the world, the streams, and the repository, opened when it is first asked for.
// `bin.ts` builds the real one, tests build a fake one.
import {resolve} from 'node:path';
import type {Change} from '../lib/change/change.ts';
import type {Config} from '../lib/config/config.ts';
import {Failure} from '../lib/failure.ts';
import {openGit} from '../lib/git/command.ts';
import {readIdentity} from '../lib/git/identity.ts';
import {openRepository, type Repository} from '../lib/git/repository.ts';
import {agentOfSession} from '../lib/hosts/agent-session.ts';
import {isAlive} from '../lib/loop/process-table.ts';
import {listRunning} from '../lib/loop/running.ts';
import type {CheckCommand} from '../lib/model/checks.ts';
import {agentName, eventIds} from '../lib/model/ids.ts';
import {type Appended, changeGoal, type Writer} from '../lib/store/append.ts';
import {askFirst, type OpenGitStore, openGitStore} from '../lib/store/git-store.ts';
import {type GoalView, loadRecords, viewGoal} from '../lib/store/view.ts';
import {isTakenIn} from '../lib/sync/memory.ts';
import type {World} from '../lib/world.ts';
import {chooseGoal} from './choose-goal.ts';
import type {Output} from './print.ts';

export type Input = {
  readonly isTerminal: boolean;
  /** Returns all of standard input. */
  readonly read: () => Promise<string>;
  /** Asks on the terminal and returns the line that was typed. */
  readonly ask: (question: string) => Promise<string>;
};

export type Surroundings = {
  readonly world: World;
  readonly cwd: string;
  readonly stdout: Output;
  readonly stderr: Output;
  readonly stdin: Input;
  /** Aborts when the user interrupts. */
  readonly signal: AbortSignal;
  /** The command that starts this loopx again, for agents and hooks. */
  readonly loopx: readonly string[];
  readonly version: string;
};

export type Session = Surroundings & {
  readonly json: boolean;
  /** Whether the user may be asked. */
  readonly mayAsk: boolean;
  /** The agent that acts; undefined where a person does. */
  readonly agent: string | undefined;
  /** Returns the same session about another goal. */
  readonly forGoal: (goal: string) => Session;
  readonly repository: () => Promise<Repository>;
  readonly store: () => Promise<OpenGitStore>;
  readonly config: () => Promise<Config>;
  /** The goal that the command is about. */
  readonly view: () => Promise<GoalView>;
  readonly writer: () => Promise<Writer>;
  /** Takes in what was fetched, and records rounds of this machine whose process vanished; mostly there is neither. */
  readonly settled: () => Promise<void>;
  /** Makes a change to the goal that the command is about. */
  readonly change: (change: Change) => Promise<Appended & {readonly goal: string}>;
  /** Reads one record of the goal as it is at a commit. */
  readonly recordAt: <T extends object>(tip: string, path: string) => Promise<T>;
  /** Trusts commands that a person has just typed on this machine; an agent's words are not trusted. */
  readonly trustOwn: (checks: readonly CheckCommand[]) => Promise<void>;
  readonly print: (text: string) => void;
  readonly say: (text: string) => void;
  readonly close: () => void;
};

export type SessionFlags = {
  readonly json?: boolean;
  readonly goal?: string;
  readonly project?: string;
  readonly as?: string;
  readonly input?: boolean;
};

/** Returns a session for one command. */
export function openSession(around: Surroundings, flags: SessionFlags): Session {
  const {world, cwd, stdin, stdout, stderr} = around;
  const dir = resolve(cwd, flags.project ?? '.');
  const repository = once(() => openRepository(dir, world.env));
  let opened: OpenGitStore | undefined;
  const others: Session[] = [];
  const store = once(async () => {
    const first = askFirst(openGit(dir, world.env));
    try {
      opened = openGitStore(await repository(), world, first);
      return opened;
    } catch (error) {
      first.objects.close();
      throw error;
    }
  });
  const agent = agentOfSession({...world.env, ...(flags.as && {LOOPX_AGENT: flags.as})}, world.machine);
  if (agent !== undefined) agentName(agent);
  const writer = once(async (): Promise<Writer> => {
    const [{redact}, identity] = await Promise.all([
      import('../lib/evidence/redact.ts'),
      readIdentity((await repository()).git, world.env),
    ]);
    const person = identity ?? {
      name: world.env.USER || 'somebody',
      mail: `${world.env.USER || 'somebody'}@${world.machine}.invalid`,
    };
    return {
      store: await store(),
      world,
      by: agent ?? `${person.name} <${person.mail}>`,
      committer: identity ?? {name: 'loopx', mail: 'loopx@loopx.invalid'},
      nextId: eventIds(world.now, world.random),
      redact,
    };
  });
  // What the user's own `git pull` has brought; mostly there is nothing new, and then it costs a look into one file.
  const takeInFetched = async () => {
    const [{commonDir}, {tracked}] = await Promise.all([repository(), store()]);
    const seen = await tracked();
    if (await isTakenIn(commonDir, seen)) return;
    const {tellTaken} = await import('./fetched.ts');
    await tellTaken(session, seen);
  };
  const goal = once(async () => chooseGoal(await store(), {named: flags.goal ?? world.env.LOOPX_GOAL}));
  const settled = once(async () => {
    await takeInFetched();
    const running = await listRunning(await repository());
    if (running.every(({pid, startTime}) => isAlive({pid, startTime}, world))) return;
    const {loopContext, settle} = await import('./loop-session.ts');
    await settle(session, await loopContext(session));
  });
  const session: Session = {
    ...around,
    json: flags.json ?? false,
    mayAsk: flags.input !== false && stdin.isTerminal && stderr.isTerminal && agent === undefined,
    agent,
    forGoal: name => {
      const other = openSession(around, {...flags, goal: name});
      others.push(other);
      return other;
    },
    repository,
    store,
    config: once(async () => {
      const {readConfig} = await import('../lib/config/config.ts');
      return readConfig(world.env, (await repository()).top);
    }),
    view: async () => {
      const chosen = await goal();
      const {id} = chosen;
      const tip = await (await store()).tip(id);
      if (tip === undefined) throw new Failure('no-goal', `There is no goal "${id}" any more.`);
      return tip === chosen.tip ? chosen : viewGoal(await store(), id, tip);
    },
    writer,
    settled,
    change: async change => {
      await settled();
      const {id} = await goal();
      return {goal: id, ...(await changeGoal(await writer(), id, change))};
    },
    recordAt: async <T extends object>(tip: string, path: string) => {
      return (await loadRecords(await store(), tip, [path])).get(path) as T;
    },
    trustOwn: async checks => {
      if (agent !== undefined || checks.length === 0) return;
      const {trust} = await import('../lib/evidence/trust.ts');
      await trust(
        (await repository()).commonDir,
        checks.map(check => check.run),
      );
    },
    print: text => stdout.write(`${text}\n`),
    // Programs read a failure there as one document.
    say: text => void (flags.json || stderr.write(`${text}\n`)),
    close: () => {
      opened?.close();
      for (const other of others) other.close();
    },
  };
  return session;
}

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => {
    made ??= make();
    return made;
  };
}
