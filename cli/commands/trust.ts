import {isTrusted, trust} from '../../lib/evidence/trust.ts';
import {Failure} from '../../lib/failure.ts';
import type {Todo} from '../../lib/model/todo.ts';
import {isClosed} from '../../lib/model/todo.ts';
import {defineCommand} from '../command.ts';
import {wrap} from '../layout.ts';
import {requirePerson} from '../person.ts';
import {plural} from '../print.ts';
import {printResult} from '../result.ts';
import type {Session} from '../session.ts';

export const command = defineCommand({
  usage: 'trust',
  describe: 'Show commands that others wrote, and let loopx run them on this machine; only a person can',
  options: {yes: {type: 'boolean', describe: 'Trust all that are shown, without asking', alias: 'y'}},
  examples: [
    ['', 'Read them, then decide'],
    ['--yes', 'Trust them all; read them first'],
  ],
  topic: 'config',
  async run({yes = false}, session) {
    requirePerson(session, 'trust commands');
    const {commonDir} = await session.repository();
    const all = await Promise.all(
      (await commandsOf(session)).map(async command => ({
        ...command,
        trusted: await isTrusted(commonDir, command.run),
      })),
    );
    const foreign = all.filter(({trusted}) => !trusted);
    const accepted = foreign.length > 0 && (yes || (await accepts(foreign, session)));
    if (accepted)
      await trust(
        commonDir,
        foreign.map(({run}) => run),
      );
    const commands = all.map(command => ({...command, trusted: command.trusted || accepted}));
    printResult(session, {schema: 'loopx/trust@1', commands}, () => {
      if (foreign.length === 0)
        return all.length === 0 ? 'There are no commands to trust.' : 'All commands are trusted.';
      return [
        ...(yes || !session.mayAsk ? listed(foreign, session.stdout.columns) : []),
        ...(accepted ? [`${plural(foreign.length, 'command')} may run on this machine from now on.`] : []),
      ];
    });
    if (foreign.length > 0 && !accepted) {
      throw new Failure('not-trusted', `${plural(foreign.length, 'command')} not trusted yet.`, {
        hint: 'When you have read them: loopx trust --yes',
      });
    }
  },
});

type Foreign = {readonly run: string; readonly from: string};

// Each command once, with all the places that it stems from.
async function commandsOf(session: Session): Promise<readonly Foreign[]> {
  const found: Foreign[] = [];
  const store = await session.store();
  if ((await store.tips()).size > 0) {
    const {goal, all} = await session.view();
    found.push(...goal.acceptance.map(({run}) => ({run, from: `goal ${goal.id}`})));
    for (const {id, status, checks = []} of await all<Todo>('todos')) {
      if (!isClosed(status)) found.push(...checks.map(({run}) => ({run, from: `todo ${id}`})));
    }
  }

  const config = await session.config();
  for (const name of config.executors) {
    for (const value of [config.executor(name)?.command, config.executor(name)?.args]) {
      if (value?.source === 'project') found.push({run: value.value, from: `executor ${name} in .loopx.yaml`});
    }
  }

  return [...new Set(found.map(({run}) => run))].map(run => ({
    run,
    from: found.flatMap(other => (other.run === run ? [other.from] : [])).join(', '),
  }));
}

async function accepts(foreign: readonly Foreign[], session: Session): Promise<boolean> {
  if (!session.mayAsk) return false;
  for (const line of listed(foreign, session.stderr.columns)) session.say(line);
  const answer = await session.stdin.ask('May these commands run on this machine, as you? (yes/no) ');
  return /^\s*y(es)?\s*$/i.test(answer);
}

// A command is shown whole: what is cut off is what one should have read.
function listed(foreign: readonly Foreign[], columns: number): readonly string[] {
  return foreign.flatMap(({run, from}) => {
    const [first = '', ...rest] = wrap(visible(run), columns, '    ');
    return [`  $ ${first.trimStart()}`, ...rest, ...wrap(`from ${from}`, columns, '      ')];
  });
}

// A line end would hide that it is one command, a control character that it is another one.
function visible(run: string): string {
  return run.replace(/[\p{Cc}\p{Cf}]/gu, char => `\\u{${char.codePointAt(0)!.toString(16)}}`);
}
