#!/usr/bin/env node
// The file that is started. It runs the program beside it, and keeps what V8 makes of that program in a third file, so
// that the next start need not read through half a megabyte of code again: that halves the time to `loopx --version`.
// Bundled as CommonJS, see .build.mjs; from source, start bin.ts.
import {createHash} from 'node:crypto';
import {readFileSync, renameSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {Script} from 'node:vm';

declare const __programHash: string;

const digestBytes = 32;
const filename = join(__dirname, 'program.js');
// What V8 makes fits one build of the program and one V8.
const cache = join(__dirname, `program.${__programHash}.${process.version}-${process.arch}.cache`);

const cachedData = readCache();
// The build writes ASCII.
const source = readFileSync(filename, 'latin1');
const script = new Script(`(function(exports,require,module,__filename,__dirname){${source}\n})`, {
  filename,
  ...(cachedData && {cachedData}),
});
// Only functions that have run are kept as code, and these commands run what most others need.
if (!cachedData && ['status', 'todo', 'quota'].includes(process.argv[2] ?? '')) {
  process.on('exit', keep);
}

script.runInThisContext()(exports, require, module, __filename, __dirname);

function readCache(): Buffer | undefined {
  try {
    const file = readFileSync(cache);
    const data = file.subarray(digestBytes);
    // V8 doesn't look closely: data that a power failure has left in part would end the process.
    return digest(data).equals(file.subarray(0, digestBytes)) ? data : undefined;
  } catch {
    return undefined;
  }
}

function keep(): void {
  try {
    const data = script.createCachedData();
    const own = `${cache}.${process.pid}`;
    writeFileSync(own, Buffer.concat([digest(data), data]));
    renameSync(own, cache);
  } catch {
    // Installed where this user may not write: then every start reads the program anew.
  }
}

function digest(data: Buffer): Buffer {
  return createHash('sha256').update(data).digest();
}
