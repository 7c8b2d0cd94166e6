// Configuration: the environment, then the project's file, then the user's file, then the default. The project's file
// comes from other people: what it says of commands counts only once the user has trusted exactly these commands.
import {mkdir, readFile, rename, stat, writeFile} from 'node:fs/promises';
import {dirname, join} from 'node:path';
import {Failure} from '../failure.ts';
import {checkSetting, durationMs, executorKey, type SettingName, settings, sizeBytes} from './keys.ts';

export type ConfigSource = 'environment' | 'project' | 'user' | 'default';

export type ConfigValue = {readonly value: string; readonly source: ConfigSource; readonly from: string};

export type Config = {
  readonly get: (key: SettingName) => ConfigValue;
  readonly durationMs: (key: SettingName) => number;
  readonly count: (key: SettingName) => number;
  readonly sizeBytes: (key: SettingName) => number;
  /** What is set for an executor: its own command line, and more arguments for one that loopx knows. */
  readonly executor: (name: string) => {readonly command?: ConfigValue; readonly args?: ConfigValue} | undefined;
  readonly executors: readonly string[];
  readonly all: () => readonly (ConfigValue & {readonly key: string})[];
};

export type ConfigFiles = {readonly user: string; readonly project: string | undefined};

/** Returns where the files of settings are; they need not exist. */
export function configFiles(env: Readonly<Record<string, string | undefined>>, top: string | undefined): ConfigFiles {
  const home = env.XDG_CONFIG_HOME || join(env.HOME || env.USERPROFILE || '.', '.config');
  return {user: join(home, 'loopx', 'config.yaml'), project: top && join(top, '.loopx.yaml')};
}

/**
 * Reads all settings.
 *
 * @throws {Failure} `config-invalid` with the file and the key.
 */
export async function readConfig(
  env: Readonly<Record<string, string | undefined>>,
  top: string | undefined,
): Promise<Config> {
  const files = configFiles(env, top);
  const values = new Map<string, ConfigValue>();
  for (const [key, setting] of Object.entries(settings)) {
    values.set(key, {value: setting.default, source: 'default', from: 'default'});
  }

  for (const [source, file] of [
    ['user', files.user],
    ['project', files.project],
  ] as const) {
    if (!file) continue;
    for (const [key, value] of flatten(await readYaml(file), '')) {
      check(key, value, file);
      values.set(key, {value, source, from: file});
    }
  }

  for (const key of Object.keys(settings)) {
    const name = `LOOPX_${key.toUpperCase().replace(/\./g, '_')}`;
    const value = env[name];
    if (value === undefined || value === '') continue;
    check(key, value, name);
    values.set(key, {value, source: 'environment', from: name});
  }

  const get = (key: SettingName) => values.get(key)!;
  const executors = [...new Set([...values.keys()].flatMap(key => executorKey.exec(key)?.[1] ?? []))];
  return {
    get,
    durationMs: key => durationMs(get(key).value, key),
    count: key => Number(get(key).value),
    sizeBytes: key => sizeBytes(get(key).value, key),
    executors,
    executor: name => {
      const [command, args] = [values.get(`executors.${name}.command`), values.get(`executors.${name}.args`)];
      return command || args ? {...(command && {command}), ...(args && {args})} : undefined;
    },
    all: () => [...values].map(([key, value]) => ({key, ...value})),
  };
}

/** Sets or, with undefined, takes away one setting in a file; comments and the other settings stay. */
export async function writeSetting(file: string, key: string, value: string | undefined): Promise<void> {
  if (value !== undefined) checkSetting(key, value);
  const {parseDocument} = await import('yaml');
  const document = parseDocument((await readText(file)) ?? '');
  const path = pathOf(key);
  if (document.errors.length > 0) throw unreadable(file, document.errors[0]!.message);
  if (value !== undefined) document.setIn(path, /^[1-9]\d{0,8}$/.test(value) ? Number(value) : value);
  else if (document.hasIn(path)) document.deleteIn(path);
  await mkdir(dirname(file), {recursive: true});
  await writeFile(`${file}.tmp`, document.toString());
  await rename(`${file}.tmp`, file);
}

/** No file of settings is larger. */
const fileSizeMax = 1_000_000;

function pathOf(key: string): readonly string[] {
  const executor = executorKey.exec(key);
  return executor ? ['executors', executor[1]!, executor[2]!] : key.split('.');
}

async function readYaml(file: string): Promise<unknown> {
  const text = await readText(file);
  if (text === undefined || text.trim() === '') return {};
  const {parse} = await import('yaml');
  try {
    return parse(text, {maxAliasCount: 10}) ?? {};
  } catch (error) {
    throw unreadable(file, (error as Error).message.split('\n')[0]!);
  }
}

async function readText(file: string): Promise<string | undefined> {
  try {
    // A pipe or a device would be read for ever.
    const info = await stat(file);
    if (!info.isFile() || info.size > fileSizeMax) throw new Error('it is no ordinary small file');
    return await readFile(file, 'utf8');
  } catch (error) {
    const {code} = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw unreadable(file, (error as Error).message);
  }
}

function flatten(value: unknown, prefix: string): readonly (readonly [string, string])[] {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    return Object.entries(value).flatMap(([key, inner]) => flatten(inner, prefix ? `${prefix}.${key}` : key));
  }

  if (prefix === '') return [];
  return [[prefix, Array.isArray(value) ? value.join(' ') : String(value)]];
}

function check(key: string, value: string, from: string): void {
  try {
    checkSetting(key, value);
  } catch (error) {
    throw new Failure('config-invalid', `${from}: ${(error as Error).message}`, {
      hint: 'Mend it, or see `loopx help config`.',
      cause: error,
    });
  }
}

function unreadable(file: string, why: string): Failure {
  return new Failure('config-invalid', `${file} can't be read as YAML: ${why}.`, {
    hint: 'Mend the file, or move it away.',
  });
}
