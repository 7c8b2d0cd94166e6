// The modules of loopx as their texts tell: what each imports, and what it says apart from comments.
import {readdir, readFile} from 'node:fs/promises';
import {dirname, join, relative} from 'node:path';
import {fileURLToPath} from 'node:url';

export const root = fileURLToPath(new URL('../../', import.meta.url));

export type Import = {
  /** A path from the root, or the name of a package, or `node:…`. */
  readonly of: string;
  readonly kind: 'static' | 'type' | 'dynamic' | 'export';
};

export type Module = {
  /** From the root, with `/` on every system. */
  readonly path: string;
  readonly lines: number;
  /** Without comments. */
  readonly code: string;
  readonly imports: readonly Import[];
};

/** Reads all TypeScript modules of some folders. */
export async function readModules(...folders: readonly string[]): Promise<readonly Module[]> {
  const names = await Promise.all(
    folders.map(async folder => (await readdir(join(root, folder), {recursive: true})).map(name => join(folder, name))),
  );
  const paths = names.flat().filter(name => name.endsWith('.ts'));
  return Promise.all(paths.sort().map(readModule));
}

async function readModule(path: string): Promise<Module> {
  const text = await readFile(join(root, path), 'utf8');
  const code = text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/(^|\s)\/\/.*$/gm, '$1');
  return {path: path.replaceAll('\\', '/'), lines: text.split('\n').length - 1, code, imports: importsOf(code, path)};
}

const fromPattern = /^(import|export)\s+(type\s+)?([^'"();]*?)\s*from\s+'([^']+)'/gm;
const barePattern = /^import\s+'([^']+)'/gm;
const dynamicPattern = /(typeof\s+)?\bimport\('([^']+)'\)(\.[A-Z])?/g;

function importsOf(code: string, path: string): readonly Import[] {
  const target = (name: string) =>
    name.startsWith('.') ? relative(root, join(root, dirname(path), name)).replaceAll('\\', '/') : name;
  const named = [...code.matchAll(fromPattern)].map(([, word, type, names = '', name = '']): Import => {
    const onlyTypes = type !== undefined || /^\{\s*(type\s+\w+(\s+as\s+\w+)?\s*,?\s*)+\}$/.test(names);
    return {of: target(name), kind: word === 'export' ? 'export' : onlyTypes ? 'type' : 'static'};
  });
  const bare = [...code.matchAll(barePattern)].map(([, name = '']): Import => ({of: target(name), kind: 'static'}));
  const called = [...code.matchAll(dynamicPattern)].map(([, typeOf, name = '', member]): Import => {
    return {of: target(name), kind: typeOf || member ? 'type' : 'dynamic'};
  });
  return [...named, ...bare, ...called];
}

/** Returns modules whose loading needs each other, in a circle, or undefined: `a → b → a`. */
export function circleOf(modules: readonly Module[]): string | undefined {
  const byPath = new Map(modules.map(module => [module.path, module]));
  const done = new Set<string>();
  const visit = (path: string, way: readonly string[]): string | undefined => {
    if (way.includes(path)) return [...way.slice(way.indexOf(path)), path].join(' → ');
    if (done.has(path)) return undefined;
    for (const {of, kind} of byPath.get(path)?.imports ?? []) {
      const circle = kind === 'static' ? visit(of, [...way, path]) : undefined;
      if (circle !== undefined) return circle;
    }

    done.add(path);
    return undefined;
  };
  for (const {path} of modules) {
    const circle = visit(path, []);
    if (circle !== undefined) return circle;
  }

  return undefined;
}

/** Returns all that is loaded at once when a module is: its static imports, and theirs. */
export function loadedWith(modules: readonly Module[], start: string): ReadonlySet<string> {
  const byPath = new Map(modules.map(module => [module.path, module]));
  const loaded = new Set<string>();
  const visit = (path: string) => {
    if (loaded.has(path)) return;
    loaded.add(path);
    for (const {of, kind} of byPath.get(path)?.imports ?? []) if (kind === 'static') visit(of);
  };
  visit(start);
  return loaded;
}
