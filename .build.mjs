// Bundles each entry into one file, so that `loopx` starts in about the time of `node -e 0`.
// Modules behind a dynamic import stay unevaluated inside the file until a command asks for them.
import {chmod, rm} from 'node:fs/promises';
import {build} from 'esbuild';

await rm('dist', {recursive: true, force: true});

const shared = {
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node20.19',
  legalComments: 'none',
  logLevel: 'warning',
  // Bundled CommonJS packages call require() for Node's own modules.
  banner: {
    js: "import {createRequire as __createRequire} from 'node:module';const require=__createRequire(import.meta.url);",
  },
};

await build({...shared, entryPoints: {loopx: 'cli/bin.ts'}, outdir: 'dist', minify: true, keepNames: true});
await build({...shared, entryPoints: {index: 'lib/index.ts'}, outdir: 'dist', packages: 'external'});
await chmod('dist/loopx.js', 0o755);
