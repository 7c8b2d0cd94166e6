// An artifact is something that a round produced: where it lies, and the hash by which one can tell it is still that.

export type Artifact = {
  readonly id: string;
  readonly created: string;
  readonly path: string;
  readonly kind: string;
  readonly sha256: string;
  readonly sizeBytes: number;
  readonly round?: string;
  readonly todo?: string;
  readonly at: string;
  readonly by: string;
};
