// What every run needs of the machine: git, Node, an environment that leads to the right places, and room on the disk.
import {access} from 'node:fs/promises';
import {isFailure} from '../failure.ts';
import {openGit} from '../git/command.ts';
import {bad, good, type Sign, warn} from './finding.ts';
import type {Patient} from './patient.ts';

const oldestGit = [2, 25] as const;
const oldestNode = [20, 19] as const;

/** What loopx does better with a younger git, oldest first. */
const gitFeatures: readonly {readonly since: readonly [number, number]; readonly what: string}[] = [
  {since: [2, 31], what: '`loopx status` tells the size of a goal'},
  {since: [2, 36], what: 'what is acknowledged also survives a power cut (core.fsync)'},
];

const freeBytesMin = 500_000_000;

export async function examineGit({world, cwd, signal}: Patient): Promise<readonly Sign[]> {
  const said = await openGit(cwd, world.env).text(['--version'], {signal});
  const version = /\d+\.\d+[\w.-]*/.exec(said)?.[0];
  if (!version) return [warn(`git doesn't tell its version, but says: ${said}.`)];
  if (isOlder(version, oldestGit)) {
    return [
      bad(
        `git ${version} is too old: loopx needs ${oldestGit.join('.')}.`,
        'Install a current git: https://git-scm.com',
      ),
    ];
  }

  const missing = gitFeatures.filter(({since}) => isOlder(version, since));
  const more = missing.map(({since, what}) => `; from ${since.join('.')} on ${what}`).join('');
  return [good(`git ${version} is new enough${more}.`)];
}

export async function examineNode({nodeVersion}: Patient): Promise<readonly Sign[]> {
  return isOlder(nodeVersion, oldestNode)
    ? [bad(`Node ${nodeVersion} is too old: loopx needs ${oldestNode.join('.')}.`, 'Install it: https://nodejs.org')]
    : [good(`Node ${nodeVersion} is new enough.`)];
}

// Settings for an agent's git, which inherits the environment, while loopx's own git is kept from them.
const strayingSettings = ['GIT_CONFIG_PARAMETERS', 'GIT_CONFIG_COUNT'];

// Without these files no agent reaches its service.
const certificates = ['NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE'];

export async function examineEnvironment({world: {env}}: Patient): Promise<readonly Sign[]> {
  const signs = strayingSettings
    .filter(name => env[name])
    .map(name => warn(`${name} is set: an agent's git follows it, while loopx's own does not.`, `unset ${name}`));
  if (!env.HOME && !env.USERPROFILE) signs.push(warn('HOME is not set, and agents look there for their login.'));
  for (const name of certificates) {
    const file = env[name];
    if (
      !file ||
      (await access(file).then(
        () => true,
        () => false,
      ))
    )
      continue;
    signs.push(bad(`${name} names ${file}, which can't be read.`, `Mend the path, or run: unset ${name}`));
  }

  return signs;
}

export async function examineDisk({cwd, body, freeBytes}: Patient): Promise<readonly Sign[]> {
  const place = isFailure(body) ? cwd : body.repository.commonDir;
  const free = await freeBytes(place);
  if (free === undefined || free >= freeBytesMin) return [];
  const left = `Only ${Math.floor(free / 1_000_000)} MB are left on the disk of ${place}.`;
  return [warn(left, 'Make room, for instance by `git gc` or `loopx checkpoint prune`.')];
}

function isOlder(version: string, than: readonly [number, number]): boolean {
  const [major = 0, minor = 0] = version.split('.').map(part => Number.parseInt(part, 10));
  return major < than[0] || (major === than[0] && minor < than[1]);
}
