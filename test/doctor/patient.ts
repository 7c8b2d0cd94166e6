// A machine for the doctor: PATH has git, sh and what a test puts there, and nobody's agents.
import {access, mkdir, rm, symlink, writeFile} from 'node:fs/promises';
import {delimiter, dirname, join} from 'node:path';
import type {ExecutionContext} from 'ava';
import type {Finding} from '../../lib/doctor/finding.ts';
import {type CliOptions, runCli} from '../support/cli.ts';
import {type TempRepo, tempRepo} from '../support/repo.ts';
import {testNowMs} from '../support/world.ts';

export type Ward = TempRepo & {
  /** The only folder on PATH. */
  readonly bin: string;
  /** Puts a program on PATH, a script for sh. */
  readonly program: (name: string, script: string) => Promise<string>;
  readonly loopx: (argv: readonly string[], options?: CliOptions) => ReturnType<typeof runCli>;
  /** Returns the findings of one examination. */
  readonly examine: (name: string, options?: CliOptions) => Promise<readonly Omit<Finding, 'name'>[]>;
};

export const laterMs = testNowMs + 24 * 3_600_000;

export async function openWard(t: ExecutionContext, options?: Parameters<typeof tempRepo>[1]): Promise<Ward> {
  const repo = await tempRepo(t, options);
  const bin = join(dirname(repo.dir), 'bin');
  await mkdir(bin);
  for (const name of ['git', 'sh', 'sleep']) await symlink(await onPath(name), join(bin, name));
  const loopx: Ward['loopx'] = (argv, {env, ...options} = {}) =>
    runCli(t, repo, argv, {...options, env: {PATH: bin, ...env}});
  return {
    ...repo,
    bin,
    program: async (name, script) => {
      const file = join(bin, name);
      // It may be a link to the system's own, which must not be written to.
      await rm(file, {force: true});
      await writeFile(file, `#!/bin/sh\n${script}\n`, {mode: 0o755, flag: 'wx'});
      return file;
    },
    loopx,
    examine: async (name, options) => {
      const {stdout} = await loopx(['doctor', '--json'], options);
      const {findings} = JSON.parse(stdout) as {findings: readonly Finding[]};
      return findings.filter(finding => finding.name === name).map(({name: _, ...sign}) => sign);
    },
  };
}

export async function onPath(name: string): Promise<string> {
  for (const folder of process.env.PATH!.split(delimiter)) {
    const file = join(folder, name);
    if (
      await access(file).then(
        () => true,
        () => false,
      )
    )
      return file;
  }

  throw new Error(`${name} is not on PATH`);
}
