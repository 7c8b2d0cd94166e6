// Reading objects: one `git cat-file --batch` a repository, asked as often as needed and closed at the end.
import {spawn} from 'node:child_process';
import {Failure} from '../failure.ts';
import type {Git} from './command.ts';

export type GitObject = {readonly id: string; readonly type: string; readonly content: Buffer};

export type ObjectReader = {
  /** Returns the object of each name, such as `<commit>:<path>`; undefined where there is none. */
  readonly read: (names: readonly string[]) => Promise<readonly (GitObject | undefined)[]>;
  /** Starts the process ahead of the first question. */
  readonly warm: () => void;
  readonly close: () => void;
};

type Waiting = {
  readonly resolve: (object: GitObject | undefined) => void;
  readonly reject: (error: Error) => void;
};

/** Returns a reader of objects; its process starts with the first question. */
export function openObjects(git: Git): ObjectReader {
  let child: ReturnType<typeof startBatch> | undefined;
  const running = () => {
    if (child) return child;
    const started = startBatch(git, () => {
      if (child === started) child = undefined;
    });
    child = started;
    return started;
  };
  return {
    read: names => Promise.all(names.map(running().ask)),
    warm: () => void running(),
    close() {
      child?.end();
      child = undefined;
    },
  };
}

function startBatch(git: Git, onEnd: () => void) {
  const child = spawn('git', ['cat-file', '--batch'], {
    ...{cwd: git.dir, env: git.env, windowsHide: true},
    // In a session of its own, where Ctrl-C does not reach it before it reaches us.
    detached: true,
  });
  const waiting: Waiting[] = [];
  // While nobody waits for an answer, the process keeps nobody's program from ending: it ends itself, once its input does.
  type Holder = Readonly<Record<'ref' | 'unref', () => void>>;
  const streams = [child, child.stdin, child.stdout, child.stderr] as unknown as readonly Holder[];
  const hold = (verb: 'ref' | 'unref') => {
    for (const stream of streams) stream[verb]();
  };
  hold('unref');
  let chunks: Buffer[] = [];
  let lengthBytes = 0;
  let neededBytes = 1;
  let errors = '';

  const fail = (message: string, cause?: unknown) => {
    onEnd();
    const failure = new Failure('git-failed', `git cat-file failed: ${message}`, {
      hint: 'Run `loopx doctor` to see what is wrong with the repository.',
      cause,
    });
    for (const each of waiting.splice(0)) each.reject(failure);
  };
  child.stdout.on('data', (chunk: Buffer) => {
    chunks.push(chunk);
    lengthBytes += chunk.length;
    if (lengthBytes < neededBytes) return;
    let data = chunks.length === 1 ? chunk : Buffer.concat(chunks);
    for (let answer = nextAnswer(data); ; answer = nextAnswer(data)) {
      if ('neededBytes' in answer) {
        neededBytes = answer.neededBytes;
        break;
      }

      data = data.subarray(answer.takenBytes);
      waiting.shift()?.resolve(answer.object);
    }

    chunks = data.length > 0 ? [data] : [];
    lengthBytes = data.length;
    if (waiting.length === 0) hold('unref');
  });
  child.stderr.on('data', (chunk: Buffer) => {
    errors += chunk.toString();
  });
  child.stdin.on('error', () => {});
  child.on('error', error => fail(error.message, error));
  child.on('close', status => fail(errors.trim().split('\n').at(-1) || `it ended with ${status}`));

  return {
    ask: (name: string) =>
      new Promise<GitObject | undefined>((resolve, reject) => {
        if (/[\n\0]/.test(name)) return resolve(undefined);
        if (waiting.length === 0) hold('ref');
        waiting.push({resolve, reject});
        child.stdin.write(`${name}\n`);
      }),
    end: () => void child.stdin.end(),
  };
}

function nextAnswer(data: Buffer): {neededBytes: number} | {takenBytes: number; object: GitObject | undefined} {
  const lineEnd = data.indexOf(10);
  if (lineEnd < 0) return {neededBytes: data.length + 1};
  const words = data.toString('utf8', 0, lineEnd).split(' ');
  const [id = '', type = '', size = ''] = words;
  if (words.length !== 3 || !/^\d+$/.test(size) || !/^[0-9a-f]{40,64}$/.test(id)) {
    return {takenBytes: lineEnd + 1, object: undefined};
  }

  const end = lineEnd + 1 + Number(size);
  if (data.length < end + 1) return {neededBytes: end + 1};
  return {takenBytes: end + 1, object: {id, type, content: data.subarray(lineEnd + 1, end)}};
}

/** Returns the entries of a tree object, whose ids are of the given length in bytes. */
export function treeEntries(
  tree: GitObject,
): readonly {readonly name: string; readonly mode: string; readonly id: string}[] {
  const idBytes = tree.id.length / 2;
  const entries = [];
  for (let at = 0; at < tree.content.length; ) {
    const end = tree.content.indexOf(0, at);
    const [mode = '', ...name] = tree.content.toString('utf8', at, end).split(' ');
    entries.push({mode, name: name.join(' '), id: tree.content.toString('hex', end + 1, end + 1 + idBytes)});
    at = end + 1 + idBytes;
  }

  return entries;
}
