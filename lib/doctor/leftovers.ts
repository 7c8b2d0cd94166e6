// What killed processes leave in a repository. The doctor names it and how to remove it, and removes nothing: what looks
// left over may belong to somebody who is just writing.

import {isFailure} from '../failure.ts';
import {findLeftovers, type Leftover} from '../git/leftovers.ts';
import {listRunning} from '../loop/running.ts';
import {bad, type Sign, warn} from './finding.ts';
import type {SeenGoal, WholePatient} from './patient.ts';
import {shellWord} from './shell-word.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
/** How many refs one mend names. */
const refsMax = 5;

export async function examineLocks({body, world}: WholePatient): Promise<readonly Sign[]> {
  const locks = (await findLeftovers(body.repository)).filter(({kind}) => kind === 'lock');
  return locks.map(({path, changedAtMs}) => {
    const ageMs = world.now() - changedAtMs;
    const mend = `If no git command is running: rm ${shellWord(path)}`;
    if (ageMs < minuteMs) return warn(`A lock of git is there, and may be in use: ${path}.`, mend);
    return bad(`A lock of git is in the way, ${age(ageMs)} old: ${path}.`, mend);
  });
}

export async function examineLeftovers({body, world}: WholePatient): Promise<readonly Sign[]> {
  const old = (await findLeftovers(body.repository)).filter(({changedAtMs}) => world.now() - changedAtMs > hourMs);
  return [
    ...filesSign('Reports of crashes of git fast-import', 'fast_import_crash_*', old, 'crash-report'),
    ...filesSign('Packs that were never finished', 'tmp_*', old, 'temporary-pack'),
  ];
}

function filesSign(what: string, pattern: string, all: readonly Leftover[], kind: Leftover['kind']): readonly Sign[] {
  const files = all.filter(leftover => leftover.kind === kind);
  const first = files[0];
  if (!first) return [];
  const bytes = files.reduce((sum, {sizeBytes}) => sum + sizeBytes, 0);
  const folder = first.path.slice(0, first.path.lastIndexOf('/'));
  const count = files.length === 1 ? '1 file' : `${files.length} files`;
  return [
    warn(
      `${what} are left over: ${count}, ${bytes} bytes, in ${folder}.`,
      `find ${shellWord(folder)} -maxdepth 1 -name '${pattern}' -mmin +60 -delete`,
    ),
  ];
}

/** Finds refs of snapshots that nothing in the state names any more; they keep their objects from being reclaimed. */
export async function examineRefs({body, world}: WholePatient): Promise<readonly Sign[]> {
  const {repository} = body;
  const goals = new Map((await body.goals()).map(goal => [goal.id, goal]));
  const running = new Set((await listRunning(repository)).map(({goal, agent}) => `${goal}/${agent}`));
  const format = '--format=%(objectname) %(committerdate:unix) %(refname)';
  const out = await repository.git.text(['for-each-ref', format, 'refs/loopx/live', 'refs/loopx/snapshots']);
  const named = new Map<string, ReadonlySet<string>>();
  const isNamed = async (kind: string, id: string, last: string): Promise<boolean> => {
    const goal = goals.get(id);
    if (!goal) return false;
    // Where the state can't be read, nobody can say what it names.
    if (isFailure(goal.view)) return true;
    if (kind === 'live') return running.has(`${id}/${last}`) || goal.view.goal.live.some(({agent}) => agent === last);
    if (!named.has(id)) named.set(id, await checkpointsOf(goal, body));
    return named.get(id)!.has(last);
  };

  const orphans: {ref: string; oid: string}[] = [];
  for (const line of out === '' ? [] : out.split('\n')) {
    const [oid = '', seconds, ref = ''] = line.split(' ');
    const [, , kind = '', goal = '', last = ''] = ref.split('/');
    // A snapshot's ref comes before the record that names it.
    const isNew = world.now() - Number(seconds) * 1000 < hourMs;
    if (!isNew && !(await isNamed(kind, goal, last))) orphans.push({ref, oid});
  }

  if (orphans.length === 0) return [];
  const some = orphans.slice(0, refsMax);
  const more = orphans.length > refsMax ? ', and more: run `loopx doctor` again after the mend' : '';
  return [
    warn(
      `Snapshots that no checkpoint names keep their space: ${some.map(({ref}) => ref).join(', ')}${more}.`,
      some.map(({ref, oid}) => `git update-ref -d ${ref} ${oid}`).join(' && '),
    ),
  ];
}

async function checkpointsOf({tip}: SeenGoal, {store}: WholePatient['body']): Promise<ReadonlySet<string>> {
  return new Set((await store.paths(tip, 'checkpoints')).map(path => path.replace(/^.*\/|\.yaml$/g, '')));
}

function age(ms: number): string {
  if (ms < hourMs) return `${Math.floor(ms / minuteMs)} min`;
  return ms < 48 * hourMs ? `${Math.floor(ms / hourMs)} h` : `${Math.floor(ms / (24 * hourMs))} days`;
}
