// Several clones of one bare repository, as several machines would have them.
import {mkdir, readFile, writeFile} from 'node:fs/promises';
import {dirname, join} from 'node:path';
import type {ExecutionContext} from 'ava';
import {type GitResult, openGit} from '../../lib/git/command.ts';
import {openRepository} from '../../lib/git/repository.ts';
import {applyConnect, planConnect} from '../../lib/hosts/connect.ts';
import {preparePush} from '../../lib/sync/prepare.ts';
import {bundledLoopx} from '../support/bundle.ts';
import {type CliOptions, type CliResult, runCli} from '../support/cli.ts';
import {type TempRepo, tempRepo} from '../support/repo.ts';
import {testNowMs} from '../support/world.ts';

export type Clone = {
  readonly repo: TempRepo;
  /** The bare repository that all clones have as `origin`. */
  readonly remote: string;
  readonly tip: (goal: string) => Promise<string>;
  readonly remoteTip: (goal: string) => Promise<string>;
  /** The names of all refs of loopx at the remote. */
  readonly remoteRefs: () => Promise<string>;
  /** Runs git as the user does. */
  readonly git: (args: readonly string[], options?: {env?: Record<string, string>; cwd?: string}) => Promise<GitResult>;
  readonly connect: () => Promise<void>;
  /** Runs a command line in this process; what two clones write at the same time has different names. */
  readonly loopx: (argv: readonly string[], options?: CliOptions) => Promise<CliResult>;
  /** Runs a command line that has to succeed, and returns its document. */
  readonly json: <T>(argv: readonly string[], options?: CliOptions) => Promise<T>;
};

/** Returns so many clones; the hooks of connected ones start the bundled loopx. */
export async function connectedClones(
  t: ExecutionContext,
  count: number,
  options: {connect?: boolean; remoteUrl?: (remote: string) => string} = {},
): Promise<readonly Clone[]> {
  const first = await tempRepo(t);
  const root = dirname(first.dir);
  const remote = join(root, 'remote.git');
  await first.git.text(['clone', '-q', '--bare', first.dir, remote]);
  const bare = openGit(remote, first.env);
  await bare.text(['config', 'receive.advertisePushOptions', 'true']);
  const url = options.remoteUrl?.(remote) ?? remote;
  await first.git.text(['remote', 'add', 'origin', url]);
  const all: Clone[] = [];
  for (let index = 0; index < count; index += 1) {
    const repo = index === 0 ? first : await cloneOf(first, remote, join(root, `clone-${index}`));
    await repo.git.text(['remote', 'set-url', 'origin', url]);
    const loopx: Clone['loopx'] = (argv, more) => runCli(t, repo, argv, {nowMs: testNowMs + index * 1000, ...more});
    const connect = async () => {
      const repository = await openRepository(repo.dir, repo.env);
      await applyConnect(repository, await planConnect(repository));
      await preparePush(repository, [process.execPath, await bundledLoopx()]);
    };
    if (options.connect ?? true) await connect();
    all.push({
      ...{repo, remote, connect, loopx},
      tip: goal => repo.git.text(['rev-parse', `refs/loopx/goals/${goal}`]),
      remoteTip: goal => bare.text(['rev-parse', `refs/loopx/goals/${goal}`]),
      remoteRefs: () =>
        bare.text(['for-each-ref', '--format=%(refname)', 'refs/loopx', 'refs/notes', 'refs/heads/loopx']),
      git: (args, {env = {}, cwd} = {}) => repo.git.run(args, {env, ...(cwd && {cwd})}),
      async json<T>(argv: readonly string[], more?: CliOptions) {
        const {status, stdout, stderr} = await loopx([...argv, '--json'], more);
        if (status !== 0) t.fail(`loopx ${argv.join(' ')} failed: ${stderr}`);
        return JSON.parse(stdout) as T;
      },
    });
  }

  return all;
}

/** Lets the hook start a program that counts before it starts loopx; returns how often it was started. */
export async function countStarts({repo}: Clone): Promise<() => Promise<number>> {
  const launch = join(repo.dir, '.git/loopx/launch');
  const [node = '', file = ''] = (await readFile(launch, 'utf8')).split('\n');
  const counter = join(dirname(repo.dir), 'counter.mjs');
  const tally = join(dirname(repo.dir), 'starts');
  await writeFile(tally, '');
  await writeFile(
    counter,
    `import {appendFileSync} from 'node:fs';\nimport {spawnSync} from 'node:child_process';\n` +
      `appendFileSync(${JSON.stringify(tally)}, '.');\n` +
      `spawnSync(process.execPath, [${JSON.stringify(file)}, ...process.argv.slice(2)], {stdio: 'inherit'});\n`,
  );
  await writeFile(launch, `${node}\n${counter}\n`);
  return async () => (await readFile(tally, 'utf8')).length;
}

async function cloneOf(first: TempRepo, remote: string, dir: string): Promise<TempRepo> {
  await mkdir(dir);
  await first.git.text(['clone', '-q', remote, dir]);
  const git = openGit(dir, first.env);
  await git.text(['config', 'user.name', 'Bob Test']);
  await git.text(['config', 'user.email', 'bob@example.org']);
  await git.text(['config', 'gc.auto', '0']);
  let commits = 0;
  const write: TempRepo['write'] = async (path, content) => {
    await mkdir(dirname(join(dir, path)), {recursive: true});
    await writeFile(join(dir, path), content);
  };
  return {
    ...first,
    ...{dir, git, write, read: path => readFile(join(dir, path))},
    async commit(message = 'Change', files = {}) {
      for (const [path, content] of Object.entries(files)) await write(path, content);
      commits += 1;
      await git.text(['add', '-A']);
      await git.text(['commit', '-q', '--allow-empty', '-m', `${message} ${commits}`]);
      return git.text(['rev-parse', 'HEAD']);
    },
  };
}
