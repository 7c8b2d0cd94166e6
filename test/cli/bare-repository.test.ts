// What a bare repository is good for. All forms of repositories are played through in test/forms.
import test from 'ava';
import {loopx, loopxJson} from '../support/loopx.ts';
import {tempRepo} from '../support/repo.ts';

test('a bare repository keeps goals, and says that it has no files to work on', async t => {
  const repo = await tempRepo(t, {commit: false, init: ['--bare']});
  await loopxJson(t, repo, ['start-goal', '--goal-text', 'Keep it', '--todo', 'One']);
  await loopxJson(t, repo, ['todo', 'add', 'Two']);
  t.like(await loopxJson(t, repo, ['status']), {todos: {open: 2}});
  t.like(await loopxJson(t, repo, ['quota', 'should-run']), {schema: 'loopx/should-run@1'});
  t.true((await loopxJson<{ok: boolean}>(t, repo, ['fsck'])).ok);
  for (const argv of [
    ['run', '--command', 'true'],
    ['round', 'begin'],
    ['checkpoint', 'save'],
  ]) {
    const {status, stderr} = await loopx(t, repo, argv);
    t.is(status, 1, `${argv.join(' ')}: ${stderr}`);
    t.regex(stderr, /bare|working tree|no files/i, argv.join(' '));
  }

  t.like(await loopxJson(t, repo, ['status']), {round: null});
});
