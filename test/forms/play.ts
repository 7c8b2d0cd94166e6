// Plays a goal from connect to disconnect in one form of repository, with loopx as a process of its own and a small agent,
// and says how each step went. Whatever the form, loopx may not touch what is the user's: that is looked at as well.
import {readdir, readFile, rm, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import type {ExecutionContext} from 'ava';
import {openGit} from '../../lib/git/command.ts';
import {openRepository} from '../../lib/git/repository.ts';
import {loopx, program, type ShellResult} from '../support/loopx.ts';
import type {TempRepo} from '../support/repo.ts';
import {type Cell, type Column, columns, type Form} from './forms.ts';
import {type Place, remoteOf} from './place.ts';

export type Played = {
  readonly cells: Readonly<Record<Column, Cell>>;
  /** What loopx should not have done. */
  readonly harm: readonly string[];
};

type Player = {
  readonly repo: TempRepo;
  /** Runs loopx; anything but success ends the step. */
  readonly say: (...argv: string[]) => Promise<ShellResult>;
  readonly ask: <T>(...argv: string[]) => Promise<T>;
};

/** What ends a step. */
class Ended extends Error {
  readonly cell: Cell;
  constructor(cell: Cell) {
    super(JSON.stringify(cell));
    this.cell = cell;
  }
}

/** Plays one form. */
export async function playForm(t: ExecutionContext, form: Form): Promise<Played> {
  const place = await form.make(t);
  const {repo} = place;
  const player = playerOf(t, place);
  const settings = await settingsOf(repo);
  const harm: string[] = [];
  const cells: Partial<Record<Column, Cell>> = {};
  for (const column of columns) {
    if (form.but?.[column] === '–') {
      cells[column] = '–';
      continue;
    }

    const before = await usersOf(repo);
    cells[column] = await steps[column](player, t).then(
      () => 'ok' as const,
      error => {
        if (error instanceof Ended) return error.cell;
        throw error;
      },
    );
    // The agent's and the user's own commits move what the others leave alone.
    const isOurs = column !== 'round' && column !== 'commit';
    if (isOurs && (await usersOf(repo)) !== before) harm.push(`${column} changed what is the user's`);
  }

  if ((await settingsOf(repo)) !== settings) harm.push('settings or hooks are left behind');
  return {cells: cells as Record<Column, Cell>, harm};
}

const agentText = `
cat >/dev/null
echo "round $LOOPX_ROUND" >>work.txt
if [ ! -e "$(git rev-parse --git-path index.lock)" ]; then
  git add work.txt
  git -c user.name=agent -c user.email=agent@example.invalid -c commit.gpgSign=false commit -qm "Work" -- work.txt || exit 1
fi
echo '{"loopx":{"outcome":"done","summary":"Wrote a line."}}'
`;

const steps: Readonly<Record<Column, (player: Player, t: ExecutionContext) => Promise<unknown>>> = {
  connect: ({say}) => say('connect'),
  'start-goal': ({say}) => say('start-goal', '--goal-text', 'Größer werden', '--todo', 'Grow on'),
  todo: ({say}) => say('todo', 'add', 'Grow in İstanbul', '--check', 'test -f work.txt', '--priority', '0'),
  async checkpoint({say, ask, repo}) {
    const file = join(repo.dir, 'notes.txt');
    const old = await readFile(file).catch(() => undefined);
    const bytes = Buffer.from('one\r\ntwo\nthree \xff\n', 'latin1');
    await writeFile(file, bytes);
    try {
      const {checkpoint} = await ask<{checkpoint: {id: string}}>('checkpoint', 'save', 'Before');
      await writeFile(file, 'gone');
      await say('checkpoint', 'restore', checkpoint.id);
      expect((await readFile(file)).equals(bytes), 'what was restored is not what was saved');
    } finally {
      await (old ? writeFile(file, old) : rm(file));
    }
  },
  async round({say, ask, repo}) {
    const isLocked = await readFile(join(repo.dir, '.git/index.lock')).catch(() => undefined);
    const head = await headOf(repo);
    const agent = await program(repo, 'agent', agentText);
    await say('run', '--command', `"${agent}"`, '--max-rounds', '1');
    const {todos} = await ask<{todos: {verified: number}}>('status');
    expect(todos.verified === 1, `the todo is not verified: ${JSON.stringify(todos)}`);
    const {events} = await ask<{events: {event: string; commits?: {commit: string}[]}[]}>('log');
    const commits = events.find(({event}) => event === 'round.finished')?.commits?.length;
    expect(commits === (isLocked ? 0 : 1), `${commits} commits are the round's`);
    expect(isLocked || (await headOf(repo)) !== head, 'the agent has committed elsewhere');
  },
  async commit({repo}) {
    const {commonDir, git} = await openRepository(repo.dir, repo.env);
    const heard = async () =>
      (await readFile(join(commonDir, 'loopx/spool'), 'utf8').catch(() => '')).split('\n').length;
    const before = await heard();
    const person = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.org', '-c', 'commit.gpgSign=false'];
    const {status, stderr} = await git.run([...person, 'commit', '-q', '--allow-empty', '-m', 'By hand']);
    expect(status === 0 && stderr === '', `the commit ended with ${status}: ${stderr}`);
    expect((await heard()) === before + 1, 'the commit was not heard of');
  },
  async sync({say, repo}) {
    await say('sync');
    const refs = await openGit(remoteOf(repo), repo.env).text(['for-each-ref', '--format=%(refname)']);
    expect(/^refs\/loopx\/goals\//m.test(refs), `the goal did not arrive: ${refs}`);
  },
  async status({say, ask}) {
    await say('status');
    expect((await ask<{ok: boolean}>('fsck')).ok, 'the state does not follow from the history');
  },
  disconnect: ({say}) => say('disconnect'),
};

function playerOf(t: ExecutionContext, {repo, options = {}}: Place): Player {
  const say = async (...argv: string[]) => {
    const result = await loopx(t, repo, argv, options);
    if (result.status !== 0) throw new Ended({status: result.status, says: sentenceOf(result.stderr, repo)});
    return result;
  };
  return {repo, say, ask: async (...argv) => JSON.parse((await say(...argv, '--json')).stdout)};
}

// Under --json it is a document.
function sentenceOf(stderr: string, {dir}: TempRepo): string {
  const line = stderr.startsWith('{')
    ? (JSON.parse(stderr) as {message: string}).message
    : /^loopx: (.*)/m.exec(stderr)?.[1];
  return (line ?? stderr).replaceAll(dir, 'DIR');
}

function expect(holds: unknown, otherwise: string): void {
  if (!holds) throw new Ended({status: 0, says: otherwise});
}

async function headOf({git}: TempRepo): Promise<string> {
  return (await git.run(['rev-parse', '-q', '--verify', 'HEAD'])).stdout.toString();
}

/** Returns HEAD, index, branches, tags, stash and what git says of the files. */
async function usersOf(repo: TempRepo): Promise<string> {
  const {git, gitDir, top} = await openRepository(repo.dir, repo.env);
  const refs = ['for-each-ref', '--format=%(refname) %(objectname)'];
  const said = await Promise.all([
    readFile(join(gitDir, 'HEAD'), 'utf8'),
    readFile(join(gitDir, 'index'), 'base64').catch(() => ''),
    git.text([...refs, 'refs/heads', 'refs/tags', 'refs/remotes', 'refs/stash']),
    top ? git.text(['status', '--porcelain']) : '',
    readFile(join(gitDir, 'shallow'), 'utf8').catch(() => ''),
  ]);
  return said.join('\0');
}

/** Returns the configuration and the hooks. */
async function settingsOf(repo: TempRepo): Promise<string> {
  const {commonDir} = await openRepository(repo.dir, repo.env);
  const hooks = join(commonDir, 'hooks');
  const names = (await readdir(hooks).catch(() => [])).sort();
  const scripts = await Promise.all(names.map(name => readFile(join(hooks, name), 'base64')));
  return [await readFile(join(commonDir, 'config'), 'utf8'), ...names, ...scripts].join('\0');
}
