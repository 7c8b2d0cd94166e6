// A loop of one round in a process of its own, for tests that kill it. Arguments: attempt, log file, program.
import {command} from '../../lib/loop/executors/command.ts';
import {runAgent} from '../../lib/loop/process.ts';
import {realWorld} from './real-world.ts';

const [attempt = '', logFile = '', program = ''] = process.argv.slice(2);
await runAgent(
  {file: program, args: [], env: {}, stdin: '', whenMissing: ''},
  {
    cwd: process.cwd(),
    env: process.env,
    attempt,
    reader: command.read({nowMs: Date.now, prompt: ''}),
    interrupt: command.interrupt,
    limits: {roundMs: 60_000, silenceMs: 60_000, afterResultMs: 1000},
    signal: new AbortController().signal,
    logFile,
    world: realWorld,
    onEvent: event => console.log(JSON.stringify(event)),
    onSpawn: identity => console.log(JSON.stringify(identity)),
  },
);
