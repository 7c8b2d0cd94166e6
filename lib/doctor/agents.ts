// The agents that a run drives: whether they start, and whether they seem to be logged in. Only signs on this machine
// are looked at: no service is asked, so a login that has expired is found by the first round.
import {readFile} from 'node:fs/promises';
import {join} from 'node:path';
import {isFailure} from '../failure.ts';
import {executors} from '../loop/executors/all.ts';
import {good, type Sign, sign, warn} from './finding.ts';
import type {Patient} from './patient.ts';
import {findProgram, runProgram} from './programs.ts';

type Env = Patient['world']['env'];

type Agent = {
  readonly name: string;
  readonly install: string;
  readonly logIn: string;
  /** Any of these variables lets it in. */
  readonly keys: readonly string[];
  /** Any of these files does, where it holds what is looked for. */
  readonly files: (env: Env) => readonly {readonly path: string; readonly holds: RegExp}[];
};

const agents: readonly Agent[] = [
  {
    name: 'claude',
    install: 'npm install -g @anthropic-ai/claude-code',
    logIn: 'Start `claude` once and log in, or set ANTHROPIC_API_KEY.',
    keys: [
      ...['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN', 'CLAUDE_CODE_OAUTH_TOKEN'],
      ...['CLAUDE_CODE_USE_BEDROCK', 'CLAUDE_CODE_USE_VERTEX', 'CLAUDE_CODE_USE_FOUNDRY'],
    ],
    files: env => {
      const folder = env.CLAUDE_CONFIG_DIR || join(homeOf(env), '.claude');
      return [
        {path: join(folder, '.credentials.json'), holds: /\S/},
        // A start without a login makes this file too.
        {path: join(env.CLAUDE_CONFIG_DIR || homeOf(env), '.claude.json'), holds: /"(oauthAccount|primaryApiKey)"/},
        {
          path: join(folder, 'settings.json'),
          holds: /"(apiKeyHelper|ANTHROPIC_API_KEY|ANTHROPIC_AUTH_TOKEN|CLAUDE_CODE_USE_[A-Z]+)"/,
        },
      ];
    },
  },
  {
    name: 'codex',
    install: 'npm install -g @openai/codex',
    logIn: 'Run `codex login`, or set OPENAI_API_KEY.',
    keys: ['OPENAI_API_KEY', 'CODEX_API_KEY'],
    files: env => {
      const folder = env.CODEX_HOME || join(homeOf(env), '.codex');
      return [
        {path: join(folder, 'auth.json'), holds: /\S/},
        {path: join(folder, 'config.toml'), holds: /^\s*model_provider\s*=/m},
      ];
    },
  },
];

/** Shorter than an examination may take, so that it can still tell. */
const answerMs = 4500;

export async function examineAgents(patient: Patient): Promise<readonly Sign[]> {
  const chosen = chosenExecutor(patient);
  return Promise.all(agents.map(agent => examineAgent(agent, agent.name === chosen, patient)));
}

async function examineAgent(agent: Agent, isChosen: boolean, patient: Patient): Promise<Sign> {
  const {world, cwd, signal} = patient;
  const {name, install} = agent;
  const file = await findProgram(name, world.env.PATH, cwd);
  const trouble = (message: string, mend: string) => sign(isChosen ? 'bad' : 'warn', message, mend);
  if (file === undefined) {
    return trouble(isChosen ? `${name} is the default executor, but not on PATH.` : `${name} is not on PATH.`, install);
  }

  const run = await runProgram(file, ['--version'], {cwd, env: world.env, limitMs: answerMs, signal});
  if (run.isLate) {
    return warn(
      `${file} doesn't answer --version within ${answerMs / 1000} s.`,
      `See what it waits for: ${name} --version`,
    );
  }

  const version = /\d+\.\d+[\w.-]*/.exec(run.output)?.[0];
  if (run.status === 0) return good(`${name}${version ? ` ${version}` : ''} starts: ${file}.`);
  const why = run.problem ?? (firstLine(run.errors) || `exit status ${run.status ?? 'unknown'}`);
  return trouble(`${file} doesn't start: ${why}.`, `Install it again: ${install}`);
}

export async function examineLogin({world: {env}, cwd}: Patient): Promise<readonly Sign[]> {
  const signs = agents.map(async ({name, logIn, keys, files}): Promise<readonly Sign[]> => {
    if ((await findProgram(name, env.PATH, cwd)) === undefined) return [];
    const key = keys.find(key => env[key]);
    if (key) return [good(`${name} has a key: ${key} is set.`)];
    for (const {path, holds} of files(env)) {
      const text = await readFile(path, 'utf8').catch(() => '');
      if (holds.test(text)) return [good(`${name} seems to be logged in: ${path} says so.`)];
    }

    return [warn(`${name} seems not to be logged in: there is neither a key nor a login on this machine.`, logIn)];
  });
  return (await Promise.all(signs)).flat();
}

// What a shell knows by itself, or what only a shell can tell the end of.
const shellWords = /^(?:cd|eval|exec|export|for|if|set|source|test|time|unset|while|\.|\[|:)$|[$`(){}"'\\*?~]/;

export async function examineExecutors(patient: Patient): Promise<readonly Sign[]> {
  const {config, world, cwd, body} = patient;
  if (isFailure(config)) return [];
  const chosen = chosenExecutor(patient);
  const folder = isFailure(body) ? cwd : (body.repository.top ?? cwd);
  const signs: Sign[] = [];
  for (const name of config.executors) {
    const command = config.executor(name)?.command;
    if (!command) continue;
    const word = command.value.split(/\s+/).find(part => part !== '' && !/^\w+=/.test(part));
    if (word === undefined || shellWords.test(word)) continue;
    const file = await findProgram(word, world.env.PATH, folder);
    signs.push(
      file === undefined
        ? sign(
            name === chosen ? 'bad' : 'warn',
            `The program ${word} of executor ${name} is not there.`,
            `Install it, or mend executors.${name}.command in ${command.from}.`,
          )
        : good(`The program of executor ${name} is there: ${file}.`),
    );
  }

  const isKnown = chosen === 'auto' || executors.some(({name}) => name === chosen);
  if (isKnown || config.executor(chosen ?? '')?.command) return signs;
  const {from} = config.get('default_executor');
  const message = `The default executor ${chosen} is neither known nor configured (${from}).`;
  return [...signs, sign('bad', message, 'loopx config set default_executor auto')];
}

/** Returns the executor that a run takes unless told otherwise; undefined where the settings can't be read. */
function chosenExecutor({config}: Patient): string | undefined {
  return isFailure(config) ? undefined : config.get('default_executor').value;
}

function homeOf(env: Env): string {
  return env.HOME || env.USERPROFILE || '.';
}

function firstLine(text: string): string {
  return text.trim().split('\n')[0]!.replace(/\.$/, '');
}
