// Bundles loopx, so that it starts in little more than the time of `node -e 0`. What was measured, on Node 20:
// - CommonJS starts faster than ESM: its modules ask for Node's own modules when they are first evaluated, and modules
//   behind a dynamic import are not evaluated until a command asks for them. ESM loads all of them up front, and pays
//   for each file that one splits it into.
// - Node reads through all of a file before it runs the first line of it, so packages that few commands need lie in
//   files of their own, and what V8 makes of the rest is kept: see cli/start.ts.
import {createHash} from 'node:crypto';
import {chmod, readFile, rm, writeFile} from 'node:fs/promises';
import {build} from 'esbuild';

const apart = ['diff', 'execa', 'isomorphic-git', 'yaml', 'yargs'];

const shared = {bundle: true, platform: 'node', target: 'node20.19', legalComments: 'none', logLevel: 'warning'};

const command = {
  ...shared,
  outdir: 'dist',
  format: 'cjs',
  // The program is run as a script, which can't import; `require` does the same for a file that is not yet loaded.
  supported: {'dynamic-import': false},
  // Names stay, for the stack of a bug; shorter ones would not be read any faster.
  minifyWhitespace: true,
  minifySyntax: true,
  define: {'import.meta.url': '__url', 'Intl.Segmenter': '__Segmenter'},
  banner: {
    js: [
      "const __url=require('node:url').pathToFileURL(__filename).href;",
      // A segmenter loads its tables when it is made, for 7 ms, and modules make one in case that they need it.
      'const __Segmenter=class{constructor(...args){this.args=args}',
      'segment(text){return(this.real??=new Intl.Segmenter(...this.args)).segment(text)}};',
    ].join(''),
  },
};

// To a module of ours, the default export of a CommonJS file is all of its exports.
const nodeDefault = 'if(module.exports.default)module.exports=Object.assign(module.exports.default,module.exports);';

const leaveApart = {
  name: 'leave-apart',
  setup({onResolve}) {
    onResolve({filter: new RegExp(`^(${apart.join('|')})$`)}, ({path, kind}) =>
      kind === 'entry-point' ? undefined : {path: `./${path}.js`, external: true},
    );
  },
};

await rm('dist', {recursive: true, force: true});
await build({...command, entryPoints: {program: 'cli/bin.ts'}, plugins: [leaveApart]});
const programHash = createHash('sha256')
  .update(await readFile('dist/program.js'))
  .digest('hex')
  .slice(0, 8);
await build({
  ...shared,
  entryPoints: {loopx: 'cli/start.ts'},
  outdir: 'dist',
  format: 'cjs',
  define: {__programHash: JSON.stringify(programHash)},
});
await build({...command, entryPoints: apart, footer: {js: nodeDefault}});
await build({
  ...shared,
  entryPoints: {index: 'lib/index.ts'},
  outdir: 'dist',
  format: 'esm',
  packages: 'external',
  outExtension: {'.js': '.mjs'},
});
await writeFile('dist/package.json', '{"type": "commonjs"}\n');
await chmod('dist/loopx.js', 0o755);
