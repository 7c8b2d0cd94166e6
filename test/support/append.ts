// A process of its own that adds todos to a goal, one commit each, and says so on stdout once each is acknowledged:
//
//     append.cjs <folder> <goal> <name> <how many>
//
// It is bundled before it is started, so that many of them start fast.
import {writeSync} from 'node:fs';
import {setTimeout as sleep} from 'node:timers/promises';
import {addTodo} from '../../lib/change/todo.ts';
import {openRepository} from '../../lib/git/repository.ts';
import {eventIds} from '../../lib/model/ids.ts';
import {changeGoal} from '../../lib/store/append.ts';
import {openGitStore} from '../../lib/store/git-store.ts';
import type {World} from '../../lib/world.ts';

const [dir = '.', goal = '', name = '', count = '1'] = process.argv.slice(2);
const world: World = {
  now: Date.now,
  random: Math.random,
  sleep: ms => sleep(ms),
  env: process.env,
  pid: process.pid,
  machine: 'test',
  platform: process.platform,
};

async function main(): Promise<void> {
  const store = openGitStore(await openRepository(dir, world.env), world);
  const committer = {name: 'loopx', mail: 'loopx@loopx.invalid'};
  const nextId = eventIds(world.now, world.random);
  const writer = {store, world, by: `${name}@test`, committer, nextId, redact: (text: string) => text};
  for (let index = 0; index < Number(count); index += 1) {
    const startMs = Date.now();
    const {events} = await changeGoal(writer, goal, addTodo({title: `${name} ${index}`}));
    writeSync(1, `${events[0]!.id} ${Date.now() - startMs}\n`);
  }

  store.close();
}

void main();
