// Trees of a repository behind HTTP, read without a clone and without a git binary: the list of its refs is one
// request, the newest commit of one of them with its tree another. isomorphic-git speaks the protocol; what it fetches
// stays in memory. It can't read SHA-256, and knows none of the user's proxies and credentials.
import {Failure} from '../failure.ts';
import {memoryFiles} from './memory-files.ts';

export type RemoteTrees = {
  /** The commits that the remote's refs point to, by full name. */
  readonly refs: ReadonlyMap<string, string>;
  /** Returns the texts of those of the files that a listed commit has. */
  readonly read: (commit: string, paths: readonly string[]) => Promise<ReadonlyMap<string, string>>;
  /** Returns the paths of the files in one folder of a listed commit's tree; `''` means the whole tree. */
  readonly paths: (commit: string, folder: string) => Promise<readonly string[]>;
};

export type HttpCall = {
  readonly url: string;
  /** The refs to look at, such as `refs/loopx/goals/`. */
  readonly prefix: string;
  /** How long the whole of it may take. */
  readonly limitMs: number;
  readonly signal?: AbortSignal;
};

const gitdir = '/repository';

/**
 * Asks for a remote's refs.
 *
 * @throws {Failure} `io-failed` where it can't be read in this way; `interrupted`.
 */
export async function openHttpTrees(call: HttpCall): Promise<RemoteTrees> {
  const {url, prefix} = call;
  const git = await import('isomorphic-git');
  const limit = AbortSignal.timeout(call.limitMs);
  const signal = call.signal ? AbortSignal.any([call.signal, limit]) : limit;
  const http = {request: (request: HttpRequest) => ask(request, signal)};
  const fs = memoryFiles();
  const cache = {};
  const tried = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      if (call.signal?.aborted) throw new Failure('interrupted', 'Interrupted.', {cause: error});
      throw httpFailure(url, limit.aborted ? new Error('it takes too long to answer') : (error as Error));
    }
  };

  const listed = await tried(() => git.listServerRefs({http, url, prefix, protocolVersion: 2}));
  const refs = new Map(listed.map(({ref, oid}) => [ref, oid]));
  const fetched = new Map<string, Promise<unknown>>();
  const fetchOnce = (commit: string) => {
    const fetching = fetched.get(commit) ?? tried(() => fetchTip(commit));
    fetched.set(commit, fetching);
    return fetching;
  };
  const fetchTip = async (commit: string) => {
    const ref = [...refs].find(([, oid]) => oid === commit)?.[0] ?? commit;
    // It wants a repository with a remote, however small.
    await git.init({fs, gitdir, bare: true});
    await git.addRemote({fs, gitdir, remote: 'origin', url, force: true});
    const asking = {request: async (request: HttpRequest) => withHead(await ask(request, signal), commit)};
    const what = {remote: 'origin', remoteRef: ref, ref, depth: 1, singleBranch: true, tags: false};
    await git.fetch({fs, http: asking, gitdir, cache, ...what});
  };

  const paths: RemoteTrees['paths'] = async (commit, folder) => {
    await fetchOnce(commit);
    const tree = await orMissing(() => git.readTree({fs, gitdir, cache, oid: commit, filepath: folder || undefined}));
    const inner = (tree?.tree ?? []).map(async ({path: name, type}) => {
      const path = folder === '' ? name : `${folder}/${name}`;
      return type === 'tree' ? paths(commit, path) : [path];
    });
    return (await Promise.all(inner)).flat();
  };

  return {
    refs,
    paths,
    async read(commit, wanted) {
      await fetchOnce(commit);
      const texts = await Promise.all(
        wanted.map(async filepath => {
          const blob = await orMissing(() => git.readBlob({fs, gitdir, cache, oid: commit, filepath}));
          return blob ? [[filepath, Buffer.from(blob.blob).toString()] as const] : [];
        }),
      );
      return new Map(texts.flat());
    },
  };
}

// What a tree doesn't have is an answer; a lost object is not.
async function orMissing<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    const {code, data} = error as {code?: string; data?: {what?: string}};
    const isAbsent = code === 'NotFoundError' && /file or directory/.test(data?.what ?? '');
    if (isAbsent || code === 'ObjectTypeError') return undefined;
    throw error;
  }
}

type HttpRequest = {
  readonly url: string;
  readonly method?: string;
  readonly headers?: Record<string, string>;
  readonly body?: AsyncIterable<Uint8Array>;
};

async function ask({url, method = 'GET', headers = {}, body}: HttpRequest, signal: AbortSignal) {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body ?? []) chunks.push(chunk);
  // Some hosts answer a program of git's name only.
  const named = {...headers, 'user-agent': 'git/loopx'};
  const answer = await fetch(url, {method, headers: named, signal, ...(body && {body: Buffer.concat(chunks)})});
  return {
    url: answer.url,
    method,
    statusCode: answer.status,
    statusMessage: answer.statusText,
    headers: Object.fromEntries(answer.headers),
    body: answer.body as unknown as AsyncIterableIterator<Uint8Array>,
  };
}

// isomorphic-git fetches nothing from a repository whose HEAD is unborn: it looks for HEAD in the list of refs once all is
// there. A list that lacks it is given one; nobody looks at where it points.
async function withHead(answer: Awaited<ReturnType<typeof ask>>, commit: string) {
  if (!/-advertisement$/.test(answer.headers['content-type'] ?? '')) return answer;
  const chunks: Uint8Array[] = [];
  for await (const chunk of answer.body) chunks.push(chunk);
  const list = Buffer.concat(chunks).toString('latin1');
  const line = `${commit} HEAD\n`;
  const length = (line.length + 4).toString(16).padStart(4, '0');
  const whole = / HEAD[\0\n]/.test(list) ? list : list.replace(/0000$/, `${length}${line}0000`);
  return {...answer, body: [Buffer.from(whole, 'latin1')] as unknown as AsyncIterableIterator<Uint8Array>};
}

function httpFailure(url: string, error: Error): Failure {
  const cause = (error.cause as Error | undefined)?.message;
  const said = cause && error.message === 'fetch failed' ? cause : error.message;
  return new Failure('io-failed', `${withoutLogin(url)} can't be read: ${said.replace(/\.$/, '')}.`, {cause: error});
}

/** Returns a URL without the name and password that it may hold. */
export function withoutLogin(url: string): string {
  return url.replace(/^([a-z][a-z0-9+.-]*:\/\/)[^/@]*@/i, '$1');
}
