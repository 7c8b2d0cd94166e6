import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {fileURLToPath} from 'node:url';
import test from 'ava';
import {tempRepo} from '../support/repo.ts';

const objects = fileURLToPath(new URL('../../lib/git/objects.ts', import.meta.url));
const command = fileURLToPath(new URL('../../lib/git/command.ts', import.meta.url));

// A program that fails between opening the reader and closing it once stayed for ever, waiting for nobody.
for (const [name, use] of [
  ['warmed and never asked', 'reader.warm()'],
  ['asked and left open', "await reader.read(['HEAD', 'HEAD:README.md'])"],
] as const) {
  test(`a reader of objects that was ${name} lets its program end`, async t => {
    const {dir, env} = await tempRepo(t);
    const program = `
      const {openObjects} = await import(${JSON.stringify(objects)});
      const {openGit} = await import(${JSON.stringify(command)});
      const reader = openObjects(openGit(${JSON.stringify(dir)}, process.env));
      ${use};`;
    const child = spawn(process.execPath, ['--import=tsx', '--input-type=module', '--eval', program], {
      env: {...process.env, ...env},
    });
    t.deepEqual(await once(child, 'exit', {signal: AbortSignal.timeout(60_000)}), [0, null]);
  });
}
