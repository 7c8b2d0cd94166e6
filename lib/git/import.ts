// Writing: one `git fast-import` stream makes the objects of a commit and moves one ref to it. It always starts with
// `feature done`, since a stream that is cut off without it is committed with exit status 0.
import {rm} from 'node:fs/promises';
import {join} from 'node:path';
import {Failure} from '../failure.ts';
import type {Git} from './command.ts';
import {listRefs, refFailure} from './refs.ts';

export type ImportCommit = {
  readonly ref: string;
  /** Where the ref has to be; undefined where it must not exist. */
  readonly expected: string | undefined;
  readonly parents: readonly string[];
  /** What the files are laid on: the first parent's tree, nothing, or the tree of this id. */
  readonly base: 'parent' | 'empty' | {readonly tree: string};
  readonly files: ReadonlyMap<string, string | undefined>;
  /** Notes by the object that they are on; they take the place of files in a commit of notes. */
  readonly notes?: ReadonlyMap<string, string | Uint8Array>;
  readonly message: string;
  readonly author: Identity;
  readonly committer: Identity;
};

/** The time is in seconds since the Unix epoch, in UTC. */
export type Identity = {readonly name: string; readonly mail: string; readonly seconds: number};

/**
 * Writes a commit and moves its ref; returns the commit's id.
 *
 * @param gitDir - Where git leaves a crash report, which is removed.
 * @throws {Failure} `ref-moved` where the ref was elsewhere and nothing has happened; `git-locked`; `git-failed`.
 */
export async function importCommit(git: Git, gitDir: string, commit: ImportCommit): Promise<string> {
  const args = [
    '-c',
    'core.fsync=loose-object,reference,pack,pack-metadata',
    'fast-import',
    '--quiet',
    '--date-format=raw',
  ];
  const result = await git.run(args, {input: stream(commit)});
  const made = /^[0-9a-f]{40,64}$/m.exec(result.stdout.toString())?.[0];
  if (result.status === 0 && made) return made;
  await removeCrashReport(gitDir, result.stderr);
  if (made && (await contains(git, commit.ref, made))) return made;
  // The last line says why, not where the report was.
  const stderr = result.stderr.replace(/^fast-import: dumping crash report.*\n?/m, '');
  throw await refFailure(git, commit.ref, commit.expected, ['fast-import'], {...result, stderr});
}

async function contains(git: Git, ref: string, commit: string): Promise<boolean> {
  const tip = (await listRefs(git, ref)).get(ref);
  if (tip === undefined) return false;
  return tip === commit || (await git.run(['merge-base', '--is-ancestor', commit, tip])).status === 0;
}

function stream(commit: ImportCommit): Buffer {
  const {
    ref,
    parents,
    base,
    files,
    notes = new Map<string, string | Uint8Array>(),
    message,
    author,
    committer,
  } = commit;
  const parts: (string | Buffer)[] = ['feature done\nfeature get-mark\n'];
  const data = (content: string | Uint8Array) => {
    const bytes = Buffer.from(content as string);
    parts.push(`data ${bytes.length}\n`, bytes, '\n');
  };
  const marks = new Map<string, number>();
  for (const [path, text] of [...files, ...notes]) {
    if (text === undefined) continue;
    marks.set(path, marks.size + 1);
    parts.push(`blob\nmark :${marks.size}\n`);
    data(text);
  }

  const mark = marks.size + 1;
  parts.push(`commit ${ref}\nmark :${mark}\nauthor ${identity(author)}\ncommitter ${identity(committer)}\n`);
  data(message);
  if (parents[0]) parts.push(`from ${parents[0]}\n`);
  for (const parent of parents.slice(1)) parts.push(`merge ${parent}\n`);
  if (base === 'empty') parts.push('deleteall\n');
  else if (base !== 'parent') parts.push(`M 040000 ${base.tree} ""\n`);
  for (const [path, text] of files) {
    parts.push(text === undefined ? `D ${quoted(path)}\n` : `M 100644 :${marks.get(path)} ${quoted(path)}\n`);
  }

  for (const object of notes.keys()) parts.push(`N :${marks.get(object)} ${object}\n`);
  parts.push(`\nget-mark :${mark}\ndone\n`);
  return Buffer.concat(parts.map(part => (typeof part === 'string' ? Buffer.from(part) : part)));
}

function identity({name, mail, seconds}: Identity): string {
  const plain = (text: string) => text.replace(/[\p{Cc}<>]/gu, '').trim();
  return `${plain(name) || 'unknown'} <${plain(mail)}> ${seconds} +0000`;
}

function quoted(path: string): string {
  if (/[\n"\\]/.test(path)) throw new Failure('usage', `"${path}" is no path of a state file.`);
  return path;
}

async function removeCrashReport(gitDir: string, stderr: string): Promise<void> {
  const report = /fast_import_crash_\d+/.exec(stderr)?.[0];
  if (report) await rm(join(gitDir, report), {force: true});
}
