// Hooks of loopx beside those of the programs that projects use for theirs, which are the real ones. Whatever they are,
// the user's hooks go on running, a failing one still fails, commits are heard of in every worktree, and disconnecting
// leaves no byte behind. One after the other: some of these programs take half a second for a commit.
import {execFile} from 'node:child_process';
import {existsSync} from 'node:fs';
import {chmod, cp, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {dirname, join, relative} from 'node:path';
import {promisify} from 'node:util';
import test, {type ExecutionContext} from 'ava';
import {parse} from 'yaml';
import {cleanEnv, openGit} from '../../lib/git/command.ts';
import {openRepository} from '../../lib/git/repository.ts';
import {
  applyConnect,
  applyDisconnect,
  connectLines,
  disconnectLines,
  planConnect,
  planDisconnect,
} from '../../lib/hosts/connect.ts';
import {hookNames, lineByHand} from '../../lib/hosts/git-hook-block.ts';
import {planHooks} from '../../lib/hosts/git-hooks.ts';
import {runCli} from '../support/cli.ts';
import {findTool, pathWith} from '../support/find-tool.ts';
import {tempRepo} from '../support/repo.ts';
import {testWith} from '../support/tools.ts';

const execute = promisify(execFile);

/** A repository with a linked worktree, and what happens in both. */
async function project(t: ExecutionContext, files: Record<string, string>, path = process.env.PATH ?? '') {
  const repo = await tempRepo(t);
  const {dir} = repo;
  const root = dirname(dir);
  const env = {...repo.env, PATH: path};
  await repo.commit('Project', files);
  await repo.git.text(['init', '-q', '--bare', join(root, 'remote.git')]);
  await repo.git.text(['remote', 'add', 'origin', join(root, 'remote.git')]);
  const linked = join(root, 'linked');
  await repo.git.text(['worktree', 'add', '-q', '-b', 'side', linked]);
  const here = openGit(dir, env);
  let commits = 0;
  const ran = async () => (await readFile(join(root, 'ran'), 'utf8').catch(() => '')).split('\n').filter(Boolean);
  return {
    ...{...repo, env, root, linked, here},
    there: openGit(linked, env),
    open: () => openRepository(dir, env),
    /** Commits, and returns how that ended and which of the user's hooks ran. */
    commit: async (git = here) => {
      await rm(join(root, 'ran'), {force: true});
      await writeFile(join(git.dir, 'work.txt'), `${commits++}`);
      await git.text(['add', 'work.txt']);
      const {status} = await git.run(['commit', '-q', '-m', 'x']);
      return {status, ran: await ran()};
    },
    heard: async () =>
      (await readFile(join(dir, '.git/loopx/spool'), 'utf8').catch(() => ''))
        .split('\n')
        .filter(line => line.startsWith('post-commit ') && !line.includes(' probe-'))
        .map(line => line.split(' ')[1]),
    connect: async () => {
      const repository = await openRepository(dir, env);
      const plan = await planConnect(repository);
      await applyConnect(repository, plan);
      return connectLines(plan);
    },
    /** Pushes, and returns what loopx was called with meanwhile: it stands in as a program that writes that down. */
    push: async (git = here, ...args: string[]) => {
      const folder = join(dir, '.git/loopx');
      await mkdir(join(folder, 'sync/remotes'), {recursive: true});
      await writeFile(join(folder, 'sync/remotes/origin'), 'nothing\n');
      await writeFile(join(folder, 'sync/changed'), 'something\n');
      await writeFile(join(root, 'loopx'), `#!/bin/sh\necho "$1 $2" >>'${root}/sent'\n`, {mode: 0o755});
      await cp(new URL('../../hooks/loopx-push', import.meta.url), join(folder, 'push'));
      await writeFile(join(folder, 'launch'), `${root}/loopx\n`);
      await rm(join(root, 'sent'), {force: true});
      const {status} = await git.run(['push', '-q', ...args, 'origin', 'HEAD']);
      return {status, sent: await readFile(join(root, 'sent'), 'utf8').catch(() => '')};
    },
    disconnect: async () => {
      const repository = await openRepository(dir, env);
      const plan = await planDisconnect(repository);
      await applyDisconnect(repository, plan);
      return disconnectLines(plan);
    },
    doctor: async () => {
      const {stdout} = await runCli(t, repo, ['doctor', '--json'], {env: {PATH: path}});
      const {findings} = JSON.parse(stdout) as {
        findings: {name: string; state: string; message: string; mend?: string}[];
      };
      return findings.filter(({name}) => name === 'hooks');
    },
    tool: (name: string, ...args: string[]) => execute(findTool(name)!, args, {cwd: dir, env: cleanEnv(env)}),
  };
}

const arrived = 'Commits are heard of: probes of the hook post-commit have arrived from 2 worktrees.';
const allHeard = [{name: 'hooks', state: 'good', message: arrived}];

/** Returns each file below the folders with its mode and bytes, but for what each commit writes anew. */
async function filesIn(...folders: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  for (const folder of folders) {
    for (const entry of await readdir(folder, {withFileTypes: true, recursive: true})) {
      const file = join(entry.parentPath, entry.name);
      if (
        !entry.isFile() ||
        /\.git\/(objects|logs|refs|worktrees)\/|\/(COMMIT_EDITMSG|index|work.txt|lefthook.checksum)$/.test(file)
      )
        continue;
      const {mode} = await stat(file);
      found.set(relative(dirname(folder), file), `${mode.toString(8)} ${(await readFile(file)).toString('latin1')}`);
    }
  }

  return found;
}

function changed(before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>): readonly string[] {
  return [...new Set([...before.keys(), ...after.keys()])].filter(file => before.get(file) !== after.get(file));
}

type Project = Awaited<ReturnType<typeof project>>;

/** Plays it from connect to disconnect, in both worktrees; `byHand` is what a person does that connect may not. */
async function beside(t: ExecutionContext, at: Project, byHand?: () => Promise<() => Promise<void>>) {
  const without = await at.commit();
  t.is(without.status, 0);
  t.true(without.ran.includes('post'));
  await writeFile(join(at.root, 'fail'), '');
  const failing = await at.commit();
  await rm(join(at.root, 'fail'));
  t.is(failing.status, 1, 'a hook of the user fails');

  const before = await filesIn(at.dir, at.linked);
  await at.connect();
  const takeBack = await byHand?.();
  t.deepEqual(await at.commit(), without);
  t.deepEqual(await at.heard(), ['-']);
  t.deepEqual(await at.commit(at.there), without);
  t.deepEqual(await at.heard(), ['-', 'linked']);
  t.deepEqual(await at.push(), {status: 0, sent: 'sync origin\n'});
  t.deepEqual(await at.push(at.there), {status: 0, sent: 'sync origin\n'});
  t.deepEqual(await at.push(at.there, '--dry-run'), {status: 0, sent: ''});
  await writeFile(join(at.root, 'fail'), '');
  t.deepEqual(await at.commit(), failing);
  await rm(join(at.root, 'fail'));
  t.deepEqual(await at.doctor(), allHeard);
  t.false(
    (await at.connect()).some(line => !line.startsWith('by hand')),
    'connecting again has nothing to do',
  );
  if (!byHand) t.is(await at.here.text(['status', '--porcelain', '--', ':!work.txt']), '');

  await at.disconnect();
  await takeBack?.();
  t.deepEqual(changed(before, await filesIn(at.dir, at.linked)), []);
}

const pre = 'echo pre >>../ran; if [ -f ../fail ]; then exit 1; fi';
const post = 'echo post >>../ran';

test.serial('beside plain hooks (traps 23, 24)', async t => {
  const at = await project(t, {});
  for (const [name, line] of [
    ['pre-commit', pre],
    ['post-commit', post],
  ] as const) {
    await writeFile(join(at.dir, '.git/hooks', name), `#!/bin/sh\n${line}`, {mode: 0o755});
  }

  await beside(t, at);
});

test.serial('beside hooks in a folder of the project, where a person adds the lines (traps 21, 22, 24)', async t => {
  const at = await project(t, {'hooks/pre-commit': `#!/bin/sh\n${pre}\n`, 'hooks/post-commit': `#!/bin/sh\n${post}\n`});
  for (const top of [at.dir, at.linked]) {
    for (const hook of ['pre-commit', 'post-commit']) await chmod(join(top, 'hooks', hook), 0o755);
  }

  await at.here.text(['config', 'core.hooksPath', 'hooks']);
  await beside(t, at, async () => {
    const [mine, linked, ...more] = await at.doctor();
    t.regex(mine!.message, /^Hooks are not installed: post-commit, .* is part of the project/);
    t.regex(linked!.message, /^Commits in the worktree \S+\/linked are not heard of/);
    t.deepEqual(more, []);
    return addByHand(at);
  });
});

test.serial(
  'beside hooks in a folder that other repositories use, where a person adds the lines (trap 22)',
  async t => {
    const at = await project(t, {});
    const hooks = join(at.root, 'hooks');
    await mkdir(hooks);
    await writeFile(join(hooks, 'pre-commit'), `#!/bin/sh\n${pre}\n`, {mode: 0o755});
    await writeFile(join(hooks, 'post-commit'), `#!/bin/sh\n${post}\n`, {mode: 0o755});
    await at.here.text(['config', 'core.hooksPath', hooks]);
    await beside(t, at, () => addByHand(at));
  },
);

testWith('husky')('beside husky, in whose files around its own a person adds the lines (traps 23, 30)', async t => {
  const at = await project(t, {'.husky/pre-commit': `${pre}\n`, '.husky/post-commit': `${post}\n`}, pathWith('husky'));
  await at.tool('husky');
  await execute(findTool('husky')!, [], {cwd: at.linked, env: cleanEnv(at.env)});
  await beside(t, at, async () => {
    t.true(
      (await at.connect()).every(line => line.includes(`: ${at.dir}/.husky/post-`) || line.includes('/.husky/pre-')),
    );
    const undo = await addByHand(at);
    // Its own folder is made anew; the lines are not in it.
    await at.tool('husky');
    return undo;
  });
});

const lefthookFiles = {
  'lefthook.yml': `pre-commit:\n  commands:\n    a:\n      run: '${pre}'\npost-commit:\n  commands:\n    b:\n      run: ${post}\npre-push:\n  commands:\n    c:\n      run: echo push\n`,
  '.gitignore': 'lefthook-local.yml\n',
};

testWith('lefthook')(
  "beside lefthook, through each user's own list, also after it made its hooks anew (trap 23)",
  async t => {
    const at = await project(t, lefthookFiles, pathWith('lefthook'));
    await at.tool('lefthook', 'install');
    await beside(t, at, async () => {
      const file = join(at.dir, 'lefthook.yml');
      const text = await readFile(file, 'utf8');
      await writeFile(file, `${text}# changed\n`);
      await at.tool('lefthook', 'install');
      t.false((await readFile(join(at.dir, '.git/hooks/post-commit'), 'utf8')).includes('loopx'));
      await writeFile(file, text);
      await at.tool('lefthook', 'install');
      return async () => {};
    });
  },
);

testWith('lefthook')(
  'beside lefthook, a list that is not ignored is left alone, and a hook moved aside is taken away (trap 23)',
  async t => {
    const at = await project(t, {'lefthook.yml': lefthookFiles['lefthook.yml']}, pathWith('lefthook'));
    await at.connect();
    await at.tool('lefthook', 'install');
    t.true(existsSync(join(at.dir, '.git/hooks/post-commit.old')));
    const lines = await at.connect();
    t.true(lines.includes(`remove ${at.dir}/.git/hooks/post-commit.old`));
    const entry = new RegExp(`^by hand, since .* git does not ignore .*: ${at.dir}/lefthook-local.yml: (.*)$`);
    const entries = lines.flatMap(line => entry.exec(line)?.[1] ?? []);
    await at.write('lefthook-local.yml', `${entries.join('\n')}\n`);
    await at.commit();
    t.deepEqual(await at.heard(), ['-']);
    const [mine, linked] = await at.doctor();
    t.is(mine!.state, 'good');
    t.regex(linked!.message, /linked are not heard of/);
  },
);

// Its stage `commit` was called `pre-commit` later.
const preCommitFile = (version: string) => `repos:
- repo: local
  hooks:
  - id: a
    name: a
    language: system
    always_run: true
    stages: [${/ 3\.[01]\./.test(version) ? 'commit' : 'pre-commit'}]
    entry: sh -c '${pre}'
  - id: b
    name: b
    language: system
    always_run: true
    stages: [post-commit]
    entry: sh -c '${post}'
`;

async function preCommitProject(t: ExecutionContext) {
  const {stdout} = await execute(findTool('pre-commit')!, ['--version']);
  return project(t, {'.pre-commit-config.yaml': preCommitFile(stdout)}, pathWith('pre-commit'));
}

testWith('pre-commit')('beside pre-commit, which takes our lines away when it is installed anew (trap 23)', async t => {
  const at = await preCommitProject(t);
  const install = ['install', ...['pre-commit', 'post-commit', 'pre-push'].map(hook => `--hook-type=${hook}`)];
  await at.tool('pre-commit', ...install);
  await beside(t, at, async () => {
    await at.tool('pre-commit', ...install);
    t.deepEqual((await at.doctor()).map(({message}) => message).slice(0, 1), [
      'Hooks are missing or old: post-commit, pre-push.',
    ]);
    t.deepEqual(
      await at.connect(),
      ['post-commit', 'pre-push'].map(hook => `change ${at.dir}/.git/hooks/${hook}`),
    );
    return async () => {};
  });
});

testWith('pre-commit')(
  'pre-commit runs on what it finds in its place, and disconnecting takes that away (trap 23)',
  async t => {
    const at = await preCommitProject(t);
    await at.connect();
    await at.tool('pre-commit', 'install', '--hook-type=post-commit');
    t.deepEqual(await at.connect(), []);
    t.deepEqual(await at.commit(), {status: 0, ran: ['post']});
    t.deepEqual(await at.heard(), ['-']);
    t.deepEqual(await at.doctor(), allHeard);
    await at.disconnect();
    t.deepEqual(
      (await readdir(join(at.dir, '.git/hooks'))).filter(name => !name.endsWith('.sample')),
      ['post-commit'],
    );
  },
);

testWith('simple-git-hooks')('beside simple-git-hooks, which is to be told to keep our hooks (trap 23)', async t => {
  const settings = {'pre-commit': pre, 'post-commit': post};
  const text = (more: object) => JSON.stringify({'simple-git-hooks': {...settings, ...more}});
  const at = await project(t, {'package.json': text({})}, pathWith('simple-git-hooks'));
  await at.tool('simple-git-hooks');
  await at.connect();
  await at.tool('simple-git-hooks');
  const [missing, advice] = await at.doctor();
  t.is(missing!.message, `Hooks are missing or old: ${hookNames.join(', ')}.`);
  const kept = /^Add this to \S+package\.json: "preserveUnused": (.*)$/.exec(advice!.mend!)![1]!;
  await at.disconnect();

  await at.write('package.json', text({preserveUnused: JSON.parse(kept)}));
  await at.here.text(['commit', '-qam', 'Keep']);
  await beside(t, at, async () => {
    await at.tool('simple-git-hooks');
    t.deepEqual(await at.connect(), [`change ${at.dir}/.git/hooks/post-commit`]);
    return async () => {};
  });
});

test.serial('beside overcommit, the list is named in which each user has his own (trap 23)', async t => {
  const at = await project(t, {});
  const script = '#!/usr/bin/env ruby\nrequire "overcommit"\n';
  await writeFile(join(at.dir, '.git/hooks/post-commit'), script, {mode: 0o755});
  const line = (await at.connect()).find(line => line.includes('overcommit'))!;
  t.regex(line, /^by hand, since overcommit makes it anew: \S+\/\.local-overcommit\.yml: PostCommit: \{Loopx: /);
  const entry = parse(line.slice(line.indexOf('PostCommit:'))) as {PostCommit: {Loopx: {command: string[]}}};
  t.is(entry.PostCommit.Loopx.command[2], lineByHand('post-commit'));
  t.is(await readFile(join(at.dir, '.git/hooks/post-commit'), 'utf8'), script);
});

test.serial(
  'where git knows configured hooks, they stand in for those in folders of others (traps 21, 22)',
  async t => {
    const {path, isReal} = await gitOfConfiguredHooks(t);
    if (!isReal)
      t.log('Set LOOPX_TEST_GIT to the bin folder of git 2.54 or newer to see them run; here they are listed only.');
    const at = await project(t, {'.husky/post-commit': `${post}\n`}, path);
    await at.write('.git/others/post-commit', '');
    const hooks = join(at.root, 'hooks');
    await mkdir(hooks);
    await writeFile(join(hooks, 'post-commit'), `#!/bin/sh\n${post}\n`, {mode: 0o755});
    await at.here.text(['config', 'core.hooksPath', hooks]);
    const before = await filesIn(at.dir, hooks);
    const lines = await at.connect();
    t.true(lines.some(line => line.startsWith('git config --add hook.loopx-post-commit.command ')));
    t.false(lines.some(line => line.startsWith('by hand')));
    t.deepEqual(await at.commit(), {status: 0, ran: ['post']});
    if (isReal) t.deepEqual(await at.heard(), ['-']);
    t.deepEqual(await at.doctor(), allHeard);
    t.deepEqual(await at.connect(), []);
    await at.here.text(['config', '--unset', 'hook.loopx-post-commit.event']);
    t.is((await at.doctor())[0]!.state, 'warn');
    await at.connect();
    if (isReal) {
      await at.here.text(['commit', '-q', '--amend', '--allow-empty', '-m', 'y']);
      t.regex((await at.read('.git/loopx/spool')).toString(), /^post-rewrite - - \S+ [0-9a-f]{40} [0-9a-f]{40}$/m);
    }

    await at.disconnect();
    t.deepEqual(changed(before, await filesIn(at.dir, hooks)), []);
  },
);

/** Adds by hand what the plan says, in both worktrees. Returns what takes it back. */
async function addByHand(at: Project): Promise<() => Promise<void>> {
  const written: {file: string; before: Buffer | undefined}[] = [];
  for (const top of [at.dir, at.linked]) {
    const {steps} = await planHooks(await openRepository(top, at.env));
    for (const step of steps) {
      if (step.kind !== 'by-hand') continue;
      const before = await readFile(step.file).catch(() => undefined);
      written.push({file: step.file, before});
      await writeFile(step.file, `${before ?? '#!/bin/sh\n'}${step.line}\n`, {mode: 0o755});
    }
  }

  return async () => {
    for (const {file, before} of written) await (before ? writeFile(file, before) : rm(file));
  };
}

/** Returns a PATH with a git that runs configured hooks, or one that only says so. */
async function gitOfConfiguredHooks(t: ExecutionContext): Promise<{path: string; isReal: boolean}> {
  const real = process.env.LOOPX_TEST_GIT;
  if (real) return {path: `${real}:${process.env.PATH}`, isReal: true};
  const dir = await mkdtemp(join(tmpdir(), 'loopx-git-'));
  t.teardown(() => rm(dir, {recursive: true}));
  const list = `if [ "$all" != "\${all#*hook list}" ]; then
  case $all in *loopx-probe*) echo loopx-probe; exit ;; esac
  for event; do :; done
  ${findTool('git')} config --get-regexp '^hook\\..*\\.event$' "^$event$" | sed 's/^hook\\.\\(.*\\)\\.event .*/\\1/'
  exit
fi`;
  await writeFile(join(dir, 'git'), `#!/bin/sh\nall="$*"\n${list}\nexec ${findTool('git')} "$@"\n`, {mode: 0o755});
  return {path: `${dir}:${process.env.PATH}`, isReal: false};
}
