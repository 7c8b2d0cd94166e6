// Who the user is to git. A host may refuse made-up identities, so the user's own is preferred where there is one.
import type {Git} from './command.ts';

export type Person = {readonly name: string; readonly mail: string};

/** Returns git's identity of the user: from the environment, then from the configuration; undefined where none is set. */
export async function readIdentity(
  git: Git,
  env: Readonly<Record<string, string | undefined>>,
): Promise<Person | undefined> {
  const out = (
    await git.run(['config', '--null', '--get-regexp', '^(user|committer)\\.(name|email)$'])
  ).stdout.toString();
  const config = new Map(out.split('\0').map(line => [line.split('\n')[0]!, line.slice(line.indexOf('\n') + 1)]));
  const name = env.GIT_COMMITTER_NAME || config.get('committer.name') || config.get('user.name');
  const mail = env.GIT_COMMITTER_EMAIL || config.get('committer.email') || config.get('user.email') || env.EMAIL;
  return name && mail ? {name, mail} : undefined;
}
