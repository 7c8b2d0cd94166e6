// A snapshot's commit message: text for people, a blank line, and one JSON object a line with what a tree can't say.
// The form is canonical, so that equal snapshots have equal messages.
import {Failure} from '../failure.ts';
import type {LargeFile} from './hash-large.ts';
import type {NestedRepository} from './nested.ts';
import type {RawFile} from './stage.ts';

export type SnapshotNotes = {
  /** The commit that HEAD was at; null before the first. */
  readonly head: string | null;
  /** The branch that was checked out, without refs/heads/; null where HEAD was detached. */
  readonly branch: string | null;
  /** The tree of the user's index; null while it had conflicts. */
  readonly indexTree: string | null;
  /** Changed files over this size were not saved. */
  readonly maxFileSizeBytes: number;
  /** The settings for line ends under which the files come back as they were. */
  readonly lineEnds: {readonly autocrlf: string | null; readonly eol: string | null};
  /** Paths that could not be read; empty for a complete snapshot. */
  readonly partial: readonly string[];
  readonly raw: readonly RawFile[];
  readonly nested: readonly NestedRepository[];
  readonly large: readonly LargeFile[];
};

/** Returns the message of a snapshot. */
export function formatNotes(message: string, notes: SnapshotNotes): string {
  const {head, branch, indexTree, maxFileSizeBytes, lineEnds} = notes;
  const lines = [
    {snapshot: 1, head, branch, indexTree, maxFileSizeBytes, autocrlf: lineEnds.autocrlf, eol: lineEnds.eol},
    ...notes.partial.map(path => ({partial: path})),
    ...notes.raw.map(({path, blob}) => ({raw: path, blob})),
    ...notes.nested.map(({path, head, dirty}) => ({nested: path, head, dirty})),
    ...notes.large.map(({path, sizeBytes, sha256}) => ({large: path, sizeBytes, sha256})),
  ];
  const text = message.replaceAll('\0', ' ').trimEnd() || 'Snapshot';
  return `${text}\n\n${lines.map(line => JSON.stringify(line)).join('\n')}\n`;
}

/**
 * Reads the message of a snapshot.
 *
 * @throws {Failure} `nothing-to-restore` if it is another commit's, or one of a later loopx.
 */
export function parseNotes(message: string, name: string): SnapshotNotes {
  try {
    const lines = message.trimEnd().split('\n\n').at(-1)!.split('\n');
    const [first, ...rest] = lines.map(line => JSON.parse(line));
    if (first.snapshot !== 1) throw new Error('another version');
    const {head, branch, indexTree, maxFileSizeBytes, autocrlf, eol} = first;
    return {
      head,
      branch,
      indexTree,
      maxFileSizeBytes,
      lineEnds: {autocrlf, eol},
      partial: rest.filter(line => 'partial' in line).map(line => line.partial),
      raw: rest.filter(line => 'raw' in line).map(({raw, blob}) => ({path: raw, blob})),
      nested: rest.filter(line => 'nested' in line).map(({nested, ...state}) => ({path: nested, ...state})),
      large: rest.filter(line => 'large' in line).map(({large, ...file}) => ({path: large, ...file})),
    };
  } catch (cause) {
    throw new Failure('nothing-to-restore', `${name} is not a snapshot that this loopx can read.`, {
      hint: 'List the snapshots with `loopx checkpoint list`.',
      cause,
    });
  }
}
