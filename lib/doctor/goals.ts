// The goals: whether their state can be read, whether what they would run is trusted, whether their rounds still live,
// and whether the clocks of those who wrote them agree with this one.
import {hashOf, listTrusted} from '../evidence/trust.ts';
import {isFailure} from '../failure.ts';
import {listRunning, processLives} from '../loop/running.ts';
import {goalFormat} from '../model/goal.ts';
import {isClosed, type Todo} from '../model/todo.ts';
import type {GoalView} from '../store/view.ts';
import {bad, good, type Sign, warn} from './finding.ts';
import {readableGoals, type SeenGoal, type WholePatient} from './patient.ts';

const hourMs = 3_600_000;
const recentCommits = 50;

export async function examineGoals({body}: WholePatient): Promise<readonly Sign[]> {
  const goals = await body.goals();
  const signs = (await Promise.all(goals.map(goal => examineGoal(goal, body)))).flat();
  const readable = goals.length - signs.length;
  if (readable === 0) return signs.length > 0 ? signs : [good('There are no goals here yet.')];
  const are = readable === 1 ? '1 goal can' : `${readable} goals can`;
  return [good(`The state of ${are} be read; \`loopx fsck\` proves that it follows from its history.`), ...signs];
}

async function examineGoal({id, tip, view}: SeenGoal, {store}: WholePatient['body']): Promise<readonly Sign[]> {
  if (isFailure(view)) return [bad(view.message, view.hint)];
  const [newest] = await store.commits([tip], [], 1);
  if (view.goal.format > goalFormat || newest?.isNewer) {
    return [bad(`Goal ${id} was written by a later loopx, so this one only reads it.`, 'npm install -g loopx@latest')];
  }

  if (newest?.problem === undefined) return [];
  return [bad(`The newest commit of goal ${id} can't be read: ${newest.problem}.`, `loopx fsck --goal ${id}`)];
}

export async function examineTrust({body, config}: WholePatient): Promise<readonly Sign[]> {
  const trusted = await listTrusted(body.repository.commonDir);
  const isForeign = (run: string) => !trusted.has(hashOf(run));
  const signs: Sign[] = [];
  for (const view of await activeGoals(body)) {
    const count = (await commandsOf(view)).filter(isForeign).length;
    if (count === 0) continue;
    const message = `${count === 1 ? '1 check' : `${count} checks`} of goal ${view.id} will not run: not trusted yet.`;
    signs.push(warn(message, `loopx trust --goal ${view.id}`));
  }

  if (isFailure(config)) return signs;
  for (const name of config.executors) {
    const {command, args} = config.executor(name) ?? {};
    if (![command, args].some(value => value?.source === 'project' && isForeign(value.value))) continue;
    signs.push(warn(`The command of executor ${name} comes from the project and is not trusted yet.`, 'loopx trust'));
  }

  return signs;
}

async function commandsOf(view: GoalView): Promise<readonly string[]> {
  const todos = (await view.all<Todo>('todos')).filter(todo => !isClosed(todo.status));
  const checks = [...view.goal.acceptance, ...todos.flatMap(todo => todo.checks ?? [])];
  return [...new Set(checks.map(({run}) => run))];
}

export async function examineRounds({body, world}: WholePatient): Promise<readonly Sign[]> {
  const vanished = (await listRunning(body.repository)).filter(running => processLives(running, world) === false);
  return vanished.map(({goal, agent, round}) =>
    warn(
      `The process of round ${round} by ${agent} on ${goal} is gone; \`loopx status\` records that.`,
      `loopx status --goal ${goal}`,
    ),
  );
}

export async function examineClock({body, world}: WholePatient): Promise<readonly Sign[]> {
  const limitMs = world.now() + hourMs;
  const signs: Sign[] = [];
  for (const {id, tip} of await activeGoals(body)) {
    const events = (await body.store.commits([tip], [], recentCommits)).flatMap(commit => commit.events);
    const ahead = events.filter(event => Date.parse(event.at) > limitMs);
    const last = ahead.sort((one, other) => Date.parse(one.at) - Date.parse(other.at)).at(-1);
    if (!last) continue;
    signs.push(
      warn(
        `A clock is off: ${last.by} wrote to goal ${id} at ${last.at}, and here it is ${new Date(world.now()).toISOString()}.`,
        'Set the clock of that machine, or of this one, for instance with `timedatectl set-ntp true`.',
      ),
    );
  }

  return signs;
}

async function activeGoals(body: WholePatient['body']): Promise<readonly GoalView[]> {
  return (await readableGoals(body)).filter(view => view.goal.status === 'active');
}
