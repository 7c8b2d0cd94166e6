// The bundled loopx, for tests that start it as a process of its own: it starts in a fraction of the time that the
// sources need. It is built aside, by the same script as `dist`, once for each state of the sources: several test files
// run at once, and somebody may be building `dist` anew at this moment.
import {execFile} from 'node:child_process';
import {randomUUID} from 'node:crypto';
import {mkdir, readdir, rename, rm, stat, symlink} from 'node:fs/promises';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {promisify} from 'node:util';

const root = fileURLToPath(new URL('../../', import.meta.url));
const cache = join(root, 'node_modules', '.cache', 'loopx');
/** What the build reads, and what the bundle finds beside its own folder. */
const sources = ['cli', 'lib', 'hooks', 'package.json', '.build.mjs', 'node_modules'];
const keptMs = 3_600_000;

let built: Promise<string> | undefined;

/** Returns the file of the bundled loopx. */
export function bundledLoopx(): Promise<string> {
  built ??= build();
  return built;
}

async function build(): Promise<string> {
  const key = Math.max(...(await Promise.all(['cli', 'lib', 'package.json', '.build.mjs'].map(newestMs))));
  const folder = join(cache, String(key));
  const file = join(folder, 'dist', 'loopx.js');
  if (await isThere(file)) return file;
  const fresh = `${folder}.${randomUUID()}`;
  await mkdir(fresh, {recursive: true});
  await Promise.all(sources.map(name => symlink(join(root, name), join(fresh, name))));
  await promisify(execFile)(process.execPath, ['.build.mjs'], {cwd: fresh});
  // Where another test file was faster, its build is as good.
  await rename(fresh, folder).catch(() => rm(fresh, {recursive: true}));
  await removeOld();
  return file;
}

async function newestMs(name: string): Promise<number> {
  const entries = await readdir(join(root, name), {withFileTypes: true, recursive: true}).catch(() => []);
  const times = entries
    .filter(entry => entry.isFile())
    .map(async entry => (await stat(join(entry.parentPath, entry.name)).catch(() => undefined))?.mtimeMs ?? 0);
  return Math.max((await stat(join(root, name))).mtimeMs, ...(await Promise.all(times)));
}

async function removeOld(): Promise<void> {
  for (const name of await readdir(cache)) {
    const info = await stat(join(cache, name)).catch(() => undefined);
    if (info && Date.now() - info.mtimeMs > keptMs) await rm(join(cache, name), {recursive: true, force: true});
  }
}

async function isThere(file: string): Promise<boolean> {
  return (await stat(file).catch(() => undefined)) !== undefined;
}
