// Remotes that make trouble: they lose refs, refuse them, are down or slow, or want a password. What the user does with
// git works and exits as without loopx.

import {once} from 'node:events';
import {mkdir, writeFile} from 'node:fs/promises';
import type {AddressInfo} from 'node:net';
import {createServer} from 'node:net';
import {dirname, join} from 'node:path';
import test, {type ExecutionContext} from 'ava';
import {openGit} from '../../lib/git/command.ts';
import {serveGit} from '../support/http-git.ts';
import {type Clone, connectedClones} from './clones.ts';

type Goal = {readonly goal: {readonly id: string}};
type Report = {
  readonly remotes: readonly {
    readonly sent: readonly {readonly goal?: string; readonly events: number}[];
    readonly waiting: readonly {readonly why: string; readonly events: number}[];
    readonly notices: readonly string[];
    readonly problem: {readonly message: string; readonly hint: string} | null;
  }[];
};
type Status = {
  readonly sync: readonly {readonly ahead: number; readonly behind: number; readonly problem: string | null}[];
};

const start = async ({json}: Clone) => (await json<Goal>(['start-goal', '--goal-text', 'Port storage'])).goal.id;
const bare = ({remote, repo}: Clone) => openGit(remote, repo.env);
const refOf = (goal: string) => `refs/loopx/goals/${goal}`;

test('a remote that has lost a goal gets it again, and says so once (trap 10)', async t => {
  const [ada, bob] = await connectedClones(t, 2);
  const goal = await start(ada!);
  await ada!.loopx(['sync']);
  await bob!.loopx(['sync']);
  await bare(ada!).text(['update-ref', '-d', refOf(goal)]);
  // A user's own fetch that prunes takes nothing from the goal.
  await bob!.git(['-c', 'fetch.prune=true', 'fetch', '-q']);
  t.is((await bob!.json<Status>(['status'])).sync[0]?.ahead, 1);
  const [report] = (await ada!.json<Report>(['sync'])).remotes;
  t.deepEqual(report?.notices, [`origin had lost ${goal}, which it had accepted.`]);
  t.is(await ada!.remoteTip(goal), await ada!.tip(goal));
  t.deepEqual((await ada!.json<Report>(['sync'])).remotes[0]?.notices, []);
  await bob!.loopx(['sync']);
  t.is(await bob!.tip(goal), await ada!.tip(goal));
});

test('a remote that was set back is noticed, and brought forward without force (trap 49)', async t => {
  const [ada] = await connectedClones(t, 1);
  const goal = await start(ada!);
  await ada!.json(['todo', 'add', 'one']);
  await ada!.loopx(['sync']);
  await bare(ada!).text(['update-ref', refOf(goal), `${refOf(goal)}~1`]);
  const [report] = (await ada!.json<Report>(['sync'])).remotes;
  t.deepEqual(report?.notices, [`origin had gone back behind ${goal}, which it had accepted.`]);
  t.is(await ada!.remoteTip(goal), await ada!.tip(goal));
});

test('a mirror push of a clone that lacks a goal deletes it, and the next sync brings it back (trap 10)', async t => {
  const [ada, bob] = await connectedClones(t, 2);
  const goal = await start(ada!);
  await ada!.loopx(['sync']);
  await bob!.git(['push', '-q', '--mirror', 'origin']);
  t.notRegex(await ada!.remoteRefs(), /goals\/port/);
  await ada!.loopx(['sync']);
  t.is(await ada!.remoteTip(goal), await ada!.tip(goal));
});

test('a fetch that prunes, and one into a repository without goals, delete nothing here (traps 2, 3)', async t => {
  const [ada] = await connectedClones(t, 1);
  const goal = await start(ada!);
  await ada!.repo.git.text(['config', 'fetch.prune', 'true']);
  const tip = await ada!.tip(goal);
  t.is((await ada!.git(['fetch', '-q', '--all'])).status, 0);
  t.is((await ada!.git(['remote', 'prune', 'origin'])).status, 0);
  t.is(await ada!.tip(goal), tip);
});

test('a remote that hides refs is told of with the way to consent, and served below it (traps 43, 44, 48)', async t => {
  const [ada, bob] = await connectedClones(t, 2);
  await bare(ada!).text(['config', 'transfer.hideRefs', 'refs/loopx']);
  await bare(ada!).text(['config', '--add', 'transfer.hideRefs', 'refs/notes']);
  const goal = await start(ada!);
  const refused = await ada!.loopx(['sync']);
  t.is(refused.status, 1);
  t.is(refused.stdout, `origin\n  waits  ${goal}: 1 event\n`);
  t.is(
    refused.stderr,
    'loopx: origin takes no refs of loopx: deny updating a hidden ref.\n' +
      '  If they may go there as branches: git config remote.origin.loopxPrefix refs/heads/loopx && ' +
      'loopx connect && loopx sync origin\n',
  );
  t.regex((await ada!.json<Status>(['status'])).sync[0]!.problem!, /takes no refs of loopx/);
  // The user's pushes are not held up by trying again.
  await ada!.repo.commit('Work', {'a.txt': 'a'});
  const pushed = await ada!.git(['push', '-q', 'origin', 'main']);
  t.deepEqual([pushed.status, pushed.stderr], [0, '']);

  for (const clone of [ada!, bob!]) {
    await clone.git(['config', 'remote.origin.loopxPrefix', 'refs/heads/loopx']);
    await clone.connect();
  }

  t.deepEqual(await ada!.loopx(['sync']), {status: 0, stdout: `origin\n  sent   ${goal}: 1 event\n`, stderr: ''});
  t.is(await ada!.remoteRefs(), `refs/heads/loopx/goals/${goal}`);
  t.is((await ada!.json<Status>(['status'])).sync[0]!.problem, null);
  t.is((await bob!.git(['fetch', '-q'])).status, 0);
  await bob!.json(['status']);
  t.is(await bob!.tip(goal), await ada!.tip(goal));
});

test('as branches, goals wait for a branch of the user, which is to be the default (trap 43)', async t => {
  const [ada] = await connectedClones(t, 1);
  const empty = join(dirname(ada!.remote), 'empty.git');
  await ada!.repo.git.text(['init', '-q', '--bare', '-b', 'main', empty]);
  await ada!.git(['remote', 'set-url', 'origin', empty]);
  await ada!.git(['config', 'remote.origin.loopxPrefix', 'refs/heads/loopx']);
  await ada!.connect();
  const goal = await start(ada!);
  t.is(
    (await ada!.loopx(['sync'])).stdout,
    `origin\n  waits  ${goal}: 1 event: The remote has no branch of yours yet: push one first.\n`,
  );
  await ada!.git(['push', '-q', 'origin', 'main']);
  t.is((await ada!.json<Report>(['sync'])).remotes[0]?.sent.length, 1);
});

test('a remote whose hook declines is asked a few times, and what waits is told with its words (trap 44)', async t => {
  const [ada] = await connectedClones(t, 1);
  await mkdir(join(ada!.remote, 'hooks'), {recursive: true});
  await writeFile(join(ada!.remote, 'hooks/update'), '#!/bin/sh\n[ "${1#refs/loopx}" = "$1" ]\n', {mode: 0o755});
  await start(ada!);
  const {status, stderr} = await ada!.loopx(['sync']);
  t.is(status, 1);
  t.regex(stderr, /^loopx: origin takes no refs of loopx: hook declined\.\n/);
  await ada!.repo.commit('Work', {'a.txt': 'a'});
  t.is((await ada!.git(['push', '-q', 'origin', 'main'])).status, 0);
});

/** Returns one clone of a server that can be switched, with a goal that waits. */
async function onServer(t: ExecutionContext) {
  const root: string[] = [];
  const [ada] = await connectedClones(t, 1, {
    remoteUrl: remote => {
      root.push(remote);
      return remote;
    },
  });
  const server = await serveGit(t, dirname(ada!.remote), ada!.repo.env);
  await ada!.git(['remote', 'set-url', 'origin', server.url('remote.git')]);
  return {ada: ada!, server, goal: await start(ada!)};
}

test('a remote that is down costs the user nothing, is told of, and gets everything when it is back (trap 35)', async t => {
  const {ada, server, goal} = await onServer(t);
  server.behave({down: true});
  const failed = await ada.loopx(['sync']);
  t.is(failed.status, 1);
  t.regex(
    failed.stderr,
    /^loopx: origin could not be synced with: .*\n {2}See whether git reaches it: git ls-remote origin\n$/,
  );
  t.regex((await ada.json<Status>(['status'])).sync[0]!.problem!, /could not be synced with/);
  t.is((await ada.git(['commit', '-q', '--allow-empty', '-m', 'x'])).status, 0);
  const pushed = await ada.git(['push', 'origin', 'main']);
  t.is(pushed.status, 128);
  t.notRegex(pushed.stderr, /refs\/loopx|sync/);
  server.behave({});
  t.is((await ada.git(['push', '-q', 'origin', 'main'])).status, 0);
  t.is(await ada.remoteTip(goal), await ada.tip(goal));
  t.is((await ada.json<Status>(['status'])).sync[0]!.problem, null);
});

test('a remote that asks for a password is not answered, and nobody is asked (traps 33, 34)', async t => {
  const {ada, server} = await onServer(t);
  server.behave({login: {user: 'ada', password: 'secret'}});
  const asked = join(dirname(ada.remote), 'asked');
  const askpass = join(dirname(ada.remote), 'askpass');
  await writeFile(askpass, `#!/bin/sh\ntouch '${asked}'\necho secret\n`, {mode: 0o755});
  const env = {GIT_ASKPASS: askpass, SSH_ASKPASS: askpass, DISPLAY: ':0'};
  const {status, stderr} = await ada.loopx(['sync'], {env});
  t.is(status, 1);
  t.regex(stderr, /could not be synced with: could not read Username/);
  await t.throwsAsync(ada.repo.read('../asked'));
});

test('a remote that takes no pushes still gives: what came is taken in, and what waits is told', async t => {
  const {ada, server} = await onServer(t);
  server.behave({readOnly: true});
  const {status, stdout, stderr} = await ada.loopx(['sync']);
  t.is(status, 1);
  t.regex(stdout, /waits/);
  t.regex(stderr, /could not be synced with: .*403/);
});

test('a remote that is full is not taken for one that takes no refs, and gets everything when there is room', async t => {
  const {ada, server, goal} = await onServer(t);
  server.behave({config: [['receive.maxInputSize', '1']]});
  const {status, stderr} = await ada.loopx(['sync']);
  t.is(status, 1);
  t.regex(stderr, /^loopx: origin could not be synced with: it could not store what was sent\.\n/);
  server.behave({});
  t.is((await ada.git(['push', '-q', 'origin', 'main'])).status, 0);
  t.is(await ada.remoteTip(goal), await ada.tip(goal));
});

test('a remote that never answers holds a push up for no longer than the budget (trap 35)', async t => {
  const [ada] = await connectedClones(t, 1);
  const goal = await start(ada!);
  const sockets = createServer(socket => socket.on('error', () => {}));
  sockets.listen(0, '127.0.0.1');
  await once(sockets, 'listening');
  t.teardown(() => sockets.close());
  const {port} = sockets.address() as AddressInfo;
  // Goals go to where nobody answers, and the user's own push to where it is taken.
  await ada!.git(['remote', 'set-url', 'origin', `http://127.0.0.1:${port}/x.git`]);
  const startedMs = Date.now();
  const {status, stderr} = await ada!.loopx(['sync', '--budget', '1s']);
  t.true(Date.now() - startedMs < 20_000);
  t.is(status, 1);
  t.regex(stderr, /it did not answer in time/);
  await ada!.git(['config', 'remote.origin.pushurl', `http://127.0.0.1:${port}/x.git`]);
  const pushing = Date.now();
  const pushed = ada!.git(['-c', 'http.lowSpeedLimit=1', '-c', 'http.lowSpeedTime=1', 'push', '-q', 'origin', 'main'], {
    env: {LOOPX_SYNC_BUDGET: '1s'},
  });
  t.not((await pushed).status, 0);
  t.true(Date.now() - pushing < 25_000);
  t.is((await ada!.json<Status>(['status'])).sync[0]!.ahead, 1);
  t.truthy(await ada!.tip(goal));
});

test('a remote that is nowhere, and one that refuses connections, are told of in any language (trap 6)', async t => {
  const [ada] = await connectedClones(t, 1);
  await start(ada!);
  const env = {LANG: 'de_DE.UTF-8', LC_ALL: 'de_DE.UTF-8', LANGUAGE: 'de'};
  for (const url of [join(dirname(ada!.remote), 'nowhere.git'), 'http://127.0.0.1:1/x.git']) {
    await ada!.git(['remote', 'set-url', 'origin', url]);
    const {status, stderr} = await ada!.loopx(['sync'], {env});
    t.is(status, 1);
    t.regex(stderr, /^loopx: origin could not be synced with: /);
  }
});

test('without a remote, or without connect, sync says what to do (trap 60)', async t => {
  const [ada] = await connectedClones(t, 1, {connect: false});
  await start(ada!);
  const unconnected = await ada!.loopx(['sync']);
  t.deepEqual(
    [unconnected.status, unconnected.stderr],
    [1, 'loopx: No remote is connected.\n  Connect the repository: loopx connect\n'],
  );
  t.is(
    (await ada!.loopx(['sync', 'upstream'])).stderr,
    'loopx: There is no remote "upstream".\n  List the remotes with `git remote -v`.\n',
  );
  await ada!.git(['remote', 'remove', 'origin']);
  t.regex((await ada!.loopx(['sync'])).stderr, /This repository has no remote/);
});

test('only what differs is sent, by refs that no branch list, tag or CI sees (traps 43, 45)', async t => {
  const [ada] = await connectedClones(t, 1);
  await ada!.git(['tag', '-a', 'v1', '-m', 'v1']);
  await ada!.repo.git.text(['config', 'push.followTags', 'true']);
  await ada!.repo.git.text(['config', 'push.gpgSign', 'true']);
  await ada!.repo.git.text(['config', 'remote.origin.mirror', 'true']);
  await ada!.repo.git.text(['config', 'push.default', 'matching']);
  const goal = await start(ada!);
  t.is((await ada!.loopx(['sync'])).status, 0);
  const refs = await bare(ada!).text(['for-each-ref', '--format=%(objecttype) %(refname)']);
  t.deepEqual(refs.split('\n'), ['commit refs/heads/main', `commit ${refOf(goal)}`]);
});

test('a push by loopx itself runs no hook, and leaves FETCH_HEAD and reflogs alone', async t => {
  const [ada] = await connectedClones(t, 1);
  const fetchHead = join(ada!.repo.dir, '.git/FETCH_HEAD');
  await writeFile(fetchHead, 'mine\n');
  await writeFile(join(ada!.repo.dir, '.git/hooks/pre-push'), '#!/bin/sh\nexit 1\n', {mode: 0o755});
  await start(ada!);
  t.is((await ada!.loopx(['sync'])).status, 0);
  t.is((await ada!.repo.read('.git/FETCH_HEAD')).toString(), 'mine\n');
});
