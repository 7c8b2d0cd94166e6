import {dirname, join} from 'node:path';
import test, {type ExecutionContext} from 'ava';
import {serveGit} from './http-git.ts';
import {tempRepo} from './repo.ts';

async function served(t: ExecutionContext) {
  const repo = await tempRepo(t);
  const folder = dirname(repo.dir);
  await repo.git.text(['init', '-q', '--bare', join(folder, 'code.git')]);
  const server = await serveGit(t, folder, repo.env);
  await repo.git.text(['remote', 'add', 'origin', server.url('code.git')]);
  return {repo, server};
}

test('a repository over HTTP takes pushes and gives clones', async t => {
  const {repo, server} = await served(t);
  await repo.write('large.bin', Buffer.alloc(2_000_000, 'a line of a large file\n'));
  const head = await repo.commit();
  await repo.git.text(['push', '-q', 'origin', 'main', 'main:refs/loopx/goals/some-0000']);
  const out = await repo.git.text(['ls-remote', server.url('code.git')]);
  t.regex(out, new RegExp(`${head}\trefs/loopx/goals/some-0000`));
  t.true(server.requests.includes('POST /code.git/git-receive-pack'));
});

test('it hides refs, asks for a login, takes no pushes, fails, and is down, each when it is told to', async t => {
  const {repo, server} = await served(t);
  await repo.git.text(['push', '-q', 'origin', 'main:refs/loopx/goals/some-0000']);
  server.behave({hides: ['refs/loopx']});
  t.is(await repo.git.text(['ls-remote', 'origin']), '');
  const hidden = await repo.git.run(['push', '--porcelain', 'origin', 'main:refs/loopx/goals/other-0000']);
  t.regex(hidden.stdout.toString(), /^!\t\S+\t\[remote rejected\] \(deny updating a hidden ref\)$/m);

  const tries = async (args: readonly string[]) => (await repo.git.run(args)).stderr;
  server.behave({login: {user: 'ada', password: 'secret'}});
  t.regex(await tries(['ls-remote', 'origin']), /could not read Username/);
  t.is(await tries(['ls-remote', server.url('code.git').replace('//', '//ada:secret@')]), '');
  server.behave({readOnly: true});
  t.regex(await tries(['push', 'origin', 'main']), /403/);
  server.behave({fails: 503});
  t.regex(await tries(['ls-remote', 'origin']), /503/);
  server.behave({down: true});
  t.regex(await tries(['ls-remote', 'origin']), /fatal: unable to access/);
  server.behave({slowMs: 300});
  const beforeMs = Date.now();
  t.is(await tries(['ls-remote', 'origin']), '');
  t.true(Date.now() - beforeMs >= 600, 'the list of refs takes two answers');
});
