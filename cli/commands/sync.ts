import {durationMs} from '../../lib/config/keys.ts';
import {reattachNew} from '../../lib/evidence/reattach-new.ts';
import {Failure} from '../../lib/failure.ts';
import {readConfig} from '../../lib/git/config.ts';
import {remoteNames} from '../../lib/hosts/refspecs.ts';
import {forgetOthers} from '../../lib/sync/memory.ts';
import {type ConnectedRemote, connectedRemotes} from '../../lib/sync/remotes.ts';
import {foreseeSync, type SyncReport, syncRemote} from '../../lib/sync/sync.ts';
import {defineCommand} from '../command.ts';
import {printResult} from '../result.ts';
import {syncText} from '../sync-text.ts';
import {tidy} from '../tidy.ts';

export const command = defineCommand({
  usage: 'sync [remote]',
  describe: 'Exchange goals and notes with the remotes that are connected',
  options: {
    'dry-run': {type: 'boolean', describe: 'Show what waits to be sent; ask no remote'},
    budget: {type: 'string', describe: 'The longest that one remote may take', default: '1m', value: 'DURATION'},
    'from-hook': {type: 'boolean', describe: 'Send along with a push that git is about to make'},
  },
  examples: [
    ['', 'With all of them'],
    ['origin', 'With one'],
  ],
  topic: 'sync',
  async run(args, session) {
    const repository = await session.repository();
    const config = await readConfig(repository.git);
    const connected = connectedRemotes(config);
    const wanted = choose(connected, args.remote, remoteNames(config));
    const store = await session.store();
    const context = {repository, store, world: session.world, signal: session.signal};
    const reports: SyncReport[] = [];
    await forgetOthers(
      repository.commonDir,
      connected.map(({name}) => name),
    );
    const budgetMs = args.fromHook
      ? (await session.config()).durationMs('sync.budget')
      : durationMs(args.budget, '--budget');
    for (const remote of wanted) {
      reports.push(
        args.dryRun
          ? await foreseen(context, remote)
          : await syncRemote(context, remote, {budgetMs, fetch: args.fromHook ? 'on-refusal' : 'first'}),
      );
    }

    const document = {
      schema: 'loopx/sync@1',
      remotes: reports.map(report => ({...report, problem: report.problem ?? null})),
      dryRun: args.dryRun === true,
    };
    printResult(session, document, () => reports.flatMap(report => syncText(report, {dryRun: args.dryRun === true})));
    // Never in a hook: what a push waits for is what it waits for.
    if (!args.fromHook && !args.dryRun) {
      if (reports.some(({came}) => came.length > 0))
        await reattachNew(store, repository, session.world).catch(() => {});
      await tidy(session);
    }

    refuseFailed(reports);
  },
});

function choose(
  connected: readonly ConnectedRemote[],
  named: string | undefined,
  remotes: readonly string[],
): readonly ConnectedRemote[] {
  const wanted = named === undefined ? connected : connected.filter(({name}) => name === named);
  if (wanted.length > 0) return wanted;
  if (named !== undefined && !remotes.includes(named)) {
    throw new Failure('not-found', `There is no remote "${named}".`, {hint: 'List the remotes with `git remote -v`.'});
  }

  if (remotes.length === 0) {
    throw new Failure('not-connected', 'This repository has no remote.', {
      hint: 'Add one: git remote add origin URL && loopx connect',
    });
  }

  throw new Failure('not-connected', `${named ?? 'No remote'} is ${named ? 'not ' : ''}connected.`, {
    hint: 'Connect the repository: loopx connect',
  });
}

async function foreseen(context: Parameters<typeof foreseeSync>[0], remote: ConnectedRemote): Promise<SyncReport> {
  const waiting = (await foreseeSync(context, remote)).map(({goal, events}) => ({goal, events, why: ''}));
  return {remote: remote.name, came: [], sent: [], waiting, notices: [], problem: undefined};
}

function refuseFailed(reports: readonly SyncReport[]): void {
  const problems = reports.flatMap(({problem}) => problem ?? []);
  const [first] = problems;
  if (!first || problems.length < reports.length) return;
  throw new Failure(first.code, first.message, first.hint === undefined ? {} : {hint: first.hint});
}
