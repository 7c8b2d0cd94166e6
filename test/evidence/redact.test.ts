import {createHash} from 'node:crypto';
import test from 'ava';
import fc from 'fast-check';
import {redact} from '../../lib/evidence/redact.ts';

const base64 = (length: number) => {
  return fc.string({
    unit: fc.constantFrom(...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'),
    minLength: length,
    maxLength: length,
  });
};
// A token always has a digit somewhere.
const body = (length: number) => base64(length - 1).map(text => `${text.slice(0, 9)}7${text.slice(9)}`);
const upper = (length: number) => body(length).map(text => text.toUpperCase());
const hex = (length: number) =>
  fc.nat().map(n => createHash('sha512').update(String(n)).digest('hex').slice(0, length));

// Put together from parts, so that no scanner takes the test for a leak.
const tokens: Record<string, fc.Arbitrary<string>> = {
  'AWS key': upper(16).map(text => `AKIA${text}`),
  'Google key': body(35).map(text => `AIza${text}`),
  'Google token': body(60).map(text => `ya29.${text}`),
  'GitHub token': body(36).map(text => `ghp_${text}`),
  'GitHub token ': body(82).map(text => `github_pat_${text}`),
  'GitLab token': body(20).map(text => `glpat-${text}`),
  'Slack token': body(24).map(text => `xoxb-${'1234567890'}-${text}`),
  'OpenAI key': body(48).map(text => `sk-${text}`),
  'OpenAI key ': body(80).map(text => `sk-proj-${text}`),
  'Anthropic key': body(93).map(text => `sk-ant-api03-${text}`),
  'npm token': body(36).map(text => `npm_${text}`),
  'Stripe key': body(24).map(text => `sk_live_${text}`),
  JWT: fc.tuple(body(30), body(60), body(43)).map(([a, b, c]) => `eyJ${a}.eyJ${b}.${c}`),
};
const anyToken = fc.oneof(...Object.values(tokens));
const keyBlock = fc.array(body(64), {minLength: 2, maxLength: 30}).map(lines => {
  return `-----BEGIN RSA PRIVATE KEY-----\n${lines.join('\n')}\n-----END RSA PRIVATE KEY-----`;
});
const prose = fc.constantFrom(
  '',
  ' ',
  'see ',
  '"',
  "'",
  '\n',
  '(',
  ', ',
  '=',
  ': ',
  'a\n',
  '{"x": "',
  'export X=',
  'ü ',
);

const after = fc.constantFrom('', ' ', '"', "'", '\n', ')', ', ', ': ', '\na', '"}', '@host', 'ü');

test('each kind of token goes, wherever it stands, also in JSON and in JSON in JSON (trap 52)', t => {
  for (const [kind, arbitrary] of Object.entries(tokens)) {
    fc.assert(
      fc.property(arbitrary, prose, after, (token, before, after) => {
        const text = `${before}${token}${after}`;
        for (const form of [text, JSON.stringify({text}), JSON.stringify(JSON.stringify([text]))]) {
          const clean = redact(form);
          t.false(clean.includes(token.slice(8, -8)), clean);
          t.regex(clean, /\[redacted /);
        }

        t.is(redact(`say ${token} now`), `say [redacted ${kind.trim()}] now`);
      }),
      {numRuns: 25},
    );
  }
});

test('JSON stays JSON', t => {
  const value = fc.oneof(
    anyToken,
    keyBlock,
    body(20).map(text => `${text}"\\x`),
    fc.string(),
  );
  const key = fc.constantFrom('password', 'api_key', 'token', 'text', 'Authorization');
  fc.assert(
    fc.property(fc.dictionary(key, value), record => {
      const clean = JSON.parse(redact(JSON.stringify(record)));
      t.deepEqual(Object.keys(clean), Object.keys(JSON.parse(JSON.stringify(record))));
    }),
  );
});

test('doing it again changes nothing', t => {
  const part = fc.oneof(
    anyToken,
    keyBlock,
    prose,
    fc.string(),
    fc.constantFrom('password=', 'token: ', 'Bearer ', 'https://a:'),
  );
  fc.assert(
    fc.property(fc.array(part, {maxLength: 12}), parts => {
      const once = redact(parts.join(''));
      t.is(redact(once), once);
    }),
    {numRuns: 300},
  );
});

test('object ids, ULIDs, UUIDs and paths stay, and so does a text without secrets', t => {
  const ulid = fc.string({unit: fc.constantFrom(...'0123456789ABCDEFGHJKMNPQRSTVWXYZ'), minLength: 26, maxLength: 26});
  const path = fc.array(base64(7), {minLength: 1, maxLength: 5}).map(parts => `/${parts.join('/')}.txt`);
  const word = fc.constantFrom(
    'commit',
    'round',
    'see',
    '"id":',
    'state=',
    'id: ',
    'the task is done',
    'tokens: 41231',
    '{',
    '\\n',
    'key: r-8w2fz6qk',
  );
  const harmless = fc.oneof(hex(40), hex(64), ulid, fc.uuid(), path, word);
  fc.assert(
    fc.property(fc.array(harmless, {maxLength: 12}), parts => {
      const text = parts.join(' ');
      t.is(redact(text), text);
    }),
    {numRuns: 300},
  );
});

const changes = test.macro((t, text: string, clean: string) => t.is(redact(text), clean));

test(
  'a password in the environment',
  changes,
  'DB_PASSWORD=correcthorse NEXT=1',
  'DB_PASSWORD=[redacted password] NEXT=1',
);
test(
  'a secret key in a file',
  changes,
  'aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCY',
  'aws_secret_access_key = [redacted key]',
);
test('a key that begins like a path', changes, 'SECRET_KEY=/alrXUtnFEMI/K7MDENG', 'SECRET_KEY=[redacted key]');
test('a password in YAML', changes, 'password: hunter2hunter2', 'password: [redacted password]');
test('a password in JSON', changes, '{"password": "a \\"b\\" c12"}', '{"password": "[redacted password]"}');
test(
  'a password in JSON in JSON',
  changes,
  '{\\"password\\":\\"hunter2hunter2\\"}',
  '{\\"password\\":\\"[redacted password]\\"}',
);
test(
  'a token of npm',
  changes,
  '//registry.npmjs.org/:_authToken=1234-abcd-5678',
  '//registry.npmjs.org/:_authToken=[redacted token]',
);
test('a header', changes, 'Authorization: Bearer abcdefghijklmnop1234', 'Authorization: Bearer [redacted token]');
test('a basic header', changes, "-H 'Authorization: Basic dXNlcjpwYXNz'", "-H 'Authorization: Basic [redacted token]'");
test('an address', changes, 'https://me:pa55:word@host/x', 'https://me:[redacted password]@host/x');
test('a database', changes, '"postgres://u:secret@db:5432/x"', '"postgres://u:[redacted password]@db:5432/x"');
test(
  'a webhook',
  changes,
  'https://hooks.slack.com/services/T0123/B4567/abcdefghijkl',
  'https://hooks.slack.com/services/[redacted Slack webhook]',
);
test(
  'a key cut off',
  changes,
  '-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQ\nMIIEvQIBADANBgkqhkiG9w0BAQ\nis what it said',
  '[redacted private key]is what it said',
);

const stays = test.macro((t, text: string) => t.is(redact(text), text));

test('a count of tokens stays', stays, '{"tokens": 123456789, "max_token": 128000000, "inputTokens":5000000000}');
test('a reference to a secret stays', stays, 'password: ${{ secrets.PASSWORD }} token=$TOKEN_2 key="process.env.KEY"');
test('a type stays', stays, 'function login(token: AbortSignal, password: SecretString): void');
test('a call stays', stays, 'const token = readToken2(file); password=getPassword1(x)');
test('a file that holds a secret stays', stays, 'password=/run/secrets/db1.txt PWD=/home/me/a-project-2');
test('an address with a port stays', stays, 'http://localhost:8080/a@b and git@github.com:org/repo.git');
test(
  'prose stays',
  stays,
  'The task-runner-with-a-long-name-here2 needs a bearer authentication-scheme; basic things.',
);
test('a mention of private keys stays', stays, 'A file with -----END PRIVATE KEY----- in it.');

test('time grows with the text only, whatever it is', t => {
  const parts = [
    'eyJ',
    'sk-',
    'sk-a',
    'eyJaaaaaaaa.',
    'password=',
    'password="',
    'token: ',
    "secret='\\'",
    'a',
    ' ',
    '\\n',
    '\\"',
    '://a:',
    'Bearer ',
    '-----BEGIN PRIVATE KEY-----',
    '-----BEGIN PRIVATE KEY-----\n',
    'AKIA',
    'ghp_',
    'github_pat_',
    'hooks.slack.com/services/',
    'pwd\\"',
    '=',
    'SG.aaaaaaaaaaaaaaaa.',
    'password:    ',
    '-----BEGIN ',
    'xoxb.xoxb-',
    'whsec_',
    'authorization: basic ',
  ];
  for (const part of parts) {
    const text = part.repeat(Math.ceil(300_000 / part.length));
    const start = performance.now();
    redact(text);
    const tookMs = performance.now() - start;
    t.true(tookMs < 1500, `${JSON.stringify(part)}: ${tookMs} ms`);
  }
});
