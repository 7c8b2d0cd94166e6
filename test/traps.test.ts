// traps.md says of each of sixty known traps which tests keep loopx out of it. The titles of those tests carry the trap's
// number; here the two are held against each other, so that the table cannot claim what no test does.
import {readdirSync, readFileSync} from 'node:fs';
import test from 'ava';

const here = new URL('./', import.meta.url);
const read = (path: string) => readFileSync(new URL(path, here), 'utf8');
const trapCount = 60;

type Row = {readonly trap: number; readonly what: string; readonly files: readonly string[]; readonly rest: string};

/** The rows of the table, with the files that the last column names and what it says besides. */
const rows: readonly Row[] = [...read('traps.md').matchAll(/^\| (\d+) +\| (.+?) *\| (.+?) *\|$/gm)].map(
  ([, trap, what = '', cover = '']) => ({
    trap: Number(trap),
    what,
    files: [...cover.matchAll(/`([\w/-]+\.test\.ts)`/g)].map(match => match[1]!),
    rest: cover.replace(/`[\w/-]+\.test\.ts`|[,\s]/g, ''),
  }),
);

/** The numbers in the titles of each test file. A title may stand in a variable, so every line of code is looked at. */
const numbersByFile: ReadonlyMap<string, ReadonlySet<number>> = new Map(
  readdirSync(here, {recursive: true, encoding: 'utf8'})
    .map(path => path.replaceAll('\\', '/'))
    .filter(path => path.endsWith('.test.ts') && path !== 'traps.test.ts')
    .map(path => [path, numbersIn(read(path))]),
);

function numbersIn(source: string): ReadonlySet<number> {
  const code = source.replace(/^\s*(\/\/|\/?\*).*$/gm, '');
  return new Set([...code.matchAll(/\btraps? (\d+(?:, \d+)*)/g)].flatMap(match => match[1]!.split(', ').map(Number)));
}

test('the table has one row for each trap, and each row says something', t => {
  t.deepEqual(
    rows.map(({trap}) => trap),
    Array.from({length: trapCount}, (_, index) => index + 1),
  );
  for (const {trap, what, files, rest} of rows) {
    t.true(what.length > 10, `trap ${trap}`);
    t.true(files.length > 0 || rest.length > 10, `trap ${trap} names no test and does not say why`);
  }
});

test('what a row claims, a title in each file that it names claims, too', t => {
  for (const {trap, files} of rows) {
    for (const file of files) {
      t.true(numbersByFile.get(file)?.has(trap), `traps.md names ${file} for trap ${trap}; no title there has it.`);
    }
  }
});

test('each number in a title is claimed by the table', t => {
  for (const [file, numbers] of numbersByFile) {
    for (const number of numbers) {
      const row = rows.find(({trap}) => trap === number);
      t.true(row && row.files.length > 0, `A title in ${file} has trap ${number}; its row in traps.md names no test.`);
    }
  }
});
