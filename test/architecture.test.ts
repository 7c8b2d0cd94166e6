// The architecture as a test: what a review need not talk about any more.
import {existsSync} from 'node:fs';
import {readdir, readFile} from 'node:fs/promises';
import {join} from 'node:path';
import test from 'ava';
import {commandTable} from '../cli/commands/table.ts';
import {circleOf, loadedWith, type Module, readModules, root} from './support/modules.ts';

// From bottom to top. A room imports what is listed, and itself.
const pure = ['failure', 'model'];
const state = [...pure, 'world', 'git', 'store'];
const capabilities = [...state, 'policy', 'brief', 'config', 'change'];
const mayImport: Readonly<Record<string, readonly string[]>> = {
  failure: [],
  world: [],
  model: ['failure'],
  policy: pure,
  brief: pure,
  git: ['failure', 'world'],
  config: ['failure'],
  store: [...pure, 'world', 'git'],
  change: state,
  evidence: capabilities,
  hosts: [...capabilities, 'evidence'],
  sync: [...capabilities, 'hosts', 'evidence'],
  loop: [...capabilities, 'hosts', 'evidence', 'sync'],
  doctor: [...capabilities, 'hosts', 'evidence', 'sync', 'loop'],
  cli: [...capabilities, 'hosts', 'evidence', 'sync', 'loop', 'doctor'],
  index: [...capabilities, 'hosts', 'evidence', 'sync', 'loop', 'doctor'],
};

const pureRooms = ['failure', 'world', 'model', 'policy', 'brief'];
const pureModules: Readonly<Record<string, readonly string[]>> = {
  // Hashes, and monotonic ids from a clock and a randomness that are given.
  'lib/model/ids.ts': ['node:crypto', 'ulid'],
  // stripVTControlCharacters
  'lib/model/plain-text.ts': ['node:util'],
};

const startsProcesses = [
  'lib/git/command.ts', // git
  'lib/git/objects.ts', // git, as a process that answers many questions
  'lib/evidence/checks.ts', // a goal's checks
  'lib/doctor/programs.ts', // what an agent would start, to see whether it starts
  'lib/loop/process.ts', // agents
  'lib/loop/process-table.ts', // ps, where there is no /proc
  'lib/loop/watchdog.ts', // loopx itself, beside an agent
];

// Who starts a process has to end it with all that it started.
const endsProcesses = ['lib/evidence/checks.ts', 'lib/git/command.ts', 'lib/loop/reaper.ts'];

const all = await readModules('lib', 'cli');
const lib = all.filter(({path}) => path.startsWith('lib/'));

/** `lib/model/ids.ts` is in the room `model`, `lib/world.ts` in `world`, all of cli in `cli`. */
function roomOf(path: string): string {
  const [top = '', next = ''] = path.split('/');
  return top === 'lib' ? next.replace(/\.ts$/, '') : top;
}

/** Returns what some modules say against a rule, as `path: what`. */
function breaches(modules: readonly Module[], find: (module: Module) => readonly string[]): readonly string[] {
  return modules.flatMap(module => find(module).map(what => `${module.path}: ${what}`));
}

function said(pattern: RegExp): (module: Module) => readonly string[] {
  return ({code}) => [...code.matchAll(pattern)].map(([text]) => text);
}

const isOurs = (name: string) => name.startsWith('lib/') || name.startsWith('cli/');

test('imports point down only', t => {
  const upward = breaches(all, ({path, imports}) => {
    const allowed = mayImport[roomOf(path)];
    if (!allowed) return [`the room ${roomOf(path)} has no place among the layers`];
    const rooms = imports.filter(({of}) => isOurs(of)).map(({of}) => roomOf(of));
    return [...new Set(rooms)].filter(room => room !== roomOf(path) && !allowed.includes(room));
  });
  t.deepEqual(upward, []);
});

test('what a module imports of ours is there', t => {
  const missing = breaches(all, ({imports}) =>
    imports.map(({of}) => of).filter(of => isOurs(of) && !all.some(({path}) => path === of)),
  );
  t.deepEqual(missing, []);
});

test('no module needs itself to be loaded', t => {
  t.is(circleOf(all), undefined);
});

test('rules about goals are pure', t => {
  const modules = all.filter(({path}) => pureRooms.includes(roomOf(path)));
  const foreign = breaches(modules, ({path, imports}) =>
    imports.map(({of}) => of).filter(of => !isOurs(of) && !pureModules[path]?.includes(of)),
  );
  t.deepEqual(foreign, []);
  t.deepEqual(breaches(modules, said(/\b(setTimeout|setInterval|setImmediate|fetch|performance|Buffer)\b[.(]/g)), []);
});

test('lib is given time, randomness, environment and streams', t => {
  const taken = /(?<![\w$.'/])(process|console|globalThis)\s*[.[]|Date\.now|Math\.random|new Date\(\)|'node:console'/g;
  t.deepEqual(breaches(lib, said(taken)), []);
  const killers = lib.filter(({imports}) => imports.some(({of}) => of === 'node:process'));
  t.deepEqual(
    breaches(killers, said(/^import .* from 'node:process'/gm)),
    endsProcesses.map(path => `${path}: import {kill} from 'node:process'`),
  );
});

test('git and other programs are started in few places', t => {
  const starters = all.filter(({imports}) =>
    imports.some(({of, kind}) => kind !== 'type' && ['node:child_process', 'child_process', 'execa'].includes(of)),
  );
  t.deepEqual(
    starters.map(({path}) => path),
    [...startsProcesses].sort(),
  );
});

test('only the git room names the git binary', t => {
  const outside = all.filter(({path}) => roomOf(path) !== 'git');
  t.deepEqual(breaches(outside, said(/\b(spawn|execa|execFile|execFileSync)\(\s*'git'/g)), []);
});

test('only lib/index.ts exports what others define', t => {
  const barrels = all.filter(
    ({path, imports}) => path !== 'lib/index.ts' && imports.some(({kind}) => kind === 'export'),
  );
  t.deepEqual(
    barrels.map(({path}) => path),
    [],
  );
});

test('a module is short, and named for its subject', t => {
  t.deepEqual(
    breaches(all, ({lines}) => (lines > 300 ? [`${lines} lines`] : [])),
    [],
  );
  t.deepEqual(
    breaches(all, ({path}) => {
      const names = path.replace(/\.ts$/, '').split('/');
      return names.filter(name => !/^[a-z0-9]+(-[a-z0-9]+)*$/.test(name) || grabBag.test(name));
    }),
    [],
  );
  t.deepEqual(
    all.filter(({path}) => /\/index\.ts$/.test(path)).map(({path}) => path),
    ['lib/index.ts'],
  );
});

const grabBag = /^(utils?|helpers?|common|shared|misc)$|-(utils?|helpers?|manager|service)$/;

test('a module opens with what a newcomer must know', async t => {
  const mute: string[] = [];
  for (const {path} of lib) {
    const text = await readFile(join(root, path), 'utf8');
    if (!/^(\/\/|\/\*\*?) ?\S/.test(text)) mute.push(path);
  }

  t.deepEqual(mute, []);
});

test('a command lies at its path, and all of them are in the table', async t => {
  const files = (await readdir(join(root, 'cli/commands'), {recursive: true}))
    .map(name => name.replaceAll('\\', '/'))
    .filter(name => name.endsWith('.ts') && name !== 'table.ts')
    .map(name => name.slice(0, -3));
  t.deepEqual(
    files.sort(),
    Object.keys(commandTable)
      .map(path => path.replace(' ', '/'))
      .sort(),
  );
  for (const [path, {load}] of Object.entries(commandTable)) {
    t.regex((await load()).usage, new RegExp(`^${path}( [<[]|$)`), path);
  }

  const table = all.find(module => module.path === 'cli/commands/table.ts')!;
  for (const [, path, file] of table.code.matchAll(/^ {2}'?([a-z -]+)'?: from\(\(\) => import\('([^']+)'\)\)/gm)) {
    t.is(file, `./${path!.replace(' ', '/')}.ts`);
  }
});

test('the help topic that a command names is there', async t => {
  const commands = await Promise.all(Object.values(commandTable).map(({load}) => load()));
  const topics = new Set(commands.flatMap(({topic}) => topic ?? []));
  t.deepEqual(
    [...topics].filter(topic => !existsSync(join(root, `cli/help/${topic}.md`))),
    [],
  );
});

test('what is called often loads no package that takes long to load', t => {
  const heavy = ['diff', 'execa', 'isomorphic-git', 'yaml', 'yargs'];
  for (const path of [
    'cli/bin.ts',
    'cli/commands/status.ts',
    'cli/commands/quota/should-run.ts',
    'cli/commands/todo/add.ts',
  ]) {
    const loaded = loadedWith(all, path);
    t.deepEqual(
      heavy.filter(name => loaded.has(name)),
      [],
      path,
    );
  }
});
