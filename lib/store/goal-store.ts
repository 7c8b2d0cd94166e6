// The port through which goals are kept. Two implementations: git, and memory for tests; one suite runs on both. A store
// knows commits, trees of small texts and one ref a goal; what they mean is decided above it.
import type {AnyEvent} from '../model/event.ts';

export type GoalStore = {
  /** Returns the tip of each goal. */
  readonly tips: () => Promise<ReadonlyMap<string, string>>;
  /** Returns the newest commit of one goal. */
  readonly tip: (goal: string) => Promise<string | undefined>;
  /** Returns the texts of those of the paths that the commit's tree has. */
  readonly read: (commit: string, paths: readonly string[]) => Promise<ReadonlyMap<string, string>>;
  /** Returns the paths of the files in one folder of a commit's tree; `''` means the whole tree. */
  readonly paths: (commit: string, folder: string) => Promise<readonly string[]>;
  /** Returns the commits that are reachable from `include` and not from `exclude`, children before parents. */
  readonly commits: (
    include: readonly string[],
    exclude: readonly string[],
    limit?: number,
  ) => Promise<readonly StoredCommit[]>;
  /** Returns the best common ancestors of two commits: those that no other common ancestor contains. */
  readonly mergeBases: (x: string, y: string) => Promise<readonly string[]>;
  /**
   * Writes a commit and moves the goal's ref from the commit's parent to it, atomically.
   *
   * @throws {Failure} `ref-moved` where the ref no longer is at `expected`; nothing has happened then.
   */
  readonly write: (commit: NewCommit) => Promise<string>;
  /** Moves a goal's ref forward to a commit that contains its present tip. */
  readonly forward: (goal: string, to: string, expected: string | undefined) => Promise<void>;
  /** Runs `work` while other writers of this machine wait. For speed only: truth is the ref. */
  readonly inTurn: <T>(goal: string, work: () => Promise<T>) => Promise<T>;
};

/** As much of a store as looking at goals takes. */
export type GoalReader = Pick<GoalStore, 'tips' | 'tip' | 'read' | 'paths'>;

export type StoredCommit = {
  readonly commit: string;
  readonly parents: readonly string[];
  readonly tree: string;
  /** Committer date, seconds since the Unix epoch. */
  readonly committedAt: number;
  readonly subject: string;
  /** The events, or why they could not be read. */
  readonly events: readonly AnyEvent[];
  readonly problem?: string;
  /** Whether the problem is that they are of a later version of loopx. */
  readonly isNewer?: boolean;
  /** The clock of its events; of a merge, the maximum of its parents'. */
  readonly clock: number;
};

export type NewCommit = {
  readonly goal: string;
  /** The tip that the ref is moved from; undefined makes the goal. */
  readonly expected: string | undefined;
  readonly parents: readonly string[];
  /** What the changes are made on: the first parent's tree, nothing, or the tree of this id. */
  readonly base: 'parent' | 'empty' | {readonly tree: string};
  /** New texts by path; undefined removes the file. */
  readonly files: ReadonlyMap<string, string | undefined>;
  readonly message: string;
  readonly author: Signature;
  readonly committer: Signature;
};

/** Who and when: the time in seconds since the Unix epoch, in UTC. */
export type Signature = {readonly name: string; readonly mail: string; readonly seconds: number};

/** Who stands behind what loopx itself writes. */
export const loopxSignature = {name: 'loopx', mail: 'loopx@loopx.invalid'};
