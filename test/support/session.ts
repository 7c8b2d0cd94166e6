// Terminal sessions in Markdown, played as a person would: each `$ command` of a ```console block is run by sh, all in
// one repository, and what it prints is compared with the lines below it. The pages show real values; of those that
// differ from run to run, times and sizes need only look alike, and names (of goals, records, objects) must be used
// alike: once a page's t-k3m9 has stood where t-7q2x was printed, the one always means the other, also in commands.
import {execFile} from 'node:child_process';
import {chmod, mkdir, writeFile} from 'node:fs/promises';
import {delimiter, dirname, join} from 'node:path';
import type {ExecutionContext} from 'ava';
import {bundledLoopx} from './bundle.ts';
import {shellEnv} from './loopx.ts';
import type {TempRepo} from './repo.ts';

export type Step = {
  readonly command: string;
  /** What it prints on both streams; after a status other than 0 a last line says so: `[exit 3]`. */
  readonly output: string;
};

/** Returns the steps of a page in order. Lines that begin with `> ` go on with the command. */
export function readSteps(page: string): readonly Step[] {
  return consoleBlocks(page).flatMap(block =>
    block
      .split(/^\$ /m)
      .slice(1)
      .map(step => {
        const [first = '', ...lines] = step.trimEnd().split('\n');
        const end = lines.findIndex(line => !line.startsWith('> '));
        const more = lines.slice(0, end < 0 ? lines.length : end);
        const command = [first, ...more.map(line => line.slice(2))].join('\n');
        return {command, output: lines.slice(more.length).join('\n')};
      }),
  );
}

/** Returns the text of each ```console block of a page. */
export function consoleBlocks(page: string): readonly string[] {
  return [...page.matchAll(/^```console\n(.*?)^```$/gms)].map(match => match[1]!);
}

/** Runs a command line and returns what it prints, and its status. */
export type Terminal = (command: string) => Promise<string>;

/** Returns a terminal in the repository, with loopx on its PATH. */
export async function openTerminal(repo: TempRepo): Promise<Terminal> {
  const bin = join(dirname(repo.dir), 'bin');
  await mkdir(bin);
  await writeFile(join(bin, 'loopx'), `#!/bin/sh\nexec "${process.execPath}" "${await bundledLoopx()}" "$@"\n`);
  await chmod(join(bin, 'loopx'), 0o755);
  const env = shellEnv(repo, {
    PATH: [bin, repo.env.PATH].join(delimiter),
    COLUMNS: '80',
    GIT_PAGER: 'cat',
    LOOPX_MACHINE: 'mbp',
  });
  return command =>
    new Promise(resolve => {
      const options = {cwd: repo.dir, env, timeout: 60_000};
      execFile('sh', ['-c', `exec 2>&1\n${command}`], options, (error, stdout) => {
        const status = error ? `[exit ${error.code ?? error.signal}]` : '';
        const text = stdout.trimEnd().replaceAll(repo.dir, '/home/ada/project');
        resolve([text, status].filter(part => part !== '').join('\n'));
      });
    });
}

/** Plays the steps. The first one that prints something else fails the test. */
export async function playSession(t: ExecutionContext, terminal: Terminal, steps: readonly Step[]): Promise<void> {
  const names = new Map<string, string>();
  const goals: string[] = [];
  for (const {command, output} of steps) {
    const wanted = output;
    const got = await terminal(command.replace(namePattern(goals), name => ourName(name, names)));
    for (const text of [wanted, got]) goals.push(...(/^Started (\S+):/.exec(text)?.slice(1) ?? []));
    const pattern = namePattern(goals);
    const pairs = align(wanted.split('\n'), got.split('\n'), line => shapeOf(line, pattern));
    if (!pairs) return void t.is(shapeOf(got, pattern), shapeOf(wanted, pattern), command);
    for (const [line, real] of pairs) {
      const others = namesIn(real, pattern);
      for (const [index, name] of namesIn(line, pattern).entries()) {
        const other = others[index]!;
        const known = names.get(keyOf(name)) ?? other;
        const isOther = [...names].some(([key, value]) => key !== keyOf(name) && keyOf(value) === keyOf(other));
        if (isOther || keyOf(known) !== keyOf(other)) return t.fail(`${name} is not ${other} in: ${line}`);
        // The longest form is kept, since a command may need all of it.
        names.set(keyOf(name), known.length > other.length ? known : other);
      }
    }
  }

  t.pass();
}

/**
 * Returns the page with what the terminal prints now. A name in a command that no output has shown before means the
 * newest of its kind, so a session can be written without knowing what it will print.
 */
export async function writeSession(terminal: Terminal, page: string): Promise<string> {
  const names = new Map<string, string>();
  const newest = new Map<string, string>();
  const goals: string[] = [];
  let text = page;
  for (const {command, output} of readSteps(page)) {
    const real = command.replace(namePattern(goals), name => {
      const meant = names.get(keyOf(name)) ?? newest.get(name.slice(0, 1)) ?? name;
      return meant.slice(0, Math.max(name.length, keyOf(meant).length));
    });
    const got = await terminal(real);
    for (const shown of [output, got]) goals.push(...(/^Started (\S+):/.exec(shown)?.slice(1) ?? []));
    const [before, now] = [output, got].map(shown => [...new Set(namesIn(shown, namePattern(goals)).map(keyOf))]);
    for (const [index, name] of before!.entries()) if (now![index]) names.set(name, names.get(name) ?? now![index]!);
    for (const name of now!) newest.set(name.slice(0, 1), name);
    text = text.replace(stepText(command, output), () => stepText(real, /^…$/m.test(output) ? output : got));
  }

  return text;
}

function stepText(command: string, output: string): string {
  return `$ ${command.replaceAll('\n', '\n> ')}\n${output === '' ? '' : `${output}\n`}`;
}

const record = /^[acdgkrt]-/;
const object = /^[0-9a-f]{7,64}$/;

/** Returns what finds the names of records and objects, and of the goals that were started. */
function namePattern(goals: readonly string[]): RegExp {
  const own = goals.map(goal => `\\b${goal}\\b|`).join('');
  return new RegExp(`${own}\\b[acdgkrt]-[0-9a-hjkmnp-tv-z]{4,8}\\b|\\b[0-9a-f]{7,64}\\b`, 'g');
}

function namesIn(line: string, pattern: RegExp): readonly string[] {
  return withoutTimes(line).match(pattern) ?? [];
}

// The shortest form in which a name is printed: ids have 6 characters then, objects 7, goals are always whole.
function keyOf(name: string): string {
  return record.test(name) ? name.slice(0, 6) : object.test(name) ? name.slice(0, 7) : name;
}

// A short id in a command stays short: any unique beginning has to do.
function ourName(name: string, names: ReadonlyMap<string, string>): string {
  const known = names.get(keyOf(name));
  if (known === undefined) return name;
  return record.test(name) || object.test(name) ? known.slice(0, name.length) : known;
}

function withoutTimes(line: string): string {
  return line
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z|\w{3} \w{3} \d+ [\d:]{8} \d{4} \+0000|\d{4}-\d\d-\d\d/g, '<date>')
    .replace(/\b\d+ (?:s|min|h|d)\b(?: \d+ (?:s|min|h)\b)?(?: ago)?|\bnow\b/g, '<time>')
    .replace(/\b\d+:\d\d\b/g, '<clock>')
    .replace(/\b01[0-9A-Z]{24}\b/g, '<event>');
}

/** Returns a text with kinds in the place of what differs from run to run. */
function shapeOf(text: string, pattern: RegExp): string {
  return withoutTimes(text)
    .replace(pattern, name => (record.test(name) ? `<${name[0]}>` : object.test(name) ? '<object>' : '<goal>'))
    .replace(/\b[\d.]+ (?:B|KB|MB) on disk/g, '<size>')
    .replace(/(?<=\S) {2,}/g, '  ')
    .replace(/ +$/gm, '');
}

/** Returns each wanted line with the one it stands for; a lone `…` stands for any number of lines. */
function align(
  wanted: readonly string[],
  got: readonly string[],
  shape: (line: string) => string,
): readonly (readonly [string, string])[] | undefined {
  const [line, ...rest] = wanted;
  if (line === undefined) return got.length === 0 ? [] : undefined;
  if (line !== '…') {
    if (got.length === 0 || shape(line) !== shape(got[0]!)) return undefined;
    const found = align(rest, got.slice(1), shape);
    return found && [[line, got[0]!], ...found];
  }

  for (let skipped = 0; skipped <= got.length; skipped += 1) {
    const found = align(rest, got.slice(skipped), shape);
    if (found) return found;
  }

  return undefined;
}
