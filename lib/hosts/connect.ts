// Connecting a repository: what lets git itself carry goals and notes, and tell loopx of commits. All of it is a plan
// first. What we add to the configuration is written down beside it, so that disconnecting takes back exactly that, and
// a value that was there before stays. The goals are not part of it: they are the user's data.
import {existsSync} from 'node:fs';
import {mkdir, readdir, readFile, rename, rm, writeFile} from 'node:fs/promises';
import {dirname, join} from 'node:path';
import {markSeen} from '../evidence/scan.ts';
import {Failure} from '../failure.ts';
import {
  addConfig,
  type ConfigEntry,
  readConfig,
  readOwnConfig,
  removeConfig,
  removeConfigSection,
} from '../git/config.ts';
import type {Repository} from '../git/repository.ts';
import {planHookRemoval, planHooks} from './git-hooks.ts';
import {hookBodyFile, readHookBody} from './hook-body.ts';
import {applyHooks} from './hook-files.ts';
import type {ByHand, HooksPlan} from './hook-step.ts';
import {fetchRefspecs, overwritesGoals, remoteNames} from './refspecs.ts';

export type ConnectPlan = {
  /** Values to add to the repository's configuration. */
  readonly settings: readonly ConfigEntry[];
  /** The script that hooks source, where it is missing or old. */
  readonly body: {readonly file: string; readonly text: string} | undefined;
  readonly hooks: HooksPlan;
};

export type DisconnectPlan = {
  /** Values to take out of the repository's configuration. */
  readonly settings: readonly ConfigEntry[];
  readonly hooks: HooksPlan;
  /** Local files to remove: logs, caches and what is trusted on this machine, but no state. */
  readonly files: readonly string[];
};

const section = 'loopx.connect';
const addedKey = `${section}.added`;
const versionEntry = {key: `${section}.version`, value: '1'};

/** Says whether `connect` has been run in this repository, or in one of its worktrees. */
export async function isConnected({git}: Repository): Promise<boolean> {
  return (await readOwnConfig(git)).some(entry => entry.key === versionEntry.key);
}

/**
 * Plans what is missing; nothing in a repository that is connected already.
 *
 * @throws {Failure} `config-invalid` in a mirror, where each fetch would overwrite the goals.
 */
export async function planConnect(repository: Repository): Promise<ConnectPlan> {
  const {git, commonDir} = repository;
  const config = await readConfig(git);
  refuseMirror(config);
  const wanted = [
    ...remoteNames(config).flatMap(remote => fetchRefspecs(config, remote)),
    // Git then carries our notes along when it amends or rebases; the key takes many values. It is a pattern, since git
    // complains at each rewrite of a ref that isn't there.
    {key: 'notes.rewriteref', value: 'refs/notes/loopx*'},
  ];
  const missing = wanted.filter(({key, value}) => !config.some(has => has.key === key && has.value === value));
  const hooks = await planHooks(repository);
  const settings = [...missing, ...hooks.settings];
  const file = hookBodyFile(commonDir);
  const text = await readHookBody();
  const present = await readFile(file, 'utf8').catch(() => undefined);
  const isNew = !config.some(entry => entry.key === versionEntry.key);
  return {
    settings: isNew ? [...settings, versionEntry] : settings,
    body: present === text ? undefined : {file, text},
    hooks,
  };
}

/**
 * Does what the plan says. Done half and again, it ends in the same place.
 *
 * @throws {Failure} `git-failed` or `io-failed` where a file can't be written.
 */
export async function applyConnect(repository: Repository, plan: ConnectPlan): Promise<void> {
  const {git} = repository;
  for (const setting of plan.settings) {
    // First the record, then the value: what a crash leaves is taken back all the same.
    if (setting.key !== versionEntry.key) await addConfig(git, {key: addedKey, value: recordOf(setting)});
    await addConfig(git, setting);
  }

  if (plan.body) {
    const {file, text} = plan.body;
    await mkdir(dirname(file), {recursive: true});
    // A hook may be reading it just now.
    await writeFile(`${file}.new`, text);
    await rename(`${file}.new`, file);
  }

  await applyHooks(plan.hooks);
  // What is committed from now on belongs to a round, or is told of.
  await markSeen(repository);
}

/** Plans what has to go. */
export async function planDisconnect(repository: Repository): Promise<DisconnectPlan> {
  const {git, commonDir} = repository;
  const config = await readOwnConfig(git);
  const added = new Set(config.filter(({key}) => key === addedKey).map(({value}) => value));
  const values = new Set([...added].map(record => record.slice(record.indexOf(' ') + 1)));
  const settings = config.filter(entry => {
    // `git remote rename` takes the refspecs along to another key.
    const isRefspec = /^remote\..*\.fetch$/.test(entry.key) && values.has(entry.value);
    return isRefspec || added.has(recordOf(entry)) || entry.key.startsWith(`${section}.`);
  });
  // A configured hook ends with its event; git refuses to run one that has no command.
  settings.sort((a, b) => Number(isHookEvent(b)) - Number(isHookEvent(a)));
  const others = await readdir(join(commonDir, 'worktrees')).catch(() => []);
  const gitDirs = [commonDir, ...others.map(name => join(commonDir, 'worktrees', name))];
  const files = [...gitDirs.map(dir => join(dir, 'loopx-round')), join(commonDir, 'loopx')];
  return {
    settings,
    hooks: await planHookRemoval(repository),
    files: files.filter(file => existsSync(file)),
  };
}

/** Takes back what `connect` has done. Goals, notes, snapshots and where the remotes' were last seen stay as refs. */
export async function applyDisconnect({git}: Repository, plan: DisconnectPlan): Promise<void> {
  await applyHooks(plan.hooks);
  for (const setting of plan.settings) {
    if (!setting.key.startsWith(`${section}.`)) await removeConfig(git, setting);
  }

  // Where nothing was set, as in a repository that can only be read, nothing is written.
  if (plan.settings.length > 0) await removeConfigSection(git, section);
  for (const file of plan.files) await rm(file, {recursive: true, force: true});
}

/** Returns a plan as lines for people, one for each thing that changes; none where nothing does. */
export function connectLines(plan: ConnectPlan): readonly string[] {
  return [
    ...plan.settings.map(({key, value}) => `git config --add ${key} ${value}`),
    ...(plan.body ? [`write ${plan.body.file}`] : []),
    ...hookLines(plan.hooks),
  ];
}

/** Returns a plan as lines for people, one for each thing that changes. */
export function disconnectLines(plan: DisconnectPlan): readonly string[] {
  return [
    ...plan.settings.map(({key, value}) => `git config --unset ${key} ${value}`),
    ...hookLines(plan.hooks),
    ...plan.files.map(file => `remove ${file}`),
  ];
}

function hookLines({steps, files, advice}: HooksPlan): readonly string[] {
  const byHand = ({file, because, line}: ByHand) => `by hand, since ${because}: ${file}: ${line}`;
  return [
    ...[...steps, ...files].flatMap(step => {
      if (step.kind === 'present' || step.kind === 'registered') return [];
      return [step.kind === 'by-hand' ? byHand(step) : `${step.kind} ${step.file}`];
    }),
    ...advice.map(byHand),
  ];
}

function isHookEvent({key}: ConfigEntry): boolean {
  return /^hook\..*\.event$/.test(key);
}

function recordOf({key, value}: ConfigEntry): string {
  return `${key} ${value}`;
}

function refuseMirror(config: readonly ConfigEntry[]): void {
  const mirror = config.find(entry => /^remote\..*\.fetch$/.test(entry.key) && overwritesGoals(entry.value));
  if (!mirror) return;
  throw new Failure('config-invalid', `A fetch by ${mirror.key} = ${mirror.value} would overwrite the goals.`, {
    hint: 'Connect an ordinary clone instead of a mirror.',
  });
}
