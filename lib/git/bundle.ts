// Bundles: a file that holds refs with all objects below them, to be carried by any means. Git checks what it unpacks
// object by object; that nothing is missing below a ref is asked for here.
import {Failure} from '../failure.ts';
import type {Git} from './command.ts';

/** Writes a file with all of these refs; one that is there is replaced once the new one is whole. */
export async function writeBundle(git: Git, file: string, refs: readonly string[]): Promise<void> {
  await git.text(['bundle', 'create', '--quiet', file, ...refs]);
}

/**
 * Returns the commits that a bundle's refs point to.
 *
 * @throws {Failure} `state-unreadable` where it is no bundle, or begins at commits that aren't here.
 */
export async function readBundle(git: Git, file: string): Promise<ReadonlyMap<string, string>> {
  await ask(git, file, ['bundle', 'verify', file]);
  const lines = (await ask(git, file, ['bundle', 'list-heads', file])).split('\n');
  return new Map(lines.map(line => [line.slice(line.indexOf(' ') + 1), line.slice(0, line.indexOf(' '))]));
}

/**
 * Unpacks a bundle, and keeps some of its commits under refs.
 *
 * @param tips - Commits by ref; refs that are there are moved.
 * @throws {Failure} `state-unreadable` where an object is missing.
 */
export async function unpackBundle(git: Git, file: string, tips: ReadonlyMap<string, string>): Promise<void> {
  await ask(git, file, ['bundle', 'unbundle', file]);
  for (const tip of tips.values()) await ask(git, file, ['rev-list', '--objects', '--quiet', tip, '--not', '--all']);
  for (const [ref, tip] of tips) await git.text(['update-ref', ref, tip]);
}

async function ask(git: Git, file: string, args: readonly string[]): Promise<string> {
  const result = await git.run(args);
  if (result.status === 0) return result.stdout.toString().trimEnd();
  const said = result.stderr
    .trim()
    .split('\n')[0]!
    .replace(/^(fatal|error): |[.:]$/g, '');
  throw new Failure('state-unreadable', `${file} can't be taken in: ${said || 'git refuses it'}.`, {
    hint: 'Was it sent whole? Write it again there: loopx export --bundle FILE',
  });
}
