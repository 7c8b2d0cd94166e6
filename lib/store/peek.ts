// Looks at the goals of another repository without a clone of it, and leaves nothing behind here. Over HTTP that takes
// two requests and no git binary; whatever else the user's git knows how to reach (ssh, a disk, a host behind a proxy or
// a login) is fetched by it into a temporary folder.
import {access, mkdir, mkdtemp, rm} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join, resolve} from 'node:path';
import {Failure, isFailure} from '../failure.ts';
import {type Git, openGit} from '../git/command.ts';
import {openHttpTrees, withoutLogin} from '../git/http-trees.ts';
import {fetchRefs, type RemoteCall} from '../git/remote.ts';
import {openRepository} from '../git/repository.ts';
import type {World} from '../world.ts';
import {goalRefs, openGitStore} from './git-store.ts';
import type {GoalReader} from './goal-store.ts';

export type Peek = {
  /** Where it was looked, without a password. */
  readonly url: string;
  readonly reader: GoalReader;
  readonly close: () => Promise<void>;
};

const limitMs = 30_000;

/**
 * Opens another repository's goals.
 *
 * @param git - Where a remote's name, and the user's settings of URLs, are looked up; it need not be a repository.
 * @param remote - A URL, or the name of a remote.
 * @throws {Failure} `io-failed` where it can't be reached or read.
 */
export async function peekGoals(git: Git, remote: string, world: World, signal?: AbortSignal): Promise<Peek> {
  const url = await urlOf(git, remote);
  const prefix = await prefixOf(git, remote);
  if (!/^https?:/i.test(url)) return byGit(git, url, prefix, world, signal);
  const [peek, failure] = await overHttp(url, prefix, signal).then(
    found => [found, undefined] as const,
    (error: unknown) => [undefined, error] as const,
  );
  if (failure !== undefined && !isFailure(failure, 'io-failed')) throw failure;
  if (peek && (await peek.reader.tips()).size > 0) return peek;
  // The user's git may know a proxy or a password, and it reads what isomorphic-git takes for nothing.
  try {
    return await byGit(git, url, prefix, world, signal);
  } catch (error) {
    if (!isFailure(error, 'git-missing')) throw error;
    if (peek) return peek;
    throw failure;
  }
}

async function overHttp(url: string, prefix: string, signal?: AbortSignal): Promise<Peek> {
  const trees = await openHttpTrees({url, prefix, limitMs, ...(signal && {signal})});
  const tips = new Map([...trees.refs].map(([ref, commit]) => [ref.slice(prefix.length), commit]));
  const reader = {
    tips: async () => tips,
    tip: async (goal: string) => tips.get(goal),
    read: trees.read,
    paths: trees.paths,
  };
  return {url: withoutLogin(url), reader, close: async () => {}};
}

async function byGit(git: Git, url: string, prefix: string, world: World, signal?: AbortSignal): Promise<Peek> {
  const dir = await mkdtemp(join(tmpdir(), 'loopx-peek-'));
  const drop = () => rm(dir, {recursive: true, force: true, maxRetries: 3});
  try {
    await fetchGoals(openGit(dir, world.env), {remote: await located(git, url), limitMs, signal}, prefix);
    const store = openGitStore(await openRepository(dir, world.env), world);
    const close = async () => {
      store.close();
      await drop();
    };
    return {url: withoutLogin(url), reader: store, close};
  } catch (error) {
    await drop();
    throw error;
  }
}

async function fetchGoals(temporary: Git, call: RemoteCall, prefix: string): Promise<void> {
  for (const format of ['sha1', 'sha256']) {
    // The first one is every git's own, and the oldest git has no name for it.
    await temporary.text(['init', '--quiet', '--bare', ...(format === 'sha1' ? [] : [`--object-format=${format}`])]);
    const fault = await fetchRefs(temporary, call, [`+${prefix}*:${goalRefs}*`]);
    if (!fault) return;
    if (format === 'sha1' && /mismatched algorithms/.test(fault.said)) {
      await rm(temporary.dir, {recursive: true});
      await mkdir(temporary.dir);
      continue;
    }

    throw new Failure('io-failed', `${withoutLogin(call.remote)} can't be read: ${fault.said}.`, {
      hint: `Can git reach it? git ls-remote ${withoutLogin(call.remote)}`,
    });
  }
}

/** Returns the URL that git would use: a remote's name, and `url.<base>.insteadOf`, are the user's to set. */
async function urlOf(git: Git, remote: string): Promise<string> {
  try {
    const result = await git.run(['ls-remote', '--get-url', '--', remote]);
    return result.status === 0 ? result.stdout.toString().trimEnd() : remote;
  } catch (error) {
    if (isFailure(error, 'git-missing')) return remote;
    throw error;
  }
}

/** Returns where goals lie at a remote: elsewhere where it takes branches only. */
async function prefixOf(git: Git, remote: string): Promise<string> {
  const result = await git.run(['config', '--get', `remote.${remote}.loopxPrefix`]).catch(() => undefined);
  const prefix = result?.status === 0 ? result.stdout.toString().trim().replace(/\/+$/, '') : '';
  return prefix === '' ? goalRefs : `${prefix}/goals/`;
}

/** Returns a path as seen from anywhere, and any other URL as it is. */
async function located(git: Git, url: string): Promise<string> {
  const path = resolve(git.dir, url);
  return access(path).then(
    () => path,
    () => url,
  );
}
