// Plays events from the very beginning and says which tree they add up to. To get from one history to another it takes
// back what the two don't share and plays the rest, so that a check of all commits costs little more than one of the last.
import {Failure} from '../failure.ts';
import {blobId, type HashName, openTree} from '../git/hash.ts';
import type {AnyEvent} from '../model/event.ts';
import {foldEvent} from '../model/fold.ts';
import {draftOf, type StateRecord} from '../model/state.ts';
import {encodeRecord} from './codec.ts';

export type Replay = {
  /** Returns the id of the tree that these events, in this order, add up to. */
  readonly treeAfter: (events: readonly AnyEvent[]) => string;
  /** Returns why an event could not be folded, if it couldn't. */
  readonly refusalOf: (event: AnyEvent) => string | undefined;
};

type Step = {
  readonly event: AnyEvent;
  /** What the event replaced, to take it back. */
  readonly before: readonly (readonly [path: string, file: File | undefined])[];
};

/** The blob's id is computed when a tree is asked for that has it. */
type File = {readonly record: StateRecord; blob?: string};

export function openReplay(hash: HashName): Replay {
  const steps: Step[] = [];
  const files = new Map<string, File>();
  const state = {
    get: (path: string) => files.get(path)?.record,
    has: (path: string) => files.has(path),
    keys: () => files.keys(),
  };
  const tree = openTree(hash);
  const changed = new Set<string>();
  const refusals = new Map<string, string>();

  const put = (path: string, file: File | undefined) => {
    if (file) files.set(path, file);
    else files.delete(path);
    changed.add(path);
  };

  const takeBack = () => {
    for (const [path, file] of steps.pop()!.before) put(path, file);
  };

  const play = (event: AnyEvent) => {
    const draft = draftOf(state);
    try {
      foldEvent(draft, event);
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      refusals.set(event.id, error.message);
    }

    steps.push({event, before: [...draft.changes.keys()].map(path => [path, files.get(path)])});
    for (const [path, record] of draft.changes) put(path, record && {record});
  };

  const place = (path: string) => {
    const file = files.get(path);
    if (file) file.blob ??= blobId(hash, encodeRecord(file.record));
    tree.set(path, file?.blob);
  };

  return {
    treeAfter(events) {
      let shared = 0;
      while (shared < steps.length && steps[shared]!.event === events[shared]) shared += 1;
      while (steps.length > shared) takeBack();
      for (const event of events.slice(shared)) play(event);
      for (const path of changed) place(path);
      changed.clear();
      return tree.id();
    },
    refusalOf: event => refusals.get(event.id),
  };
}
