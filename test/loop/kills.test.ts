// loopx killed with SIGKILL at random moments, over and over, in two repositories at once. After each kill everything
// that it had acknowledged is there, git finds nothing broken, the next command works, and the user's own things are as
// they were. Every fourth kill also hits the gits that it had started, as when a machine runs out of memory.
//
//     LOOPX_KILLS   how many; 60 unless said, 200 where CI is set
//     LOOPX_SEED    to play a run again, as far as the machine plays along
import {readdir, rm} from 'node:fs/promises';
import {join} from 'node:path';
import {kill} from 'node:process';
import {setTimeout as sleep} from 'node:timers/promises';
import test, {type ExecutionContext} from 'ava';
import {runJson} from '../support/cli.ts';
import {describeRepository} from '../support/listing.ts';
import {agentsFolder, loopx, loopxJson, processesIn, startLoopx} from '../support/loopx.ts';
import {type TempRepo, tempRepo} from '../support/repo.ts';
import {testWorld} from '../support/world.ts';

const kills = Number(process.env.LOOPX_KILLS ?? (process.env.CI ? 200 : 60));
const seed = Number(process.env.LOOPX_SEED ?? Date.now() % 1_000_000);

/** One command that is killed. */
type Victim = {
  readonly name: string;
  readonly argv: readonly string[];
  /** Done before, and not killed. */
  readonly prepare?: (t: ExecutionContext, repo: TempRepo) => Promise<void>;
  /** Finds the ids that the output acknowledges. */
  readonly acknowledged: (stdout: string, stderr: string) => readonly string[];
  /** Whether the user's index, HEAD and files have to stay as they are. */
  readonly touchesNothing: boolean;
};

const idIn = (key: string) => (stdout: string) => {
  try {
    return [(JSON.parse(stdout) as Record<string, {id: string}>)[key]!.id];
  } catch {
    return [];
  }
};

const victims: readonly Victim[] = [
  {
    ...{name: 'todo add', argv: ['todo', 'add', 'One more', '--json'], touchesNothing: true},
    acknowledged: idIn('todo'),
  },
  {
    ...{name: 'checkpoint save', argv: ['checkpoint', 'save', 'By hand', '--json'], touchesNothing: true},
    acknowledged: idIn('checkpoint'),
  },
  {
    name: 'round end',
    argv: ['round', 'end', '--outcome', 'progress', '--summary', 'Some of it.', '--json'],
    async prepare(t, repo) {
      const begun = await loopx(t, repo, ['round', 'begin']);
      if (begun.status !== 0 && !/has a round already/.test(begun.stderr)) t.fail(begun.stderr);
      await repo.write('by-hand.txt', `${Math.random()}\n`);
    },
    acknowledged: idIn('round'),
    touchesNothing: true,
  },
  {
    name: 'run',
    argv: ['run', '--max-rounds', '2', '--command', `${agentsFolder}/works progress`],
    acknowledged: (_, stderr) => stderr.match(/\bc-[0-9a-z]{8}\b/g) ?? [],
    touchesNothing: false,
  },
];

type Tally = {kills: number; early: number; groups: number; locks: number; byVictim: Record<string, number>};

for (const half of [0, 1]) {
  test(`whatever was acknowledged survives a kill at any moment, repository ${half + 1}`, async t => {
    t.timeout(600_000);
    const {random} = testWorld({seed: seed + half});
    const repo = await tempRepo(t);
    t.teardown(async () => {
      for (const pid of await processesIn(repo)) kill(pid, 'SIGKILL');
    });
    await loopxJson(t, repo, ['start-goal', '--goal-text', 'Survive', '--todo', 'Go on']);
    await repo.commit('Second commit', {'a.txt': 'a\n', 'b.txt': 'b\n'});
    await repo.write('a.txt', 'changed\n');
    await repo.git.text(['add', 'a.txt']);
    await repo.write('untracked.txt', 'new\n');

    const usualMs = new Map<string, number>();
    for (const victim of victims) usualMs.set(victim.name, await timed(t, repo, victim));
    const tally: Tally = {kills: 0, early: 0, groups: 0, locks: 0, byVictim: {}};
    // A command that ended before it was killed proves nothing and doesn't count.
    for (let n = 0; tally.kills < kills / 2 && n < 2 * kills; n += 1) {
      const victim = victims[n % victims.length]!;
      const usual = usualMs.get(victim.name)!;
      const delayMs = (0.1 + random()) * usual;
      const tookMs = await killOnce(t, repo, victim, {delayMs, isGroup: random() < 0.25}, tally);
      // The machine is busier at one time than at another.
      usualMs.set(victim.name, tookMs === undefined ? usual * 1.05 : Math.min(usual, tookMs));
    }

    t.log(
      `seed ${seed}, usual ms ${JSON.stringify(Object.fromEntries([...usualMs].map(([name, ms]) => [name, Math.round(ms)])))}, ${JSON.stringify(tally)}`,
    );
    t.is(tally.kills, Math.ceil(kills / 2));
  });
}

async function timed(t: ExecutionContext, repo: TempRepo, victim: Victim): Promise<number> {
  await victim.prepare?.(t, repo);
  const startMs = performance.now();
  const result = await loopx(t, repo, victim.argv);
  if (result.status !== 0) t.fail(`${victim.name}: ${result.stderr}`);
  return Math.round(performance.now() - startMs);
}

/** Returns how long the command took where it ended before it was killed. */
async function killOnce(
  t: ExecutionContext,
  repo: TempRepo,
  victim: Victim,
  {delayMs, isGroup}: {delayMs: number; isGroup: boolean},
  tally: Tally,
): Promise<number | undefined> {
  await victim.prepare?.(t, repo);
  const [before, status] = [await describeRepository(repo.git, 'loopx'), await statusOf(repo)];
  const {child, ended} = await startLoopx(t, repo, victim.argv);
  const startMs = performance.now();
  let tookMs: number | undefined;
  child.once('exit', (_, by) => {
    if (by !== 'SIGKILL') tookMs = performance.now() - startMs;
  });
  await sleep(delayMs);
  if (isGroup && child.exitCode === null) kill(-child.pid!, 'SIGKILL');
  else child.kill('SIGKILL');
  const {stdout, stderr, signal} = await ended;
  if (signal === 'SIGKILL') {
    tally.kills += 1;
    tally.byVictim[victim.name] = (tally.byVictim[victim.name] ?? 0) + 1;
    if (isGroup) tally.groups += 1;
  } else tally.early += 1;

  const at = `${victim.name}, killed after ${Math.round(delayMs)} ms${isGroup ? ' with its gits' : ''}`;

  // A git that was killed leaves its lock, which nobody but a person may remove: loopx names the file.
  const next = await loopx(t, repo, ['todo', 'add', 'The next command works', '--json']);
  if (next.status !== 0) {
    const lock = /remove (\S+\.lock)/.exec(next.stderr)?.[1];
    t.true(isGroup && lock !== undefined, `${at}: ${next.stderr}`);
    tally.locks += 1;
    await rm(lock!);
    t.is((await loopx(t, repo, ['todo', 'add', 'The next command works'])).status, 0, at);
  }

  const shown = await loopx(t, repo, ['status']);
  t.is(shown.status, 0, `${at}: ${shown.stderr}`);
  const {events} = await runJson<{events: readonly Record<string, unknown>[]}>(t, repo, ['log']);
  const known = new Set(
    events.flatMap(({todo, round, checkpoint, event}) => {
      if (event === 'todo.added') return [todo];
      if (event === 'round.finished') return [round];
      return event === 'checkpoint.saved' ? [checkpoint] : [];
    }),
  );
  for (const id of victim.acknowledged(stdout, stderr)) t.true(known.has(id), `${at}: ${id} was acknowledged`);
  t.true((await runJson<{ok: boolean}>(t, repo, ['fsck'])).ok, at);
  const refs = await repo.git.text(['for-each-ref', '--format=%(refname:lstrip=4)', 'refs/loopx/snapshots']);
  const kept = new Set(refs.split('\n'));
  // Old ones are pruned, by an event that comes before their refs go.
  const pruned = new Set(
    events.flatMap(({event, checkpoints}) => (event === 'checkpoint.deleted' ? (checkpoints as string[]) : [])),
  );
  const named = events.filter(
    ({event, snapshot, checkpoint}) =>
      event === 'checkpoint.saved' && snapshot !== undefined && !pruned.has(String(checkpoint)),
  );
  t.true(
    named.every(({checkpoint}) => kept.has(String(checkpoint))),
    `${at}: no record names what is not kept`,
  );
  await isSound(t, repo, at);
  t.deepEqual(await processesIn(repo), [], at);
  if (victim.touchesNothing) {
    const after = await describeRepository(repo.git, 'loopx');
    t.deepEqual({...after, gitDir: ''}, {...before, gitDir: ''}, at);
    t.is(await statusOf(repo), status, at);
  }

  return tookMs;
}

/** Checks that git finds nothing broken, and that no ref points to what is not there. */
async function isSound(t: ExecutionContext, repo: TempRepo, at: string): Promise<void> {
  const checked = await repo.git.run(['fsck', '--connectivity-only', '--no-dangling']);
  t.is(`${checked.stdout}${checked.stderr}`.replace(/^notice: .*\n/gm, ''), '', at);
  t.is(checked.status, 0, at);
  const tips = await repo.git.text(['for-each-ref', '--format=%(objectname)', 'refs/loopx', 'refs/notes']);
  const found = await repo.git.text(['cat-file', '--batch-check'], {input: `${tips}\n`});
  t.notRegex(found, /missing/, at);
  const running = await readdir(join(repo.dir, '.git/loopx/running')).catch(() => []);
  t.deepEqual(running, [], at);
}

async function statusOf(repo: TempRepo): Promise<string> {
  return repo.git.text(['--no-optional-locks', 'status', '--porcelain=v2', '--branch']);
}
