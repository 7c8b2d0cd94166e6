// Merging notes: the union of the lines on each object. Two machines that merge the same tips make the same commit, so
// everything in it follows from the tips alone. The folders in a tree of notes depend on how many there are and on who
// wrote it, so notes are compared by the object that they are on.
import {Failure, isFailure} from '../failure.ts';
import type {World} from '../world.ts';
import {type Git, gitFailure} from './command.ts';
import {mergeBases, readHistory} from './history.ts';
import {importCommit} from './import.ts';
import {notesRef} from './notes.ts';
import {openObjects} from './objects.ts';
import {listRefs, moveRef} from './refs.ts';

const attemptsMax = 20;
const signature = {name: 'loopx', mail: 'loopx@loopx.invalid'};

export type NotesMerged = {readonly tip: string; readonly isNew: boolean};

/**
 * Takes the notes of another tip into `refs/notes/loopx`. No line is lost, also where one side has removed it.
 *
 * @param gitDir - Where git leaves a crash report, which is removed.
 * @throws {Failure} `ref-moved` when others kept winning; `git-locked`, `git-failed`.
 */
export async function mergeNotes(
  git: Git,
  gitDir: string,
  theirs: string,
  world: Pick<World, 'random' | 'sleep'>,
): Promise<NotesMerged> {
  for (let attempt = 1; ; attempt += 1) {
    const ours = (await listRefs(git, notesRef)).get(notesRef);
    try {
      return await mergeOnce(git, gitDir, ours, theirs);
    } catch (error) {
      if (!isFailure(error, 'ref-moved') || attempt === attemptsMax) throw error;
      await world.sleep(world.random() * Math.min(10 * 2 ** attempt, 500));
    }
  }
}

async function mergeOnce(git: Git, gitDir: string, ours: string | undefined, theirs: string): Promise<NotesMerged> {
  if (ours === theirs) return {tip: theirs, isNew: false};
  const bases = ours === undefined ? [] : await mergeBases(git, ours, theirs);
  if (ours !== undefined && bases.includes(theirs)) return {tip: ours, isNew: false};
  if (ours === undefined || bases.includes(ours)) {
    await moveRef(git, notesRef, theirs, ours);
    return {tip: theirs, isNew: true};
  }

  const parents = [ours, theirs].sort();
  const [one = '', other = ''] = parents;
  const [notes, commits] = await Promise.all([unionNotes(git, one, other), readHistory(git, parents, bases)]);
  const tips = commits.filter(({commit}) => parents.includes(commit));
  const identity = {...signature, seconds: Math.max(...tips.map(({committedAt}) => committedAt))};
  const tip = await importCommit(git, gitDir, {
    ...{ref: notesRef, expected: ours, parents, base: 'parent', files: new Map(), notes},
    message: 'merge two histories of notes\n',
    ...{author: identity, committer: identity},
  });
  return {tip, isNew: true};
}

/** Returns the notes by which a tree of notes has to change to hold all the lines of the other, too. */
async function unionNotes(git: Git, tip: string, other: string): Promise<ReadonlyMap<string, Uint8Array>> {
  const args = ['diff-tree', '-r', '-z', '--raw', '--no-renames', '--no-abbrev', tip, other];
  const result = await git.run(args);
  if (result.status !== 0) throw gitFailure(args, result);
  // A note that merely lies in another folder shows up as removed and as added.
  const sides = new Map<string, {readonly has: string[]; readonly adds: string[]}>();
  const fields = result.stdout.toString().split('\0');
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [, , before = '', after = ''] = fields[at]!.split(' ');
    const object = fields[at + 1]!.replaceAll('/', '');
    if (object.length !== tip.length || !/^[0-9a-f]+$/.test(object)) continue;
    const side = sides.get(object) ?? {has: [], adds: []};
    if (/[^0]/.test(before)) side.has.push(before);
    if (/[^0]/.test(after)) side.adds.push(after);
    sides.set(object, side);
  }

  const changed = [...sides].filter(([, {has, adds}]) => adds.some(blob => !has.includes(blob)));
  const texts = await readBlobs(git, [...new Set(changed.flatMap(([, {has, adds}]) => [...has, ...adds]))]);
  const linesOf = (blobs: readonly string[]) => blobs.flatMap(blob => (texts.get(blob) ?? '').split('\n')).filter(line => line !== ''); // biome-ignore format: one thought
  const notes = new Map<string, Uint8Array>();
  for (const [object, {has, adds}] of changed.sort(([a], [b]) => (a < b ? -1 : 1))) {
    // What only one side has stays as it is, to the byte.
    if (has.length === 0 && adds.length === 1) {
      notes.set(object, Buffer.from(texts.get(adds[0]!) ?? '', 'latin1'));
      continue;
    }

    const present = new Set(linesOf(has));
    const missing = linesOf(adds).filter(line => !present.has(line));
    // Neither side's order is the right one.
    const union = [...new Set([...present, ...missing])].sort();
    if (missing.length > 0) notes.set(object, Buffer.from(`${union.join('\n')}\n`, 'latin1'));
  }

  return notes;
}

// As texts of single-byte characters: a note may hold bytes that are no text of ours.
async function readBlobs(git: Git, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const objects = openObjects(git);
  try {
    const found = await objects.read(ids);
    const lost = found.indexOf(undefined);
    if (lost >= 0) throw new Failure('git-failed', `A note can't be read: git has lost ${ids[lost]}.`);
    return new Map(ids.map((id, index) => [id, found[index]!.content.toString('latin1')]));
  } finally {
    objects.close();
  }
}
