// The repository itself: which one it is, of what form, and whether git knows who the user is.
import {basename} from 'node:path';
import {type Failure, isFailure} from '../failure.ts';
import {readConfig} from '../git/config.ts';
import {readIdentity} from '../git/identity.ts';
import type {Repository} from '../git/repository.ts';
import {bad, good, type Sign, warn} from './finding.ts';
import type {Patient, WholePatient} from './patient.ts';

export async function examineRepository({body, cwd}: Patient): Promise<readonly Sign[]> {
  if (isFailure(body)) return [unopened(body, cwd)];
  const {repository} = body;
  const form = await formOf(repository);
  const place = repository.top ?? repository.gitDir;
  const opened = good(`The repository opens: ${place}${form.length > 0 ? ` (${form.join(', ')})` : ''}.`);
  if (repository.top !== undefined) return [opened];
  return [
    opened,
    warn('No agent can work in a bare repository.', `git worktree add ../${basename(place, '.git')}-work`),
  ];
}

function unopened(why: Failure, cwd: string): Sign {
  if (why.code !== 'not-a-repository') return bad(why.message, why.hint);
  return warn(`${cwd} is not in a git repository, so only git, Node and the agents were examined.`, why.hint);
}

async function formOf({git, gitDir, commonDir, top}: Repository): Promise<readonly string[]> {
  const config = await readConfig(git);
  const has = (key: RegExp, value: RegExp) => config.some(entry => key.test(entry.key) && value.test(entry.value));
  const isShallow = (await git.text(['rev-parse', '--is-shallow-repository'])) === 'true';
  const forms: readonly (readonly [boolean, string])[] = [
    [top === undefined, 'bare'],
    [gitDir !== commonDir, `linked worktree of ${commonDir}`],
    [isShallow, 'shallow: its history is cut'],
    [has(/^remote\..*\.promisor$/s, /^true$/i), 'partial clone'],
    [has(/^core\.sparsecheckout$/, /^(true|yes|on|1)$/i), 'sparse checkout'],
    [has(/^extensions\.objectformat$/, /^sha256$/i), 'SHA-256'],
    [has(/^extensions\.refstorage$/, /^reftable$/i), 'reftable'],
  ];
  return forms.flatMap(([is, form]) => (is ? [form] : []));
}

export async function examineIdentity({body: {repository}, world}: WholePatient): Promise<readonly Sign[]> {
  const {git} = repository;
  const person = await readIdentity(git, world.env);
  if (person) return [good(`git knows you as ${person.name} <${person.mail}>.`)];
  const mend = 'git config --global user.name "Your Name" && git config --global user.email you@example.org';
  // Where nothing is set, git makes an identity up from the system's user and host, or refuses to commit.
  const made = await git.run(['var', 'GIT_COMMITTER_IDENT']);
  if (made.status !== 0) return [bad('git knows neither your name nor your mail, so no agent can commit.', mend)];
  const guess = made.stdout.toString().replace(/ \d+ [+-]\d{4}\s*$/, '');
  return [warn(`Your name is not set: agents will commit as ${guess}, which git made up.`, mend)];
}
