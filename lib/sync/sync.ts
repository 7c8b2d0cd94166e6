// Syncing with one remote: fetch, take in, push what it lacks; again where another was faster. Which ref was refused is
// told by git's own flags, never by words, and a refusal counts as a lost race only as long as the remote's ref moves.
// A remote that can't be reached, or wants a password, is not tried twice.
import {notesRef} from '../git/notes.ts';
import {listRefs} from '../git/refs.ts';
import {fetchRefs, isAncestor, type RemoteCall, type RemoteFault, remoteRefs} from '../git/remote.ts';
import {goalRefs, trackingRefs} from '../store/git-store.ts';
import {markSent} from '../store/unsent.ts';
import {type Integrated, integrate, type SyncContext, type Taken} from './integrate.ts';
import {keepRemoteMemory, type Problem, type RemoteMemory, readRemoteMemory} from './memory.ts';
import {type Lacking, type PushPlan, planPush, sendLacking} from './push.ts';
import {type ConnectedRemote, trackedBy, trackingRef} from './remotes.ts';

export type SyncOptions = {
  /** The longest that all talk with the remote may take. */
  readonly budgetMs: number;
  /** Whether to look first what the remote has, or only where it refuses. */
  readonly fetch: 'first' | 'on-refusal';
};

/** Something that was sent, or that waits. `goal` undefined means the notes. */
export type Sent = {readonly goal?: string | undefined; readonly events: number};
export type Waiting = Sent & {readonly why: string};

export type SyncReport = {
  readonly remote: string;
  readonly came: readonly Taken[];
  readonly sent: readonly Sent[];
  readonly waiting: readonly Waiting[];
  /** What a person should know besides: that the remote had lost something, or that something was not taken in. */
  readonly notices: readonly string[];
  /** Why the remote was not served. */
  readonly problem: Problem | undefined;
};

const heldBack = 'The remote has no branch of yours yet: push one first.';
const attemptsMax = 25;
/** After so many refusals during which the remote's refs have not moved, it means what it says. */
const refusalsMax = 3;

/** Syncs with one remote. */
export async function syncRemote(
  context: SyncContext,
  remote: ConnectedRemote,
  options: SyncOptions,
): Promise<SyncReport> {
  const {repository, world} = context;
  const {git, commonDir} = repository;
  const endMs = world.now() + options.budgetMs;
  const call = (): RemoteCall => ({remote: remote.name, limitMs: endMs - world.now(), signal: context.signal});
  const memory = await readRemoteMemory(commonDir, remote.name);
  const accepted: Record<string, string> = {...memory.accepted};
  const report = {came: [] as Taken[], sent: new Map<string, Sent>(), notices: new Set<string>()};
  let plan: PushPlan = {lacking: [], word: ''};
  let fault: RemoteFault | undefined;
  let refusal = '';
  let isHeld = false;
  let refusals = 0;

  const takeIn = async (): Promise<Integrated & {tracked: ReadonlyMap<string, string>}> => {
    const tracked = await trackedOf(context, remote);
    const integrated = await integrate(context, tracked);
    report.came.push(...integrated.taken);
    for (const {message} of integrated.problems.values()) report.notices.add(message);
    return {...integrated, tracked};
  };

  // What a fetch of the user's brought must be ours before our fetch may follow a remote that has lost it.
  let state = await takeIn();
  for (let attempt = 1; ; attempt += 1) {
    if (attempt > 1 || options.fetch === 'first') {
      fault = await fetchRefs(git, call(), remote.refspecs);
      if (fault) {
        plan = await planPush(context, remote, state.tracked, state.problems);
        break;
      }

      const before = state.tracked;
      for (const line of await lossesOf(context, remote, accepted)) report.notices.add(line);
      state = await takeIn();
      if (attempt > 1 && isSame(before, state.tracked)) refusals += 1;
    }

    plan = await planPush(context, remote, state.tracked, state.problems);
    const sendable = plan.lacking.filter(({problem}) => problem === undefined);
    if (sendable.length === 0 || attempt > attemptsMax || refusals >= refusalsMax) break;
    const hold = await reasonToHold(context, remote, accepted, call);
    if (hold !== undefined) {
      isHeld = hold === 'no-branch';
      if (hold !== 'no-branch') fault = hold;
      break;
    }

    const {answers, fault: broken} = await sendLacking(context, remote, sendable, call);
    for (const {ref, goal, tip, events} of sendable) {
      const answer = answers.get(ref);
      if (!answer?.isAccepted) {
        refusal = answer?.said ?? refusal;
        continue;
      }

      accepted[ref] = tip;
      report.sent.set(ref, {goal, events: events + (report.sent.get(ref)?.events ?? 0)});
    }

    fault = broken;
    if (fault) {
      plan = await planPush(context, remote, await trackedOf(context, remote), state.problems);
      break;
    }

    if (sendable.every(({ref}) => answers.get(ref)?.isAccepted)) {
      state = {...state, tracked: await trackedOf(context, remote)};
      plan = {...plan, lacking: plan.lacking.filter(({problem}) => problem !== undefined)};
      break;
    }

    await world.sleep(world.random() * Math.min(40 * 2 ** attempt, 1500), context.signal);
  }

  const takesNothing = !fault && refusals >= refusalsMax && state.tracked.size === 0 && report.sent.size === 0;
  const problem = fault ? notReached(remote, fault) : takesNothing ? takesNoRefs(remote, refusal) : undefined;
  const why = problem?.message ?? (isHeld ? heldBack : refusal ? `The remote said: ${refusal}.` : 'It was not sent.');
  await remember(context, remote, {accepted, problem, takesNothing, refusal, plan});
  return {
    remote: remote.name,
    came: report.came,
    sent: [...report.sent.values()],
    waiting: plan.lacking.map(({goal, events, problem: own}) => ({goal, events, why: own?.message ?? why})),
    notices: [...report.notices],
    problem,
  };
}

/** Returns what would come and go, as far as is known without asking the remote. */
export async function foreseeSync(context: SyncContext, remote: ConnectedRemote): Promise<readonly Lacking[]> {
  const tracked = await trackedOf(context, remote);
  return (await planPush(context, remote, tracked, new Map())).lacking;
}

async function trackedOf({repository}: SyncContext, remote: ConnectedRemote): Promise<ReadonlyMap<string, string>> {
  const refs = await listRefs(repository.git, `${trackingRefs}${remote.name}/`);
  return new Map([...refs].filter(([ref]) => trackedBy(ref)?.remote === remote.name));
}

function isSame(before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>): boolean {
  return before.size === after.size && [...before].every(([ref, tip]) => after.get(ref) === tip);
}

/** Says what the remote has no longer, though it had accepted it. It gets it again; nothing is deleted here. */
async function lossesOf(
  context: SyncContext,
  remote: ConnectedRemote,
  accepted: Record<string, string>,
): Promise<readonly string[]> {
  const tracked = await trackedOf(context, remote);
  const lines: string[] = [];
  for (const [ref, tip] of Object.entries(accepted)) {
    const now = tracked.get(trackingRef(remote.name, ref));
    if (now === tip) continue;
    const isKept = now !== undefined && (await isAncestor(context.repository.git, tip, now));
    if (isKept) continue;
    const what = ref === notesRef ? 'the notes' : ref.slice(goalRefs.length);
    lines.push(`${remote.name} had ${now ? 'gone back behind' : 'lost'} ${what}, which it had accepted.`);
    // Said once.
    delete accepted[ref];
  }

  return lines;
}

/** A host that takes branches only would make the first one that it gets its default: so the user's comes first. */
async function reasonToHold(
  context: SyncContext,
  remote: ConnectedRemote,
  accepted: Readonly<Record<string, string>>,
  call: () => RemoteCall,
): Promise<'no-branch' | RemoteFault | undefined> {
  const {branchPrefix} = remote;
  if (branchPrefix === undefined || Object.keys(accepted).length > 0) return undefined;
  const branches = await remoteRefs(context.repository.git, call(), 'refs/heads/');
  if ('said' in branches) return branches;
  if (branches.some(ref => !ref.startsWith(branchPrefix))) return undefined;
  return 'no-branch';
}

function notReached(remote: ConnectedRemote, {said}: RemoteFault): Problem {
  return {
    code: 'remote-failed',
    message: `${remote.name} could not be synced with: ${said}.`,
    hint: `See whether git reaches it: git ls-remote ${remote.name}`,
  };
}

function takesNoRefs(remote: ConnectedRemote, said: string): Problem {
  return {
    code: 'remote-failed',
    message: `${remote.name} takes no refs of loopx: ${said}.`,
    hint:
      'If they may go there as branches: ' +
      `git config remote.${remote.name}.loopxPrefix refs/heads/loopx && loopx connect && loopx sync ${remote.name}`,
  };
}

async function remember(
  {repository: {commonDir}}: SyncContext,
  remote: ConnectedRemote,
  end: {
    readonly accepted: Readonly<Record<string, string>>;
    readonly problem: Problem | undefined;
    readonly takesNothing: boolean;
    readonly refusal: string;
    readonly plan: PushPlan;
  },
): Promise<void> {
  const memory: RemoteMemory = {
    accepted: end.accepted,
    ...(end.takesNothing && {refused: end.refusal}),
    ...(end.problem && {failed: end.problem.message}),
  };
  await keepRemoteMemory(commonDir, remote.name, memory);
  // What waits for a mend elsewhere is sent when its word changes.
  const isDone = end.plan.lacking.every(({problem}) => problem !== undefined);
  const word = end.takesNothing ? 'refused' : isDone && !end.problem ? end.plan.word : undefined;
  if (word !== undefined) await markSent(commonDir, remote.name, word).catch(() => {});
}
