// Repositories over smart HTTP, as hosts serve them: a small web server around `git http-backend`, on loopback. What
// makes remotes hard can be switched on and off between two requests: slow, down, full, asking for a password, hiding
// refs. The server runs in the process of the test, so whoever talks to it must be awaited, never run synchronously.
import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {createServer, type IncomingMessage, type ServerResponse} from 'node:http';
import type {AddressInfo} from 'node:net';
import {setTimeout as sleep} from 'node:timers/promises';
import type {ExecutionContext} from 'ava';

/** How the server behaves; what isn't named is as with an ordinary host that takes pushes. */
export type Behaviour = {
  /** Waits so long before each packet of an answer. */
  readonly slowMs?: number;
  /** Answers 401 to whoever does not send these. */
  readonly login?: {readonly user: string; readonly password: string};
  /** Ends each connection without an answer. */
  readonly down?: boolean;
  /** Answers nothing but this status, such as 503. */
  readonly fails?: number;
  /** Prefixes of refs that it neither lists nor takes, as by `transfer.hideRefs`. */
  readonly hides?: readonly string[];
  /** Takes no push: 403, as for whoever may only read. */
  readonly readOnly?: boolean;
  /** More of git's configuration on the server, such as `['receive.maxInputSize', '1']`. */
  readonly config?: readonly (readonly [key: string, value: string])[];
};

export type HttpGit = {
  /** Returns the URL of a repository by its path below the folder, without any login. */
  readonly url: (path: string) => string;
  /** What was asked so far: `GET /code.git/info/refs?service=git-upload-pack`. */
  readonly requests: readonly string[];
  /** Behaves so from the next request on. */
  readonly behave: (behaviour: Behaviour) => void;
};

/**
 * Serves the repositories below `folder` until the test ends.
 *
 * @param env - The environment of git on the server, such as that of a `tempRepo`.
 */
export async function serveGit(
  t: ExecutionContext,
  folder: string,
  env: Readonly<Record<string, string>>,
  first: Behaviour = {},
): Promise<HttpGit> {
  let behaviour = first;
  const requests: string[] = [];
  const server = createServer((request, response) => {
    requests.push(`${request.method} ${request.url}`);
    answer(request, response, {folder, env, behaviour}).catch(() => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  const {port} = server.address() as AddressInfo;
  return {
    url: path => `http://127.0.0.1:${port}/${path}`,
    requests,
    behave: next => {
      behaviour = next;
    },
  };
}

type Served = {
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
  readonly behaviour: Behaviour;
};

async function answer(request: IncomingMessage, response: ServerResponse, served: Served): Promise<void> {
  const {down, fails, login, slowMs = 0} = served.behaviour;
  if (down) return void request.socket.destroy();
  const wanted = login && `Basic ${Buffer.from(`${login.user}:${login.password}`).toString('base64')}`;
  const isRefused = wanted !== undefined && request.headers.authorization !== wanted;
  if (fails !== undefined || isRefused) {
    // The body is read to its end, or the client sees a broken pipe in place of the status.
    request.resume();
    const headers = isRefused ? {'www-authenticate': 'Basic realm="git"'} : {};
    return void response.writeHead(isRefused ? 401 : fails!, headers).end();
  }

  const child = spawn('git', ['http-backend'], {env: gatewayEnv(request, served), stdio: ['pipe', 'pipe', 'ignore']});
  child.stdin.on('error', () => {});
  request.pipe(child.stdin);
  response.on('close', () => child.kill());
  let head: Buffer | undefined = Buffer.alloc(0);
  for await (const chunk of child.stdout as AsyncIterable<Buffer>) {
    await sleep(slowMs);
    let body = chunk;
    if (head) {
      head = Buffer.concat([head, chunk]);
      const end = head.indexOf('\r\n\r\n');
      if (end < 0) continue;
      writeHead(response, head.subarray(0, end).toString());
      body = head.subarray(end + 4);
      head = undefined;
    }

    response.write(body);
  }

  if (head) response.writeHead(500);
  response.end();
}

// What a web server tells its programs, by the names that CGI has for it.
function gatewayEnv(request: IncomingMessage, {folder, env, behaviour}: Served): Record<string, string> {
  const {pathname, search} = new URL(request.url ?? '/', 'http://localhost');
  const header = (name: string) => String(request.headers[name] ?? '');
  const {hides = [], config = [], readOnly = false} = behaviour;
  const settings = [
    ['http.receivepack', String(!readOnly)],
    ['gc.auto', '0'],
    ...hides.map(prefix => ['transfer.hideRefs', prefix] as const),
    ...config,
  ] as const;
  const length = header('content-length');
  return {
    ...env,
    GIT_PROJECT_ROOT: folder,
    GIT_HTTP_EXPORT_ALL: '1',
    PATH_INFO: decodeURIComponent(pathname),
    QUERY_STRING: search.slice(1),
    REQUEST_METHOD: request.method ?? 'GET',
    REMOTE_ADDR: '127.0.0.1',
    CONTENT_TYPE: header('content-type'),
    // Without a length, as in a push of many objects, it reads to the end.
    ...(length !== '' && {CONTENT_LENGTH: length}),
    HTTP_CONTENT_ENCODING: header('content-encoding'),
    GIT_PROTOCOL: header('git-protocol'),
    GIT_CONFIG_COUNT: String(settings.length),
    ...Object.fromEntries(
      settings.flatMap(([key, value], index) => [
        [`GIT_CONFIG_KEY_${index}`, key],
        [`GIT_CONFIG_VALUE_${index}`, value],
      ]),
    ),
  };
}

function writeHead(response: ServerResponse, head: string): void {
  const fields = head
    .split('\r\n')
    .map(line => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1).trim()]);
  const status = fields.find(([name]) => name!.toLowerCase() === 'status')?.[1];
  for (const [name, value] of fields) if (name!.toLowerCase() !== 'status') response.setHeader(name!, value!);
  response.writeHead(status ? Number.parseInt(status, 10) : 200);
  // Or a slow answer would hold back its first word.
  response.flushHeaders();
}
