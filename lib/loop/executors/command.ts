// Any program that the user names, run by sh. Its output is free text; what it reports is the last line that is a
// result (see result-line.ts). Whether it called a model nobody knows, so a round that ran is billed as if it had.
import {Failure} from '../../failure.ts';
import type {AgentExit, AgentResult, Executor, ReaderContext, StreamReader} from '../executor.ts';
import {rawLine} from './json-line.ts';
import {crashOf, emptyMemory, stopOf, verdictOf} from './judge.ts';
import {isEcho, parseResultLine} from './result-line.ts';
import {roundEnv} from './round-env.ts';

const needs = {program: 'sh', whenMissing: 'Put a POSIX shell named sh on PATH.'};

export const command: Executor = {
  name: 'command',
  needs,
  plan: round => {
    if (!round.command) {
      throw new Failure('config-invalid', 'The executor "command" has no command line.', {
        hint: 'Set one in the configuration: see `loopx help config`.',
      });
    }

    return {
      file: needs.program,
      // The user's arguments are the command's "$@".
      args: ['-c', round.command, 'loopx', ...round.args],
      env: roundEnv(round),
      stdin: round.prompt,
      whenMissing: needs.whenMissing,
    };
  },
  read: readCommand,
  interrupt: {signal: 'SIGTERM', to: 'group', graceMs: 5000},
};

// What sh exits with when it could not start the program: not executable, not found.
const notStarted: readonly (number | null)[] = [126, 127];

function readCommand(context: ReaderContext): StreamReader {
  const memory = emptyMemory();
  return {
    line: line => {
      const result = isEcho(line, context.prompt) ? undefined : parseResultLine(line);
      if (result) {
        memory.result = result;
        memory.usage = {...memory.usage, ...result.usage};
        return [{kind: 'result', result}];
      }

      if (line.trim() === '') return [];
      const text = rawLine(line);
      memory.lastMessage = text;
      return [{kind: 'raw', line: text}];
    },
    finish: exit =>
      verdictOf(memory, exit.signal !== null || !notStarted.includes(exit.status), errorOf(exit, memory.result)),
  };
}

function errorOf(exit: AgentExit, result: AgentResult | undefined) {
  const stop = stopOf(exit);
  if (stop) return stop;
  // A program that reports "failed" and exits with 1 has said the same thing twice; one that reports "done" and then
  // exits with 1 has not.
  const owned = result?.outcome === 'failed' || result?.outcome === 'blocked';
  if (exit.status === 0 || (owned && exit.status !== null)) return undefined;
  return crashOf(exit, '');
}
