// Every page of test/sessions is a terminal session that anybody can repeat. To write one, or to take over a changed
// output, run this file with LOOPX_SESSIONS=write and read the difference before committing it.
import {readdirSync, readFileSync, writeFileSync} from 'node:fs';
import test from 'ava';
import {tempRepo} from './support/repo.ts';
import {openTerminal, playSession, readSteps, writeSession} from './support/session.ts';

const folder = new URL('./sessions/', import.meta.url);
const pages = readdirSync(folder).filter(name => name.endsWith('.md'));

for (const page of pages) {
  const text = readFileSync(new URL(page, folder), 'utf8');
  test(`${page}: ${/^# (.+)$/m.exec(text)?.[1]}`, async t => {
    const steps = readSteps(text);
    t.true(steps.length > 0);
    const terminal = await openTerminal(await tempRepo(t));
    if (process.env.LOOPX_SESSIONS !== 'write') return playSession(t, terminal, steps);
    writeFileSync(new URL(page, folder), await writeSession(terminal, text));
    t.pass();
  });
}
