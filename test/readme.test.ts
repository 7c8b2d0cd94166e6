// The README and the pages of `loopx help` promise nothing that isn't there.
import {existsSync, readdirSync, readFileSync} from 'node:fs';
import test from 'ava';
import {commandTable, verbsOf} from '../cli/commands/table.ts';
import {consoleBlocks} from './support/session.ts';

const read = (path: string) => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8');
const pagesIn = (folder: string) =>
  readdirSync(new URL(`../${folder}/`, import.meta.url))
    .filter(name => name.endsWith('.md'))
    .map(name => `${folder}/${name}`);

/** Returns what stands in blocks of code and in backticks, each from the beginning of a line. */
function codeIn(page: string): string {
  const blocks = [...page.matchAll(/^```\w*\n(.*?)^```$/gms)].map(match => match[1]!);
  const words = [...page.replace(/^```\w*\n.*?^```$/gms, '').matchAll(/`([^`\n]+)`/g)].map(match => match[1]!);
  return [...blocks, ...words].join('\n');
}

test('every terminal that the README shows is out of a session that the tests play', t => {
  const played = pagesIn('test/sessions').map(read);
  const shown = consoleBlocks(read('README.md'));
  t.true(shown.length > 0);
  for (const block of shown)
    t.true(
      played.some(page => page.includes(block)),
      block,
    );
});

test('every command that the README and the help pages name exists', t => {
  for (const page of ['README.md', ...pagesIn('cli/help')]) {
    for (const [text, noun = '', verb = ''] of codeIn(read(page)).matchAll(
      /^(?:\$ )?loopx ([a-z-]+)(?: ([a-z-]+))?/gm,
    )) {
      const isKnown = noun in commandTable || verbsOf(noun).includes(verb) || (verb === '' && verbsOf(noun).length > 0);
      t.true(isKnown, `${page}: ${text}`);
    }
  }

  const [, table = ''] = /^## Commands$(.*?)^## /ms.exec(read('README.md')) ?? [];
  const named = [...table.matchAll(/`([a-z-]+)`(?=.*\|.*\|)/g)].map(match => match[1]);
  const nouns = new Set(Object.keys(commandTable).map(path => path.split(' ')[0]));
  t.deepEqual([...new Set([...named, 'help'])].sort(), [...nouns].sort());
});

test('every link of the README leads to a file, and every page is linked', t => {
  const links = [...read('README.md').matchAll(/\]\(([^)#]+)\)/g)].map(match => match[1]!);
  for (const link of links) t.true(existsSync(new URL(`../${link}`, import.meta.url)), link);
  for (const page of pagesIn('cli/help')) t.true(links.includes(page), page);
});
