// Notes on commits: lines of text in `refs/notes/loopx`. Several processes add lines at once, so a line is added by
// reading the note, appending, and moving the ref from where it was read: `git notes add` would let the last one win.
// Git itself reads and writes the tree of notes, whose folders depend on how many there are.
import {isFailure} from '../failure.ts';
import type {World} from '../world.ts';
import type {Git} from './command.ts';
import {gitFailure} from './command.ts';
import {type Identity, importCommit} from './import.ts';
import {listRefs} from './refs.ts';

export const notesRef = 'refs/notes/loopx';

const attemptsMax = 40;

/** Returns the lines on those of the commits that have a note; commits that aren't here are left out. */
export async function readNotes(git: Git, commits: readonly string[]): Promise<ReadonlyMap<string, readonly string[]>> {
  const tip = (await listRefs(git, notesRef)).get(notesRef);
  const found = tip === undefined ? new Map<string, readonly string[]>() : await notesAt(git, tip, commits);
  return new Map([...found].filter(([, lines]) => lines.length > 0));
}

export type NoteWriter = {
  readonly git: Git;
  /** The git dir of the worktree. */
  readonly gitDir: string;
  readonly world: Pick<World, 'random' | 'sleep'>;
  readonly identity: Identity;
};

/**
 * Adds lines to the notes of commits. Lines that are there already and commits that aren't here are passed over.
 *
 * @returns How many lines were added.
 * @throws {Failure} `ref-moved` when others kept winning; `git-locked`, `git-failed`.
 */
export async function appendNoteLines(
  {git, gitDir, world, identity}: NoteWriter,
  lines: ReadonlyMap<string, readonly string[]>,
): Promise<number> {
  for (let attempt = 1; ; attempt += 1) {
    const tip = (await listRefs(git, notesRef)).get(notesRef);
    const present = await notesAt(git, tip, [...lines.keys()]);
    const missing = [...present].flatMap(([commit, has]) => {
      const add = [...new Set(lines.get(commit))].filter(line => !has.includes(line));
      return add.length === 0 ? [] : [{commit, count: add.length, text: `${[...has, ...add].join('\n')}\n`}];
    });
    if (missing.length === 0) return 0;
    const added = missing.reduce((sum, note) => sum + note.count, 0);
    try {
      await importCommit(git, gitDir, {
        ref: notesRef,
        expected: tip,
        parents: tip === undefined ? [] : [tip],
        base: 'parent',
        files: new Map(),
        notes: new Map(missing.map(({commit, text}) => [commit, text])),
        message: `notes: ${added} ${added === 1 ? 'line' : 'lines'} by loopx\n`,
        author: identity,
        committer: identity,
      });
      return added;
    } catch (error) {
      if (!isFailure(error, 'ref-moved') || attempt === attemptsMax) throw error;
      await world.sleep(world.random() * Math.min(10 * 2 ** attempt, 500));
    }
  }
}

/** Returns the lines on each of the commits that are here, none where there is no note. */
async function notesAt(
  git: Git,
  tip: string | undefined,
  commits: readonly string[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  const ids = commits.filter(commit => /^[0-9a-f]{40,64}$/.test(commit));
  if (ids.length === 0) return new Map();
  const args = [
    ...['-c', 'log.showSignature=false', 'log', '--ignore-missing', '--no-walk=unsorted', '--no-patch', '--no-color'],
    ...['--encoding=UTF-8', '--notes', '--format=tformat:%H%x00%N%x00', '--stdin'],
  ];
  const input = ids.map(commit => `${commit}\n`).join('');
  // `--notes=` takes no commit, but this variable does; the next keeps the user's `notes.displayRef` out, and the last
  // one keeps a partial clone from asking its remote for commits of others.
  const env = {GIT_NOTES_REF: tip ?? notesRef, GIT_NOTES_DISPLAY_REF: '', GIT_NO_LAZY_FETCH: '1'};
  const result = await git.run(args, {input, env});
  if (result.status !== 0) throw gitFailure(['log'], result);
  const fields = result.stdout.toString().split('\0');
  const notes = new Map<string, readonly string[]>();
  for (let at = 0; at + 1 < fields.length; at += 2) {
    // Git's own way to join two notes, as in a squash, puts an empty line between them.
    notes.set(
      fields[at]!.trim(),
      fields[at + 1]!.split('\n').filter(line => line !== ''),
    );
  }

  return notes;
}
