// Whether the repository is connected, and still is: remotes come and are renamed, and others change git's settings.
import {readConfig} from '../git/config.ts';
import {isConnected, planConnect} from '../hosts/connect.ts';
import {good, type Sign, warn} from './finding.ts';
import type {WholePatient} from './patient.ts';
import {shellWord} from './shell-word.ts';

const connect = 'loopx connect';

export async function examineConnection({body: {repository}}: WholePatient): Promise<readonly Sign[]> {
  if (!(await isConnected(repository))) {
    return [warn('The repository is not connected: fetches bring no goals, and loopx hears of no commits.', connect)];
  }

  const {settings, body} = await planConnect(repository);
  const remotes = new Set(settings.flatMap(({key}) => /^remote\.(.+)\.fetch$/s.exec(key)?.[1] ?? []));
  const signs = [...remotes].map(remote => warn(`Fetches from ${remote} bring no goals.`, connect));
  if (settings.some(({key}) => key === 'notes.rewriteref')) {
    signs.push(warn('Notes of loopx stay behind when git amends or rebases: notes.rewriteRef lacks them.', connect));
  }

  if (body) signs.push(warn(`The script that hooks run is missing or of another loopx: ${body.file}.`, connect));
  signs.push(...(await strayRefspecs(repository.git)));
  return signs.length > 0 ? signs : [good('The repository is connected.')];
}

// `git remote rename` takes our refspecs along, but not the place that they fetch to.
async function strayRefspecs(git: WholePatient['body']['repository']['git']): Promise<readonly Sign[]> {
  const strays = new Map<string, string>();
  for (const {key, value} of await readConfig(git)) {
    const remote = /^remote\.(.+)\.fetch$/s.exec(key)?.[1];
    const target = /:refs\/loopx\/remotes\/(.+?)\/(?:goals|notes)\//.exec(value)?.[1];
    if (remote && target && remote !== target) strays.set(remote, target);
  }

  return [...strays].map(([remote, target]) =>
    warn(
      `Fetches from ${remote} write to refs/loopx/remotes/${target}, the remote's former name.`,
      `git config --unset-all ${shellWord(`remote.${remote}.fetch`)} ${shellWord(`:refs/loopx/remotes/${target}/`)} && ${connect}`,
    ),
  );
}
