// The entry: builds the real world around one command line.
import {hostname} from 'node:os';
import {createInterface} from 'node:readline/promises';
import {setTimeout as sleep} from 'node:timers/promises';
import {fileURLToPath} from 'node:url';
import {machineName} from '../lib/model/ids.ts';
import manifest from '../package.json' with {type: 'json'};
import {main} from './main.ts';
import type {Output} from './print.ts';

const args = process.argv.slice(2);
const {env, stdin, stdout, stderr} = process;

const stop = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  // The second one ends loopx at once: whoever presses Ctrl-C twice means it.
  process.on(signal, () => (stop.signal.aborted ? process.exit(130) : stop.abort(signal)));
}

// Somebody who reads only the first lines closes the pipe, and a log may fill its disk: neither ends the work. What could
// not be printed of a result is told by the exit status.
let unprinted: NodeJS.ErrnoException | undefined;
for (const stream of [stdout, stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (stream === stdout && error.code !== 'EPIPE') unprinted = error;
  });
}

process.on('exit', () => {
  if (!unprinted || process.exitCode) return;
  process.exitCode = 1;
  stderr.write(`loopx: The result could not be printed: ${unprinted.message}\n`);
});

const world = {
  now: Date.now,
  random: Math.random,
  sleep: async (ms: number, signal?: AbortSignal) => void (await sleep(ms, undefined, {signal})),
  env,
  pid: process.pid,
  machine: machineName(env.LOOPX_MACHINE || hostname()),
  platform: process.platform,
};

// No await here: the bundle is CommonJS.
void main(args, {
  world,
  cwd: process.cwd(),
  stdout: output(stdout),
  stderr: output(stderr),
  stdin: {isTerminal: stdin.isTTY === true, read: readInput, ask},
  signal: stop.signal,
  loopx: [process.execPath, ...process.execArgv, fileURLToPath(import.meta.url)],
  version: manifest.version,
}).then(status => {
  process.exitCode = status;
});

function output(stream: NodeJS.WriteStream): Output {
  const isTerminal = stream.isTTY === true;
  const wanted = !args.includes('--no-color') && !env.NO_COLOR && env.TERM !== 'dumb';
  const columns = Number(env.COLUMNS) || stream.columns || 80;
  return {
    write: text => void stream.write(text),
    isTerminal,
    columns: Math.max(20, columns),
    color: wanted && (isTerminal || args.includes('--color')),
  };
}

async function readInput(): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of stdin) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

async function ask(question: string): Promise<string> {
  const lines = createInterface({input: stdin, output: stderr});
  try {
    return await lines.question(question, {signal: stop.signal});
  } finally {
    lines.close();
  }
}
