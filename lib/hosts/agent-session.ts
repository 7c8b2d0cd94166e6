// Whether this process runs inside an agent's session, and whose. Agents can't answer gates, nor trust commands: what
// they call loopx from tells them apart from a person.
import {machineName} from '../model/ids.ts';

type Env = Readonly<Record<string, string | undefined>>;

// Variables that hosts set for the shells of their tools; what several hosts set alike is no sign of any of them.
const signs: readonly (readonly [string, string])[] = [
  ['COPILOT_CLI', 'copilot'],
  ['CLAUDECODE', 'claude'],
  ['CODEX_THREAD_ID', 'codex'],
  ['CODEX_SANDBOX', 'codex'],
  ['GEMINI_CLI', 'gemini'],
  ['QWEN_CODE', 'qwen'],
  ['OPENCODE', 'opencode'],
  ['CURSOR_AGENT', 'cursor'],
];

/** Returns the name of the agent whose session this is, or undefined for a person's shell. */
export function agentOfSession(env: Env, machine: string): string | undefined {
  if (env.LOOPX_AGENT) return env.LOOPX_AGENT;
  const sign = signs.find(([name]) => env[name]);
  if (sign) return `${sign[1]}@${machineName(machine)}`;
  return isInRound(env) ? `agent@${machineName(machine)}` : undefined;
}

/** Says whether a round that loopx drives started this process. */
export function isInRound(env: Env): boolean {
  return Boolean(env.LOOPX_ROUND || env.LOOPX_ATTEMPT);
}
