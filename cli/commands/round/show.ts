import {Failure} from '../../../lib/failure.ts';
import type {Artifact} from '../../../lib/model/artifact.ts';
import {resolveId} from '../../../lib/model/ids.ts';
import type {Round} from '../../../lib/model/round.ts';
import {defineCommand} from '../../command.ts';
import {amount, bytes, duration, money, oneLine, when} from '../../print.ts';
import {printResult} from '../../result.ts';

export const command = defineCommand({
  usage: 'round show <round>',
  describe: 'Show what a round did: commits, checks, artifacts, usage',
  async run(args, session) {
    const view = await session.view();
    const events = (await (await session.store()).commits([view.tip], [])).flatMap(commit => commit.events);
    const begun = events.filter(event => event.event === 'round.begun');
    const id = resolveId(
      'r',
      args.round,
      begun.map(event => String(event.round)),
    );
    const start = begun.find(event => event.round === id)!;
    const finished = events.find(event => event.event === 'round.finished' && event.round === id) as unknown as
      | (Round & {id: string; at: string})
      | undefined;
    const artifacts = (await view.all<Artifact>('artifacts')).filter(artifact => artifact.round === id);
    if (!finished) {
      const live = view.goal.live.find(other => other.round === id);
      if (!live)
        throw new Failure('state-unreadable', `Round ${id} neither runs nor ended.`, {hint: 'Run `loopx fsck`.'});
      return printResult(session, {schema: 'loopx/round@1', round: {...live, id, outcome: null, artifacts}}, () => [
        `${id} is running: ${live.agent}${live.todo ? ` on ${live.todo}` : ''}, begun ${when(live.at, session.world.now())}.`,
      ]);
    }

    const {agent, todo, outcome, summary, seconds, usage, billed, commits, checks, error} = finished;
    const elapsed = Math.round((Date.parse(finished.at) - Date.parse(start.at)) / 1000);
    const round = {...finished, id, artifacts, elapsed};
    printResult(session, {schema: 'loopx/round@1', round}, () => [
      `${id}  ${outcome}, by ${agent}${todo ? ` on ${todo}` : ', planning'}, ${when(start.at, session.world.now())}`,
      `  ${oneLine(summary)}`,
      ...(error ? [`  Error (${error.class}): ${oneLine(error.message)}`] : []),
      `  Elapsed ${duration(elapsed)}, working ${duration(seconds)}${usage.modelSeconds === undefined ? '' : `, in the model ${duration(usage.modelSeconds)}`}`,
      `  ${billed ? 'Billed' : 'Not billed'}: ${amount(usage.tokens)} tokens, ${money(usage.microUsd)}`,
      ...commits.map(commit => `  Commit ${commit.commit.slice(0, 10)} ${oneLine(commit.subject ?? '')}`),
      ...checks.map(check => `  Check ${check.name}: ${check.outcome} (${check.seconds} s)`),
      ...artifacts.map(
        artifact =>
          `  Artifact ${oneLine(artifact.path)}, ${bytes(artifact.sizeBytes)}, sha256 ${artifact.sha256.slice(0, 12)}`,
      ),
    ]);
  },
});
