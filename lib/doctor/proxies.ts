// Proxies on this machine that agents are told to go through: one that isn't running makes every round fail, and some
// agents then wait for ever. Addresses elsewhere are not tried: that would be talk on the network.
import {connect} from 'node:net';
import {bad, good, type Sign} from './finding.ts';
import type {Patient} from './patient.ts';

const variables = [
  ...['ANTHROPIC_BASE_URL', 'OPENAI_BASE_URL', 'HTTPS_PROXY', 'https_proxy', 'HTTP_PROXY', 'http_proxy'],
  ...['ALL_PROXY', 'all_proxy'],
];

const answerMs = 1000;

export async function examineProxies({world: {env}}: Patient): Promise<readonly Sign[]> {
  const signs = variables.map(async (name): Promise<readonly Sign[]> => {
    const value = env[name];
    if (!value) return [];
    const url = parse(value);
    if (!url) return [bad(`${name} is set, but not to an address.`, `Mend it, or run: unset ${name}`)];
    if (!isLoopback(url.hostname)) return [];
    // The address alone: what stands before or after it may be a password.
    const address = `${url.protocol}//${url.host}`;
    const problem = await tryPort(url);
    if (problem === undefined) return [good(`${name} leads to ${address}, where somebody listens.`)];
    return [
      bad(`${name} leads to ${address}, where nobody answers: ${problem}.`, `Start the proxy, or run: unset ${name}`),
    ];
  });
  return (await Promise.all(signs)).flat();
}

function parse(value: string): URL | undefined {
  const text = /^[a-z][a-z0-9+.-]*:\/\//i.test(value) ? value : `http://${value}`;
  return URL.canParse(text) ? new URL(text) : undefined;
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host.endsWith('.localhost') || host === '[::1]' || /^127\./.test(host);
}

const usualPorts: Readonly<Record<string, number>> = {
  'http:': 80,
  'https:': 443,
  'socks:': 1080,
  'socks4:': 1080,
  'socks5:': 1080,
  'socks5h:': 1080,
};

/** Returns why nobody can be reached there, or undefined where somebody can. */
function tryPort(url: URL): Promise<string | undefined> {
  const port = Number(url.port) || (usualPorts[url.protocol] ?? 80);
  const host = url.hostname.replace(/^\[|\]$/g, '');
  return new Promise(resolve => {
    const socket = connect({host, port});
    const end = (problem: string | undefined) => {
      socket.destroy();
      resolve(problem);
    };
    socket.setTimeout(answerMs, () => end(`silence for ${answerMs / 1000} s`));
    socket.once('connect', () => end(undefined));
    socket.once('error', (error: NodeJS.ErrnoException) => {
      end(error.code === 'ECONNREFUSED' ? 'the connection is refused' : error.message || String(error.code));
    });
  });
}
