// A checkpoint is a recovery point: a digest in words, the structured progress, pointers to artifacts, and a snapshot
// of the working tree; never the raw conversation. The snapshot is byte-exact and therefore stays on its machine.

export type CheckpointTrigger =
  | 'hand'
  | 'todo-end'
  | 'round-start'
  | 'round-end'
  | 'interval'
  | 'interrupt'
  | 'vanished'
  | 'before-restore';

export type Checkpoint = {
  readonly id: string;
  readonly created: string;
  readonly trigger: CheckpointTrigger;
  readonly digest: string;
  readonly progress: Progress;
  readonly todo?: string;
  readonly round?: string;
  readonly artifacts?: readonly string[];
  readonly snapshot?: SnapshotShort;
  readonly at: string;
  readonly by: string;
};

export type Progress = {
  readonly open: number;
  readonly done: number;
  readonly verified: number;
  readonly total: number;
};

/** What a checkpoint tells of its snapshot on machines that don't have it. */
export type SnapshotShort = {
  readonly commit: string;
  readonly tree: string;
  readonly state: 'complete' | 'partial';
  readonly head?: string;
  readonly branch?: string;
  /** Up to twenty paths that are missing, and how many there are of each kind. */
  readonly partial?: readonly string[];
  readonly large?: readonly string[];
  readonly nested?: readonly string[];
  readonly raw?: number;
};
