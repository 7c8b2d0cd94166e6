// What git's hooks have told: a line each in the spool, written by hooks/loopx-hook. It is a hint and never the truth:
// hooks may be off. The state never hangs on it, so reading takes nothing away; a spool that has grown is set aside,
// and of those set aside the oldest go.
import {readdir, readFile, rename, rm, stat} from 'node:fs/promises';
import {join} from 'node:path';
import type {World} from '../world.ts';

export type Observation = {
  readonly hook: string;
  /** The git dir of the worktree. */
  readonly gitDir: string;
  /** The round that `LOOPX_ROUND` named. */
  readonly round: string | undefined;
  /** HEAD after it, where the hook could tell. */
  readonly commit: string | undefined;
  /** A commit that was rewritten, and what became of it. */
  readonly rewritten?: {readonly from: string; readonly to: string};
};

const spoolSizeMax = 256 * 1024;
const asideMax = 2;

/** Returns what the hooks have told lately, oldest first. A line that was cut off, or isn't one of ours, is left out. */
export async function readSpool(commonDir: string): Promise<readonly Observation[]> {
  const folder = join(commonDir, 'loopx');
  const texts = (await spoolNames(folder)).map(name => readFile(join(folder, name), 'utf8').catch(() => ''));
  // The last piece is what stands after the last line end: nothing, or a line that is being written.
  const lines = (await Promise.all(texts)).flatMap(text => text.split('\n').slice(0, -1));
  return lines.flatMap(line => readLine(line, commonDir));
}

/** Sets a spool that has grown large aside. A hook that writes just then writes into the one set aside. */
export async function trimSpool(commonDir: string, world: Pick<World, 'now' | 'pid'>): Promise<void> {
  const folder = join(commonDir, 'loopx');
  const file = join(folder, 'spool');
  const size = await stat(file).then(
    stats => stats.size,
    () => 0,
  );
  if (size <= spoolSizeMax) return;
  // Under a name that nobody else takes: two who trim at once must not write over each other's.
  await rename(file, join(folder, `spool-${world.now()}-${world.pid}`)).catch(() => {});
  const aside = (await spoolNames(folder)).filter(name => name !== 'spool');
  for (const name of aside.slice(0, -asideMax)) await rm(join(folder, name), {force: true});
}

/** Returns the spools' names, oldest first: times of this century sort as texts. */
async function spoolNames(folder: string): Promise<readonly string[]> {
  const names = await readdir(folder).catch((): string[] => []);
  const aside = names.filter(name => /^spool-\d+-\d+$/.test(name)).sort();
  return names.includes('spool') ? [...aside, 'spool'] : aside;
}

const linePattern =
  /^(post-[a-z]+) (\S{1,255}) ([A-Za-z0-9_-]{1,64}) (-|[0-9a-f]{40}|[0-9a-f]{64})(?: ([0-9a-f]{40,64}) ([0-9a-f]{40,64}))?$/;

function readLine(line: string, commonDir: string): readonly Observation[] {
  const match = linePattern.exec(line);
  // The doctor's probes tell of nothing that has happened.
  if (!match || match[3]!.startsWith('probe-')) return [];
  const [, hook = '', worktree = '', round, commit, from, to] = match;
  return [
    {
      hook,
      gitDir: worktree === '-' ? commonDir : join(commonDir, 'worktrees', worktree),
      round: round === '-' ? undefined : round,
      commit: commit === '-' ? undefined : commit,
      ...(from && to && {rewritten: {from, to}}),
    },
  ];
}
