// Talking to a remote: fetches and pushes of exactly the refs that are named. Nothing asks, nothing hooks in, nothing
// else of the user's comes along, and at its time limit git is ended with all that it started. Never forced, and nothing
// is deleted at the remote.
import type {Git, GitOptions, GitResult} from './command.ts';
import {type ConfigEntry, readConfig} from './config.ts';

/** Set in the environment of our own pushes, so that hooks leave them alone. */
export const guardVariable = 'LOOPX_SYNC';

export type RemoteCall = {
  readonly remote: string;
  readonly limitMs: number;
  readonly signal?: AbortSignal | undefined;
};

/** Why nothing came of it: the remote was not reached, or did not want to talk to us. Trying again at once is no use. */
export type RemoteFault = {readonly isLate: boolean; readonly said: string};

/** What the remote said to one ref, by git's own flag; its words are for people only. */
export type PushAnswer = {
  readonly ref: string;
  readonly isAccepted: boolean;
  /** Whether the remote itself said no; otherwise git saw that the ref is somewhere else now. */
  readonly byRemote: boolean;
  readonly said: string;
};

/**
 * Fetches refs into tracking refs; those that the remote no longer has go there, too. A remote that has none is fine.
 *
 * @returns Why it did not work, if so.
 */
export async function fetchRefs(
  git: Git,
  call: RemoteCall,
  refspecs: readonly string[],
): Promise<RemoteFault | undefined> {
  const settings = ['gc.auto=0', 'maintenance.auto=false', 'fetch.writeCommitGraph=false'];
  const args = (more: readonly string[]) => [
    ...configured(settings),
    ...['fetch', '--quiet', '--no-tags', '--no-recurse-submodules', '--prune', '--no-filter', ...more],
    ...['--', call.remote, ...refspecs],
  ];
  const options = await quietly(git, call);
  const result = await git.run(args(['--no-write-fetch-head']), options);
  const unknownOption = 129;
  // Git before 2.29 can't leave FETCH_HEAD alone.
  const last = result.status === unknownOption ? await git.run(args([]), options) : result;
  return last.status === 0 ? undefined : faultOf(last);
}

/**
 * Pushes commits to refs of the remote.
 *
 * @param refs - The commit for each ref of the remote.
 * @returns What the remote said to each, or why nothing came of it.
 */
export async function pushRefs(
  git: Git,
  call: RemoteCall,
  refs: ReadonlyMap<string, string>,
): Promise<readonly PushAnswer[] | RemoteFault> {
  const settings = [
    ...['push.followTags=false', 'push.gpgSign=false', 'push.pushOption='],
    ...[`remote.${call.remote}.mirror=false`],
  ];
  const args = [
    ...configured(settings),
    ...['push', '--porcelain', '--no-verify', '--no-progress', '--recurse-submodules=no', '--', call.remote],
    ...[...refs].map(([ref, commit]) => `${commit}:${ref}`),
  ];
  const result = await git.run(args, await quietly(git, call));
  const answers = parsePush(result.stdout.toString());
  // That has nothing to do with the refs: the remote's disk is full, or what it takes at once is limited.
  if (answers.length > 0 && answers.every(({said}) => said === 'unpacker error'))
    return {isLate: false, said: 'it could not store what was sent'};
  // A remote may break off after it has answered for some.
  return answers.length > 0 || result.status === 0 ? answers : faultOf(result);
}

/** Returns the refs that the remote shows below a prefix such as `refs/heads/`. */
export async function remoteRefs(git: Git, call: RemoteCall, prefix: string): Promise<readonly string[] | RemoteFault> {
  const result = await git.run(['ls-remote', '--', call.remote, `${prefix}*`], await quietly(git, call));
  if (result.status !== 0) return faultOf(result);
  return result.stdout.toString().split('\n').filter(Boolean).map(line => line.slice(line.indexOf('\t') + 1)); // biome-ignore format: one thought
}

/** Says whether commit `a` lies in the history of `b`; also false where one of them isn't here. */
export async function isAncestor(git: Git, a: string, b: string): Promise<boolean> {
  return (await git.run(['merge-base', '--is-ancestor', a, b])).status === 0;
}

/** Reads the lines of `git push --porcelain`. A remote with several addresses answers for each: the worst counts. */
export function parsePush(output: string): readonly PushAnswer[] {
  const answers = new Map<string, PushAnswer>();
  for (const line of output.split('\n')) {
    const [flag, refs, summary = ''] = line.split('\t');
    if (refs === undefined || flag?.length !== 1) continue;
    const ref = refs.slice(refs.lastIndexOf(':') + 1);
    const isAccepted = flag !== '!';
    if (answers.get(ref)?.isAccepted === false) continue;
    answers.set(ref, {ref, isAccepted, byRemote: summary.startsWith('[remote '), said: reasonOf(summary)});
  }

  return [...answers.values()];
}

/** `[remote rejected] (deny updating a hidden ref)` says the part in parentheses. */
function reasonOf(summary: string): string {
  return /\((.*)\)$/.exec(summary)?.[1] ?? summary;
}

function configured(settings: readonly string[]): readonly string[] {
  return settings.flatMap(setting => ['-c', setting]);
}

async function quietly(git: Git, {limitMs, signal}: RemoteCall): Promise<GitOptions> {
  const env = {
    [guardVariable]: '1',
    // Empty means that there is none, and keeps git from looking for another.
    GIT_ASKPASS: '',
    SSH_ASKPASS: '',
    SSH_ASKPASS_REQUIRE: 'never',
    GCM_INTERACTIVE: 'never',
    ...sshEnv(git.env, await readConfig(git)),
  };
  return {env, limitMs: Math.max(1, limitMs), ...(signal && {signal})};
}

/**
 * Returns the environment in which ssh neither asks nor waits long. What the user says of ssh stays, and comes first: of
 * each option, ssh takes the first value.
 */
export function sshEnv(
  env: Readonly<Record<string, string | undefined>>,
  config: readonly ConfigEntry[],
): Readonly<Record<string, string>> {
  const own = env.GIT_SSH_COMMAND || config.findLast(({key}) => key === 'core.sshcommand')?.value;
  const command = own || (env.GIT_SSH ? shellWord(env.GIT_SSH) : 'ssh');
  const program = programOf(command);
  if (/^(tortoise)?plink$/.test(program)) return {GIT_SSH_COMMAND: `${command} -batch`};
  // What a script of the user's makes of our options, nobody knows.
  if (program !== 'ssh') return {};
  return {GIT_SSH_COMMAND: `${command} -oBatchMode=yes -oConnectTimeout=5`};
}

/** Returns the name of the program that a command line starts, without its folder. */
function programOf(command: string): string {
  const word = /^\s*(?:'([^']*)'|"([^"]*)"|(\S+))/.exec(command);
  const path = word?.[1] ?? word?.[2] ?? word?.[3] ?? '';
  return (path.split(/[\\/]/).at(-1) ?? '').toLowerCase().replace(/\.exe$/, '');
}

function shellWord(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

function faultOf({isLate, stderr, status}: GitResult): RemoteFault {
  if (isLate) return {isLate, said: 'it did not answer in time'};
  // The first fatal line tells the cause, and what follows is advice; but ssh says it by itself before git ends.
  const lines = stderr
    .split('\n')
    .map(line => line.trim())
    .filter(Boolean);
  const fatal = lines.findIndex(line => /^(fatal|error): /.test(line));
  const isOfSsh = fatal > 0 && /Could not read from remote/.test(lines[fatal]!);
  const line = lines[isOfSsh ? fatal - 1 : fatal] ?? lines.at(-1) ?? `git ended with ${status}`;
  return {isLate, said: line.replace(/^(fatal|error): /, '').replace(/\.$/, '')};
}
