import {type Config, configFiles, writeSetting} from '../../lib/config/config.ts';
import {executorKey, settings} from '../../lib/config/keys.ts';
import {Failure} from '../../lib/failure.ts';
import {defineCommand} from '../command.ts';
import {wrap} from '../layout.ts';
import {requirePerson} from '../person.ts';
import {oneLine, styled} from '../print.ts';
import {printResult} from '../result.ts';
import type {Session} from '../session.ts';

export const command = defineCommand({
  usage: 'config [action] [key] [value]',
  describe: 'List the settings and where each comes from; or get, set, unset one',
  options: {
    'in-project': {type: 'boolean', describe: "Write to the project's .loopx.yaml instead of your own file"},
  },
  examples: [
    ['', 'List all settings'],
    ['get default_executor', 'Print one'],
    ['set round.timeout 1h', 'Set one for you'],
    ['set check.timeout 20m --in-project', 'Set one for everybody who works on this project'],
    ['unset round.timeout', 'Take one away, so that the default holds'],
  ],
  topic: 'config',
  async run({action = 'list', key, value, inProject = false}, session) {
    if (action === 'list') return list(session);
    if (!['get', 'set', 'unset'].includes(action)) {
      throw new Failure('usage', `There is no "config ${action}".`, {hint: 'Use one of: list, get, set, unset.'});
    }

    if (key === undefined)
      throw new Failure('usage', 'The setting is missing.', {
        hint: `For example: loopx config ${action} round.timeout`,
      });
    if (action === 'get') return get(key, session);
    if (action === 'set' && value === undefined)
      throw new Failure('usage', 'The value is missing.', {hint: `Use: loopx config set ${key} VALUE`});
    if (action === 'unset' && value !== undefined)
      throw new Failure('usage', '"config unset" takes no value.', {hint: `Use: loopx config unset ${key}`});
    return write({key, value}, inProject ? 'project' : 'user', session);
  },
});

type Shown = ReturnType<Config['all']>[number];

async function list(session: Session): Promise<void> {
  const all = (await session.config()).all();
  const {stdout} = session;
  printResult(session, {schema: 'loopx/config@1', settings: all}, () =>
    all.flatMap(({key, value, source, from}) => [
      `${key} = ${oneLine(value)}`,
      ...wrap(origin({source, from}), stdout.columns, '    ').map(line => styled(stdout, 'dim', line)),
    ]),
  );
}

async function get(key: string, session: Session): Promise<void> {
  const setting = (await session.config()).all().find(other => other.key === key);
  if (!setting) throw noSetting(key);
  printResult(session, {schema: 'loopx/setting@1', ...setting}, () => setting.value);
}

async function write(
  {key, value}: {key: string; value: string | undefined},
  where: 'user' | 'project',
  session: Session,
): Promise<void> {
  if (!(key in settings) && !executorKey.test(key)) throw noSetting(key);
  requirePerson(session, where === 'user' ? 'change your settings' : "change the project's settings");
  const files = configFiles(session.world.env, where === 'project' ? (await session.repository()).top : undefined);
  const file = files[where];
  if (file === undefined) throw new Failure('usage', 'A bare repository has no file of the project.');
  await writeSetting(file, key, value);
  // What a person has just typed is trusted; what others find in the file later is not.
  if (where === 'project' && value !== undefined && executorKey.test(key))
    await session.trustOwn([{name: key, run: value}]);
  const now = (await session.config()).all().find(other => other.key === key);
  printResult(session, {schema: 'loopx/setting@1', key, value: null, source: null, from: null, ...now}, () => {
    const done = value === undefined ? `Took ${key} out of ${file}` : `Set ${key} in ${file}`;
    const isHidden = value !== undefined && now?.from !== file;
    return [
      done,
      ...(now ? [`  ${key} = ${oneLine(now.value)}`, `  ${isHidden ? 'Yet it comes ' : ''}${origin(now)}`] : []),
    ];
  });
}

function origin({source, from}: Pick<Shown, 'source' | 'from'>): string {
  return source === 'default' ? 'by default' : `from ${from}`;
}

function noSetting(key: string): Failure {
  return new Failure('config-invalid', `There is no setting "${key}".`, {
    hint: 'List the settings with `loopx config`.',
  });
}
