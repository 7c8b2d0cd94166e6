import stringWidth from 'string-width';
import {durationMs} from '../../lib/config/keys.ts';
import {Failure} from '../../lib/failure.ts';
import {kindOf} from '../../lib/model/fold.ts';
import {isAgentName} from '../../lib/model/ids.ts';
import type {GoalStore} from '../../lib/store/goal-store.ts';
import {defineCommand} from '../command.ts';
import {type LogEntry, logEntries} from '../log-entries.ts';
import {commitPatch} from '../log-patch.ts';
import {cutTo, type Output, oneLine, pad, styled} from '../print.ts';
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
    const entries = await logEntries(store, view.tip, {
      rounds,
      todo: todo === undefined ? undefined : await view.resolve('t', todo),
      sinceMs: since === undefined ? undefined : sinceMs(since, session.world.now()),
    });
    const shown = entries.slice(0, limit ?? (session.json ? entries.length : shownDefault));
    const patches = patch ? await patchesOf(store, shown) : undefined;
    const events = shown.map(({event}) => event);
    const document = {schema: 'loopx/log@1', goal: view.id, events, ...(patches && {patches: [...patches.values()]})};
    printResult(session, document, () => {
      if (shown.length === 0) return ['Nothing of that kind has happened yet.'];
      const more = entries.length - shown.length;
      return [
        ...entryLines(shown, patches, session.stdout),
        ...(more > 0 ? [`${more} more: loopx log --limit ${entries.length}`] : []),
      ];
    });
  },
});

type CommitPatch = {readonly commit: string; readonly events: readonly string[]; readonly patch: string};

async function patchesOf(store: GoalStore, entries: readonly LogEntry[]): Promise<ReadonlyMap<string, CommitPatch>> {
  const commits = new Map(entries.map(({commit}) => [commit.commit, commit]));
  const patches = [...commits.values()].map(async commit => ({
    commit: commit.commit,
    events: commit.events.map(({id}) => id),
    patch: await commitPatch(store, commit),
  }));
  return new Map((await Promise.all(patches)).map(patch => [patch.commit, patch]));
}

// Times are UTC, as in the records; each day is told once.
function entryLines(
  entries: readonly LogEntry[],
  patches: ReadonlyMap<string, CommitPatch> | undefined,
  output: Output,
): readonly string[] {
  const {columns} = output;
  const widest = Math.max(...entries.map(({event}) => whoWidth(event.by)));
  const who = Math.min(widest, columns < 70 ? 10 : 24);
  return entries.flatMap(({event, commit}, index) => {
    const before = entries[index - 1];
    const after = entries[index + 1];
    const day = event.at.slice(0, 10);
    const head = `${event.at.slice(11, 16)}  ${pad(cutTo(shortName(event.by), who), who)}  `;
    const what = cutTo(kindOf(event).subject(event), Math.max(columns - who - 9, 12));
    // Events of one commit share what they changed.
    const patch = after?.commit === commit ? undefined : patches?.get(commit.commit)?.patch;
    return [
      ...(before?.event.at.slice(0, 10) === day ? [] : [styled(output, 'bold', `${day} UTC`)]),
      styled(output, 'dim', head) + what,
      ...(patch ? patchLines(patch, output) : []),
    ];
  });
}

function patchLines(patch: string, output: Output): readonly string[] {
  return patch
    .trimEnd()
    .split('\n')
    .map(line => {
      const shown = `  ${line.slice(0, 1)}${oneLineKept(line.slice(1))}`;
      if (line.startsWith('+')) return styled(output, 'green', shown);
      if (line.startsWith('-')) return styled(output, 'red', shown);
      return line.startsWith('@@') ? styled(output, 'cyan', shown) : shown;
    });
}

// As `oneLine`, with the indentation of the record.
function oneLineKept(line: string): string {
  return (/^ */.exec(line)?.[0] ?? '') + oneLine(line);
}

function shortName(by: string): string {
  return isAgentName(by) ? by : by.replace(/\s*<[^<>]*>$/, '');
}

function whoWidth(by: string): number {
  return stringWidth(oneLine(shortName(by)));
}

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
