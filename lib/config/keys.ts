// Every setting, with its default and what it accepts. A setting that is not here does not exist.
import {Failure} from '../failure.ts';

export type Setting = {
  readonly default: string;
  readonly kind: 'text' | 'duration' | 'count' | 'size' | readonly string[];
  readonly about: string;
};

export const settings = {
  default_executor: {
    default: 'auto',
    kind: 'text',
    about: 'The agent that `loopx run` drives; auto takes the first of claude, codex on PATH',
  },
  checkpoint_interval: {
    default: '5m',
    kind: 'duration',
    about: 'How often the live checkpoint is refreshed during a round',
  },
  context_compression_threshold: {default: '8000', kind: 'count', about: 'The most tokens that a brief may have'},
  storage_backend: {default: 'git', kind: ['git'], about: 'Where the state is kept: refs/loopx/ of the repository'},
  'round.timeout': {default: '2h', kind: 'duration', about: 'The longest that one round may take'},
  'round.silence': {
    default: '20m',
    kind: 'duration',
    about: 'How long an agent may print nothing before it counts as stalled',
  },
  'round.lease': {default: '30m', kind: 'duration', about: 'How long a claim holds unless it is renewed'},
  'check.timeout': {default: '10m', kind: 'duration', about: 'The longest that one check may take'},
  'sync.budget': {
    default: '5s',
    kind: 'duration',
    about: 'How long a push of yours may wait while goals are sent along',
  },
  'snapshot.maxFileSize': {default: '10MB', kind: 'size', about: 'Larger files are listed in a checkpoint, not saved'},
  'checkpoint.keep': {
    default: '50',
    kind: 'count',
    about: 'How many checkpoints of a goal are kept, beside those saved by hand',
  },
  maintenance: {
    default: 'auto',
    kind: ['auto', 'off'],
    about: 'Whether what loopx wrote is packed at the end of a run or a sync, when there is much of it',
  },
} as const satisfies Record<string, Setting>;

export type SettingName = keyof typeof settings;

/** The settings of one executor: `executors.<name>.command` and `executors.<name>.args`. */
export const executorKey = /^executors\.([a-z0-9_-]+)\.(command|args)$/;

/** Refuses a key that is none, or a value that the key doesn't accept. */
export function checkSetting(key: string, value: string): void {
  if (executorKey.test(key)) return;
  const setting: Setting | undefined = (settings as Record<string, Setting>)[key];
  if (!setting) {
    throw new Failure('config-invalid', `There is no setting "${key}".`, {
      hint: 'List the settings with `loopx config`.',
    });
  }

  const {kind} = setting;
  if (Array.isArray(kind) && !kind.includes(value)) throw invalid(key, value, `one of ${kind.join(', ')}`);
  if (kind === 'duration') durationMs(value, key);
  if (kind === 'size') sizeBytes(value, key);
  if (kind === 'count' && !/^[1-9]\d{0,8}$/.test(value)) throw invalid(key, value, 'a whole number of 1 or more');
}

const unitMs = {ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000};

/** Returns a duration such as `90s`, `5m`, `2h` or `1d` in milliseconds. */
export function durationMs(text: string, what = 'duration'): number {
  const match = /^(\d{1,6}(?:\.\d+)?)\s*(ms|s|m|h|d)$/.exec(text.trim());
  if (!match) throw invalid(what, text, 'a duration such as 90s, 5m, 2h or 1d');
  return Number(match[1]) * unitMs[match[2] as keyof typeof unitMs];
}

/** Returns a size such as `500KB` or `10MB` in bytes; units are powers of 1000. */
export function sizeBytes(text: string, what = 'size'): number {
  const match = /^(\d{1,9})\s*(B|KB|MB|GB)?$/i.exec(text.trim());
  if (!match) throw invalid(what, text, 'a size such as 500KB or 10MB');
  return Number(match[1]) * 1000 ** ['B', 'KB', 'MB', 'GB'].indexOf((match[2] ?? 'B').toUpperCase());
}

function invalid(key: string, value: string, wanted: string): Failure {
  return new Failure('config-invalid', `"${value}" is no value for ${key}: it should be ${wanted}.`);
}
