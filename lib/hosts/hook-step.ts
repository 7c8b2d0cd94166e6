// What has to be done so that git's hooks call loopx, or no longer do.
import type {ConfigEntry} from '../git/config.ts';
import type {HookName} from './git-hook-block.ts';

/** A file that is made, changed or removed. Texts are of single-byte characters: each stands for a byte. */
export type FileStep = {readonly file: string} & (
  | {
      readonly kind: 'create';
      readonly after: string /** Of the new file; executable unless said. */;
      readonly newMode?: number;
    }
  | {readonly kind: 'change'; readonly before: string; readonly after: string}
  | {readonly kind: 'remove'; readonly before: string}
);

/** What a person has to do, since the file is others' to change. */
export type ByHand = {readonly file: string; readonly because: string; readonly line: string};

export type HookStep = {readonly hook: HookName; readonly file: string} & (
  | FileStep
  | {readonly kind: 'present'}
  /** Called by a list of hooks that git or lefthook reads; what is missing there is in `settings` or `files`. */
  | {readonly kind: 'registered'; readonly by: 'git' | 'lefthook'}
  | ({readonly kind: 'by-hand'} & ByHand)
);

export type HooksPlan = {
  /** Where git looks for hooks. */
  readonly folder: string;
  /** One a hook. */
  readonly steps: readonly HookStep[];
  /** Lists of hooks that another program reads. */
  readonly files: readonly FileStep[];
  /** Hooks in git's own configuration. */
  readonly settings: readonly ConfigEntry[];
  /** What keeps another program from removing them again. */
  readonly advice: readonly ByHand[];
};
