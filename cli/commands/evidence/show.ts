import {createHash} from 'node:crypto';
import {lstat, readFile} from 'node:fs/promises';
import {join} from 'node:path';
import {roundsBehind} from '../../../lib/evidence/show.ts';
import {Failure} from '../../../lib/failure.ts';
import {readCommit} from '../../../lib/git/refs.ts';
import type {Artifact} from '../../../lib/model/artifact.ts';
import {defineCommand} from '../../command.ts';
import {knownText, unclearText} from '../../evidence-text.ts';
import {bytes, oneLine, table} from '../../print.ts';
import {printResult} from '../../result.ts';
import type {Session} from '../../session.ts';

export const command = defineCommand({
  usage: 'evidence show [commit]',
  describe: 'Show the rounds behind a commit, or the artifacts of the goal and whether they are still the same',
  examples: [
    ['', 'All artifacts, checked against their hashes'],
    ['HEAD', 'The rounds that made a commit'],
  ],
  topic: 'evidence',
  async run(args, session) {
    if (args.commit !== undefined) return showCommit(session, args.commit);
    const view = await session.view();
    const {top} = await session.repository();
    const all = [...(await view.all<Artifact>('artifacts'))].sort((a, b) => (a.created < b.created ? -1 : 1));
    const artifacts = await Promise.all(
      all.map(async artifact => ({...artifact, state: await stateOf(top, artifact)})),
    );
    printResult(session, {schema: 'loopx/evidence@1', artifacts}, () => {
      if (artifacts.length === 0) return ['No round has named an artifact yet.'];
      const rows = artifacts.map(({path, sizeBytes, sha256, round, state}) => [
        state,
        bytes(sizeBytes),
        sha256.slice(0, 12),
        round ?? '',
        oneLine(path),
      ]);
      return table(rows, session.stdout.columns);
    });
  },
});

async function stateOf(top: string | undefined, artifact: Artifact): Promise<'same' | 'changed' | 'gone'> {
  const file = top && join(top, artifact.path);
  // What has become a pipe or a device is not read: it would never end.
  const info = file && (await lstat(file).catch(() => undefined));
  if (!file || !info) return 'gone';
  if (!info.isFile() || info.size !== artifact.sizeBytes) return 'changed';
  const hash = createHash('sha256')
    .update(await readFile(file))
    .digest('hex');
  return hash === artifact.sha256 ? 'same' : 'changed';
}

async function showCommit(session: Session, revision: string): Promise<void> {
  const repository = await session.repository();
  const commit = await readCommit(repository.git, revision);
  if (!commit) {
    throw new Failure('not-found', `There is no commit "${revision}".`, {hint: 'Name it as git does, such as HEAD~2.'});
  }

  const {rounds, unclear} = await roundsBehind(await session.store(), repository, session.world, commit);
  const unclearRounds = unclear.map(({via, rounds}) => ({via, rounds: rounds.map(({goal, round}) => ({goal, round}))}));
  printResult(session, {schema: 'loopx/evidence@1', commit, rounds, unclear: unclearRounds}, () => [
    rounds.length === 0
      ? `No round is known to have made ${commit.slice(0, 12)}.`
      : `${commit.slice(0, 12)} was made by:`,
    ...rounds.flatMap(shown => {
      const {round, goal, todo, agent, outcome} = shown;
      const known = knownText(shown);
      return [
        `  ${round} of ${goal}, by ${agent}${todo ? ` on ${todo}` : ''}: ${outcome}`,
        ...(known === undefined ? [] : [`    ${known}`]),
      ];
    }),
    ...unclear.map(each => `  ${unclearText(each)}`),
    ...(rounds[0] ? [`  More: loopx round show ${rounds[0].round}`] : []),
  ]);
}
