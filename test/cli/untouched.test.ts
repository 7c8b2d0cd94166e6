// Whatever command of loopx is called, the user's own things stay as they are: the index to the byte and its time, HEAD,
// branches, stashes, config, and files that are staged, changed, new or ignored.
import test from 'ava';
import {commandTable} from '../../cli/commands/table.ts';
import {runCli} from '../support/cli.ts';
import {describeRepository, listFolder} from '../support/listing.ts';
import {type TempRepo, tempRepo} from '../support/repo.ts';

/** These are there to change what is the user's. */
const meddling = ['connect', 'run', 'resume'];

// Each command, with arguments that make it do its work, in an order in which each finds what it needs. A word in
// capitals is the id of what was made last, an underscore is a space.
const story = [
  'start-goal --goal-text Port --check true',
  'status',
  'goal list',
  'goal show',
  'goal edit --phase port',
  'goal amend More',
  'goal pause',
  'goal resume',
  'todo add Lexer --check true',
  'todo list',
  'todo show TODO',
  'todo edit TODO --priority 1',
  'todo claim TODO',
  'todo release TODO',
  'todo start TODO',
  'todo block TODO --reason Wait',
  'todo retry TODO',
  'todo drop TODO --reason No',
  'todo retry TODO',
  'decision add Yes --why So',
  'decision list',
  'quota show',
  'quota set --rounds 99',
  'quota grant --rounds 1',
  'quota should-run',
  'trust',
  'config',
  'config set round.lease 31m',
  'round begin',
  'checkpoint save Now',
  'checkpoint list',
  'checkpoint show CHECKPOINT',
  'checkpoint diff CHECKPOINT',
  'round show ROUND',
  'brief',
  'round end --outcome progress --summary Some',
  'checkpoint restore CHECKPOINT',
  'checkpoint prune CHECKPOINT',
  'gate ask Drop_support_for_Node_18? -o drop -o keep',
  'gate list',
  'gate show GATE',
  'gate answer GATE 1',
  'gate ask Publish_version_2_to_npm? -o yes -o no',
  'gate withdraw GATE',
  'agent list',
  'evidence show',
  'evidence show HEAD',
  'log --patch',
  'fsck',
  'doctor',
  'help',
  'completion bash',
  'disconnect',
  'todo done TODO',
  'goal finish --reason Enough',
];

test('no command touches what is the user’s own (trap 31)', async t => {
  const repo = await tempRepo(t);
  await repo.commit('Files', {'a.txt': 'a\n', 'b.txt': 'b\n', 'c.txt': 'c\n', '.gitignore': 'ignored.txt\n'});
  await repo.write('c.txt', 'stashed\n');
  await repo.git.text(['stash', '-q']);
  await repo.git.text(['branch', 'side']);
  await repo.git.text(['config', 'my.own', 'thing']);
  await repo.write('a.txt', 'staged\n');
  await repo.write('both.txt', 'staged\n');
  await repo.git.text(['add', 'a.txt', 'both.txt']);
  await repo.write('both.txt', 'changed after\n');
  await repo.write('b.txt', 'changed\n');
  await repo.write('new ü.txt', 'new\n');
  await repo.write('ignored.txt', 'ignored\n');

  const before = await theirs(repo);
  const ids: Record<string, string> = {};
  const played = new Set<string>();
  for (const line of story) {
    const argv = line.split(' ').map(word => ids[word] ?? word.replaceAll('_', ' '));
    const path = [argv.slice(0, 2).join(' '), argv[0]!].find(name => commandTable[name])!;
    played.add(path);
    const {status, stdout, stderr} = await runCli(t, repo, [...argv, ...(path === 'completion' ? [] : ['--json'])]);
    t.true(status === 0 || path === 'doctor', `${line}: ${stderr}`);
    remember(ids, stdout);
    t.deepEqual(await theirs(repo), before, line);
  }

  // Commands that the story doesn't know, alone: most say that something is missing.
  for (const path of Object.keys(commandTable).filter(name => !played.has(name) && !meddling.includes(name))) {
    const {status, stderr} = await runCli(t, repo, path.split(' '));
    t.not(status, 70, `${path}: ${stderr}`);
    t.deepEqual(await theirs(repo), before, path);
  }
});

async function theirs(repo: TempRepo): Promise<object> {
  const {gitDir: _, ...described} = await describeRepository(repo.git, 'loopx');
  return {
    ...described,
    status: await repo.git.text(['--no-optional-locks', 'status', '--porcelain=v2', '--branch', '--ignored']),
    stashes: await repo.git.text(['stash', 'list']),
    files: listFolder(repo.dir),
  };
}

/** Keeps the id of the record that a document is about, under the name of its kind. */
function remember(ids: Record<string, string>, stdout: string): void {
  if (!stdout.startsWith('{')) return;
  const document = JSON.parse(stdout) as Record<string, {id?: unknown} | undefined>;
  for (const kind of ['todo', 'gate', 'round', 'checkpoint']) {
    const id = document[kind]?.id;
    if (typeof id === 'string') ids[kind.toUpperCase()] = id;
  }
}
