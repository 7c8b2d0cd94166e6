// Tries every form of repository and prints what came of it, as the README has it: npm run forms.
import type {ExecutionContext} from 'ava';
import {forms} from './forms.ts';
import {playForm} from './play.ts';
import {formsTable, promised, type Row} from './table.ts';

const ends: (() => unknown)[] = [];
const t = {
  teardown: (end: () => unknown) => ends.unshift(end),
  fail: (message: string) => {
    throw new Error(message);
  },
} as unknown as ExecutionContext;

const rows: Row[] = [];
let isAsPromised = true;
try {
  for (const form of forms) {
    if (form.missing) {
      process.stderr.write(`${form.name}: not tried. ${form.missing}\n`);
      rows.push(promised(form));
      continue;
    }

    const {cells, harm} = await playForm(t, form);
    rows.push({name: form.name, cells});
    for (const what of harm) process.stderr.write(`${form.name}: ${what}\n`);
    if (harm.length > 0 || formsTable([{name: form.name, cells}]) !== formsTable([promised(form)]))
      isAsPromised = false;
  }
} finally {
  for (const end of ends) await end();
}

process.stdout.write(formsTable(rows));
process.exitCode = isAsPromised ? 0 : 1;
