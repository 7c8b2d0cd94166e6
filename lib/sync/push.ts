// What a remote lacks, and sending it: plain pushes of exactly the refs that differ, so that the remote itself refuses
// whatever is not a step forward.

import {notesRef} from '../git/notes.ts';
import {listRefs, setRefs} from '../git/refs.ts';
import {type PushAnswer, pushRefs, type RemoteCall, type RemoteFault} from '../git/remote.ts';
import {goalRefs} from '../store/git-store.ts';
import {readChanged} from '../store/unsent.ts';
import {eventsOutside, eventsSince} from './count.ts';
import type {SyncContext} from './integrate.ts';
import type {Problem} from './memory.ts';
import {type ConnectedRemote, trackingRef} from './remotes.ts';

/** Something that a remote lacks. */
export type Lacking = {
  readonly ref: string;
  /** Undefined means the notes. */
  readonly goal?: string | undefined;
  readonly tip: string;
  readonly events: number;
  /** Why it can't be sent: what the remote has was not taken in. */
  readonly problem?: Problem;
};

export type PushPlan = {
  readonly lacking: readonly Lacking[];
  /** The word up to which all is sent once the plan is done; see store/unsent.ts. */
  readonly word: string;
};

/** How many refs go in one push: some hosts break off at a hundred. */
const refsEach = 64;

/** Returns what the remote lacks, going by where its refs were last seen. */
export async function planPush(
  {store, repository}: SyncContext,
  remote: ConnectedRemote,
  tracked: ReadonlyMap<string, string>,
  problems: ReadonlyMap<string, Problem>,
): Promise<PushPlan> {
  const {git, commonDir} = repository;
  const word = await readChanged(commonDir);
  const notes = (await listRefs(git, notesRef)).get(notesRef);
  const tips = await listRefs(git, goalRefs);
  const lacking: Lacking[] = [];
  for (const [ref, tip] of [...tips, ...(notes ? [[notesRef, notes] as const] : [])]) {
    const at = trackingRef(remote.name, ref);
    const seen = tracked.get(at);
    if (seen === tip) continue;
    const goal = ref === notesRef ? undefined : ref.slice(goalRefs.length);
    const problem = problems.get(at);
    const events =
      goal === undefined
        ? 0
        : await (problem && seen ? eventsOutside(store, tip, seen) : eventsSince(store, goal, tip, seen));
    lacking.push({ref, goal, tip, events, ...(problem && {problem})});
  }

  return {lacking, word};
}

export type PushResult = {
  /** What the remote said to each, by our name of the ref. */
  readonly answers: ReadonlyMap<string, PushAnswer>;
  readonly fault: RemoteFault | undefined;
};

/** Sends what a remote lacks, and notes where its refs are then. */
export async function sendLacking(
  {repository: {git}}: SyncContext,
  remote: ConnectedRemote,
  lacking: readonly Lacking[],
  callOf: () => RemoteCall,
): Promise<PushResult> {
  const answers = new Map<string, PushAnswer>();
  for (let at = 0; at < lacking.length; at += refsEach) {
    const part = lacking.slice(at, at + refsEach);
    const said = await pushRefs(git, callOf(), new Map(part.map(({ref, tip}) => [remote.theirName(ref), tip])));
    if ('said' in said) return {answers, fault: said};
    const byName = new Map(said.map(answer => [answer.ref, answer]));
    for (const {ref} of part) {
      const answer = byName.get(remote.theirName(ref));
      if (answer) answers.set(ref, answer);
    }

    const accepted = part.filter(({ref}) => answers.get(ref)?.isAccepted);
    await setRefs(git, new Map(accepted.map(({ref, tip}) => [trackingRef(remote.name, ref), tip])));
  }

  return {answers, fault: undefined};
}
