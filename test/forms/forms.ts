// Every form of repository and machine that loopx promises to work with, and what it refuses where. Another form is one
// more row: how it is made, and which of the columns are not simply `ok`.
import {execFile} from 'node:child_process';
import {statSync} from 'node:fs';
import {chmod, mkdir, writeFile} from 'node:fs/promises';
import {dirname, join} from 'node:path';
import {promisify} from 'node:util';
import type {ExecutionContext} from 'ava';
import {openGit} from '../../lib/git/command.ts';
import {findTool} from '../support/find-tool.ts';
import {loopxJson, program} from '../support/loopx.ts';
import {at, cloneOf, type Place, remoteUrl, withRemote} from './place.ts';

export const columns = [
  'connect',
  'start-goal',
  'todo',
  'checkpoint',
  'round',
  'commit',
  'sync',
  'status',
  'disconnect',
] as const;

export type Column = (typeof columns)[number];

/** `ok`; `–` where there is nothing to do it with; or the exit status and the sentence of a refusal. */
export type Cell = 'ok' | '–' | {readonly status: number; readonly says: string};

export type Form = {
  readonly name: string;
  readonly make: (t: ExecutionContext) => Promise<Place>;
  readonly but?: Partial<Record<Column, Cell>>;
  /** Why it can't be tried here, if so. */
  readonly missing?: string;
};

const noFiles = 'A bare repository has no files to work on.';
const cannotWrite =
  "git fast-import failed: fatal: Unable to create temporary file 'DIR/.git/objects/pack/tmp_pack_XXXXXX': Permission denied";
const foreign = "git can't open the repository at DIR: detected dubious ownership in repository at 'DIR'";

// Nothing is read-only to root.
const asNobody =
  process.getuid?.() !== 0 ? [] : canBeNobody() ? ['setpriv', '--reuid=65534', '--clear-groups'] : undefined;

function canBeNobody(): boolean {
  const isOpen = (folder: string): boolean =>
    (statSync(folder).mode & 0o005) === 0o005 && (folder === '/' || isOpen(dirname(folder)));
  return findTool('setpriv') !== undefined && isOpen(import.meta.dirname) && isOpen(dirname(process.execPath));
}

function everywhere(cell: Cell): Partial<Record<Column, Cell>> {
  return Object.fromEntries(columns.map(column => [column, cell]));
}

export const forms: readonly Form[] = [
  {name: 'plain', make: async t => ({repo: await withRemote(t)})},
  {
    name: 'a linked worktree',
    async make(t) {
      const repo = await withRemote(t);
      const dir = join(dirname(repo.dir), 'linked');
      await repo.git.text(['worktree', 'add', '-q', '-b', 'side', dir]);
      return {repo: at(repo, dir)};
    },
  },
  {
    name: 'bare',
    make: async t => ({repo: await cloneOf(await withRemote(t), ['--bare'])}),
    but: {
      checkpoint: {status: 1, says: 'DIR has no working tree: it is bare, or the git folder itself.'},
      round: {status: 1, says: noFiles},
      commit: '–',
    },
  },
  {
    name: 'a worktree of a bare repository',
    async make(t) {
      const bare = await cloneOf(await withRemote(t), ['--bare']);
      const dir = join(dirname(bare.dir), 'linked');
      await bare.git.text(['worktree', 'add', '-q', dir, 'main']);
      return {repo: at(bare, dir)};
    },
  },
  {
    name: 'a submodule',
    async make(t) {
      const repo = await withRemote(t);
      const add = ['-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', remoteUrl(repo), 'sub'];
      await repo.git.text(add);
      return {repo: at(repo, join(repo.dir, 'sub'))};
    },
  },
  {name: 'shallow', make: async t => ({repo: await cloneOf(await withRemote(t), ['--depth=1'])})},
  {
    name: 'partial (`--filter=blob:none`)',
    make: async t => ({repo: await cloneOf(await withRemote(t), ['--filter=blob:none'])}),
  },
  {
    name: 'sparse',
    async make(t) {
      const repo = await cloneOf(await withRemote(t), ['--sparse']);
      await repo.git.text(['sparse-checkout', 'set', 'one']);
      return {repo};
    },
  },
  {
    name: 'objects of another (`--shared`)',
    async make(t) {
      const origin = await withRemote(t);
      const dir = join(dirname(origin.dir), 'clone');
      await origin.git.text(['clone', '-q', '--shared', origin.dir, dir]);
      const repo = at(origin, dir);
      await repo.git.text(['remote', 'set-url', 'origin', remoteUrl(origin)]);
      return {repo};
    },
  },
  {
    name: 'objects of another (`--reference`)',
    async make(t) {
      const origin = await withRemote(t);
      return {repo: await cloneOf(origin, ['--reference', origin.dir])};
    },
  },
  {name: 'SHA-256', make: async t => ({repo: await withRemote(t, {init: ['--object-format=sha256']})})},
  {
    name: 'reftable (git 2.45 or newer)',
    ...(process.env.LOOPX_TEST_GIT ? {} : {missing: 'LOOPX_TEST_GIT names no git of 2.45 or newer.'}),
    make: async t => {
      const plain = await withRemote(t);
      const env = {...plain.env, PATH: `${process.env.LOOPX_TEST_GIT}:${plain.env.PATH}`};
      const dir = join(dirname(plain.dir), 'reftable');
      await openGit(dirname(dir), env).text(['clone', '-q', '--ref-format=reftable', remoteUrl(plain), dir]);
      return {repo: {...plain, dir, env, git: openGit(dir, env)}};
    },
  },
  {
    name: 'worktrees with settings of their own (`extensions.worktreeConfig`)',
    async make(t) {
      const repo = await withRemote(t);
      await repo.git.text(['config', 'extensions.worktreeConfig', 'true']);
      await repo.git.text(['config', '--worktree', 'core.abbrev', '12']);
      return {repo};
    },
  },
  {
    name: 'a git folder elsewhere (`core.worktree`)',
    async make(t) {
      const repo = await withRemote(t);
      const dir = join(dirname(repo.dir), 'files');
      await mkdir(dir);
      await writeFile(join(dir, '.git'), `gitdir: ${repo.dir}/.git\n`);
      await repo.git.text(['config', 'core.worktree', dir]);
      await openGit(dir, repo.env).text(['checkout', '-q', '-f', 'main']);
      return {repo: at(repo, dir)};
    },
  },
  {
    name: 'a split index',
    async make(t) {
      const repo = await withRemote(t);
      await repo.git.text(['config', 'core.splitIndex', 'true']);
      await repo.git.text(['update-index', '--split-index']);
      return {repo};
    },
  },
  {name: 'no commit yet', make: async t => ({repo: await withRemote(t, {commit: false})})},
  {
    name: 'a detached HEAD',
    async make(t) {
      const repo = await withRemote(t);
      await repo.git.text(['checkout', '-q', '--detach']);
      return {repo};
    },
  },
  {
    name: 'called in a sub-folder',
    async make(t) {
      const repo = await withRemote(t);
      const cwd = join(repo.dir, 'deep', 'down');
      await mkdir(cwd, {recursive: true});
      return {repo, options: {cwd}};
    },
  },
  {
    name: 'spaces, quotes and ü in the path',
    make: async t => ({repo: await cloneOf(await withRemote(t), [], "übel: it's a path")}),
  },
  {
    name: 'line ends that git converts',
    async make(t) {
      const repo = await withRemote(t);
      await repo.git.text(['config', 'core.autocrlf', 'true']);
      await repo.commit('Text', {'notes.txt': 'one\r\ntwo\r\n', '.gitattributes': '*.txt text\n'});
      return {repo};
    },
  },
  {
    name: 'nobody told git a name',
    async make(t) {
      const repo = await withRemote(t);
      for (const key of ['user.name', 'user.email']) await repo.git.text(['config', '--unset', key]);
      const names = Object.keys(repo.env).filter(key => /^GIT_(AUTHOR|COMM)/.test(key));
      return {repo, options: {env: Object.fromEntries(names.map(key => [key, undefined]))}};
    },
  },
  {
    name: 'commits signed by a program that never answers',
    async make(t) {
      const repo = await withRemote(t);
      await repo.git.text(['config', 'commit.gpgSign', 'true']);
      await repo.git.text(['config', 'gpg.program', await program(repo, 'gpg', 'exec sleep 600')]);
      return {repo};
    },
  },
  {
    name: 'Turkish, at Chatham time',
    make: async t => ({
      repo: await withRemote(t),
      options: {env: {LANG: 'tr_TR.UTF-8', LC_ALL: 'tr_TR.UTF-8', LANGUAGE: 'tr', TZ: 'Pacific/Chatham'}},
    }),
  },
  {
    name: "called by another repository's hook (`GIT_DIR`)",
    async make(t) {
      const repo = await withRemote(t);
      const other = await cloneOf(repo, []);
      const git = join(other.dir, '.git');
      return {repo, options: {env: {GIT_DIR: git, GIT_WORK_TREE: other.dir, GIT_INDEX_FILE: join(git, 'index')}}};
    },
  },
  {
    name: 'somebody holds `index.lock`',
    async make(t) {
      const repo = await withRemote(t);
      await repo.write('.git/index.lock', '');
      return {repo};
    },
    but: {commit: '–'},
  },
  {
    name: 'read-only',
    ...(asNobody ? {} : {missing: 'Root may write everywhere, and no other user can be taken here.'}),
    async make(t) {
      const repo = await withRemote(t);
      await loopxJson(t, repo, ['start-goal', '--goal-text', 'Be read']);
      const write = (mode: string) => promisify(execFile)('chmod', ['-R', mode, join(repo.dir, '.git')]);
      t.teardown(() => write('u+w'));
      await write('a-w');
      // A user to whom git would not open what is another's, but for this.
      const config = join(dirname(repo.dir), 'gitconfig');
      await writeFile(config, '[safe]\n\tdirectory = *\n');
      await chmod(dirname(repo.dir), 0o755);
      return {repo, options: {through: asNobody, env: {GIT_CONFIG_GLOBAL: config}}};
    },
    but: {
      connect: {status: 1, says: 'git config failed: error: could not lock config file .git/config: Permission denied'},
      'start-goal': {status: 1, says: cannotWrite},
      todo: {status: 1, says: cannotWrite},
      checkpoint: {status: 1, says: "DIR/.git/loopx can't be used: permission denied."},
      round: {status: 1, says: "DIR/.git/loopx can't be used: permission denied."},
      commit: '–',
      sync: {status: 1, says: 'No remote is connected.'},
    },
  },
  {
    name: 'of another user (`safe.directory`)',
    make: async t => ({repo: await withRemote(t), options: {env: {GIT_TEST_ASSUME_DIFFERENT_OWNER: '1'}}}),
    but: {...everywhere({status: 1, says: foreign}), commit: '–'},
  },
];
