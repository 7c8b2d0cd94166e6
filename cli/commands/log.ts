import {durationMs} from '../../lib/config/keys.ts';
import {Failure} from '../../lib/failure.ts';
import {defineCommand} from '../command.ts';
import {readLog} from '../log-entries.ts';
import {patchesOf} from '../log-patch.ts';
import {entryLines, idShortener} from '../log-text.ts';
import {plural} from '../print.ts';
import {printResult} from '../result.ts';

const shownDefault = 20;

export const command = defineCommand({
  usage: 'log',
  describe: 'Show what happened to the goal, newest first',
  options: {
    limit: {
      type: 'number',
      describe: `How many events; ${shownDefault} unless said, all with --json`,
      alias: 'n',
      value: 'N',
    },
    rounds: {type: 'boolean', describe: 'Only rounds, a line each'},
    todo: {type: 'string', describe: 'Only what is about this todo', value: 'TODO'},
    since: {type: 'string', describe: 'Only what is younger, such as 2h, 3d or 2026-11-30', value: 'TIME'},
    patch: {type: 'boolean', describe: 'Also what each changed in the records', alias: 'p'},
  },
  examples: [
    ['--rounds --since 1d', 'The rounds of the last day'],
    ['--todo k3m9 --patch', 'The story of one todo, with every change'],
  ],
  topic: 'state',
  async run({limit, rounds = false, todo, since, patch = false}, session) {
    if (limit !== undefined && (!Number.isInteger(limit) || limit < 1))
      throw new Failure('usage', '--limit needs a whole number of 1 or more.');
    const view = await session.view();
    const store = await session.store();
    const {entries, unreadable} = await readLog(store, view.tip, {
      rounds,
      todo: todo === undefined ? undefined : await view.resolve('t', todo),
      sinceMs: since === undefined ? undefined : sinceMs(since, session.world.now()),
    });
    if (unreadable > 0) session.say(`loopx: ${plural(unreadable, 'commit')} can't be read: loopx fsck`);
    const shown = entries.slice(0, limit ?? (session.json ? entries.length : shownDefault));
    const patches = patch ? await patchesOf(store, shown) : undefined;
    const events = shown.map(({event}) => event);
    const shorten = await idShortener(session, view.tip);
    const document = {schema: 'loopx/log@1', goal: view.id, events, ...(patches && {patches: [...patches.values()]})};
    printResult(session, document, () => {
      if (shown.length === 0) return ['Nothing of that kind has happened yet.'];
      const more = entries.length - shown.length;
      return [
        ...entryLines(shown, {patches, shorten, output: session.stdout}),
        ...(more > 0 ? [`${more} more: loopx log --limit ${entries.length}`] : []),
      ];
    });
  },
});

function sinceMs(text: string, nowMs: number): number {
  const at = Date.parse(text);
  if (/^\d{4}-\d\d-\d\d/.test(text) && !Number.isNaN(at)) return at;
  try {
    return nowMs - durationMs(text, '--since');
  } catch {
    throw new Failure('usage', `"${text}" is no time.`, {
      hint: 'Use a length such as 2h or 3d, or a date such as 2026-11-30.',
    });
  }
}
