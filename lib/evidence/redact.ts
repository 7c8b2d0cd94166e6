// Takes what looks like a secret out of a text before it becomes part of history, where nothing can be taken back. It
// looks for the shapes that issuers gave their tokens, and for values that a name calls a secret; random-looking text
// as such stays, since object ids and ULIDs are just that. Texts may be JSON, where a quote is `\"` and a line end `\n`.
//
// Texts come from agents, so the time must not explode: no pattern can start twice in one run of the characters that it
// repeats (that is what the look-behinds are for), and repetitions of different parts exclude each other.
import {redactKeys} from './redact-keys.ts';

type Rule = {readonly kind: string; readonly pattern: RegExp};

/** Before a token: no letter, digit, `_` or `-`, unless it is the letter of an escape such as `\n`. */
const start = '(?:(?<![A-Za-z0-9_-])|(?<=\\\\[nrtbf]))';
const end = '(?![A-Za-z0-9_-])';

const rules: readonly Rule[] = [
  {kind: 'Anthropic key', pattern: token('sk-ant-[A-Za-z0-9_-]{16,}')},
  {kind: 'OpenAI key', pattern: token('sk-(?=[A-Za-z_-]*[0-9])[A-Za-z0-9_-]{20,}')},
  {kind: 'Stripe key', pattern: token('(?:sk|rk|pk)_(?:live|test)_[A-Za-z0-9]{16,}')},
  {kind: 'Stripe key', pattern: token('whsec_[A-Za-z0-9+/=]{24,}')},
  {kind: 'GitHub token', pattern: token('gh[pousr]_[A-Za-z0-9]{30,}')},
  {kind: 'GitHub token', pattern: token('github_pat_[A-Za-z0-9_]{22,}')},
  {kind: 'GitLab token', pattern: token('gl(?:pat|ptt|dt|rt|cbt|ft|soat|agent|oas|imt)-[A-Za-z0-9_-]{16,}')},
  {kind: 'Slack token', pattern: token('xox[abeoprs](?:\\.xox[abeoprs])?-[A-Za-z0-9-]{10,}')},
  {kind: 'Slack token', pattern: token('xapp-[A-Za-z0-9-]{10,}')},
  {kind: 'Slack webhook', pattern: /(?<=hooks\.slack\.com\/(?:services|workflows)\/)[A-Za-z0-9_/-]{20,}/g},
  {kind: 'AWS key', pattern: token(`(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}${end}`)},
  {kind: 'Google key', pattern: token(`AIza[A-Za-z0-9_-]{35}${end}`)},
  {kind: 'Google token', pattern: token('ya29\\.[A-Za-z0-9_-]{20,}')},
  {kind: 'Google secret', pattern: token('GOCSPX-[A-Za-z0-9_-]{20,}')},
  {kind: 'npm token', pattern: token('npm_[A-Za-z0-9]{36,}')},
  {kind: 'PyPI token', pattern: token('pypi-[A-Za-z0-9_-]{50,}')},
  {kind: 'Hugging Face token', pattern: token('hf_[A-Za-z0-9]{30,}')},
  {kind: 'DigitalOcean token', pattern: token('do[opr]_v1_[a-f0-9]{64}')},
  {kind: 'SendGrid key', pattern: token('SG\\.[A-Za-z0-9_-]{16,}\\.[A-Za-z0-9_-]{30,}')},
  {kind: 'age key', pattern: token('AGE-SECRET-KEY-1[A-Z0-9]{50,}')},
  {kind: 'JWT', pattern: token('eyJ[A-Za-z0-9_-]{8,}\\.eyJ[A-Za-z0-9_-]{8,}\\.[A-Za-z0-9_-]*')},
];

// The name may go before (`DB_PASSWORD`) and after (`SECRET_KEY_BASE`); `tokens` and `token_count` are something else.
const names =
  '(?:pass(?:word|wd|phrase)|pwd|secret|token|api[_-]?key|access[_-]?key|account[_-]?key|private[_-]?key|signing[_-]?key|' +
  'encryption[_-]?key|authorization|credential)(?:[_-]?key)?(?:[_-]?base)?';

type Values = {readonly pattern: RegExp; readonly isSecret: (value: string, before: string) => boolean};

const plain = '([^\\s"\'`,;&|<>()[\\]{}\\\\$]{8,})';

// Each pattern has two groups: what stands before, and the value.
const values: readonly Values[] = [
  // "password": "…", with the escapes of its string
  {pattern: named(`["']?\\s{0,4}[:=]>?\\s{0,4}"`, '((?:[^"\\\\\\n]|\\\\.){8,20000})'), isSecret: isValue},
  {pattern: named(`["']?\\s{0,4}[:=]>?\\s{0,4}'`, "([^'\\\\\\n]{8,})"), isSecret: isValue},
  // The same inside of a string: \"password\": \"…\"
  {
    pattern: named(`\\\\{1,3}["']\\s{0,4}[:=]\\s{0,4}\\\\{1,3}["']`, `([^"'\\\\\\n]{8,})`),
    isSecret: isValue,
  },
  // PASSWORD=…, and --password=…
  {pattern: named('=', plain), isSecret: (value, before) => isValue(value, before) && !isPath(value, before)},
  // password: …, and password = …, where prose and program code look alike
  {
    pattern: named(`(?:\\\\{0,3}["'])?(?:\\s{0,4}:\\s{0,4}|\\s{1,4}=\\s{1,4})`, plain),
    isSecret: (value, before) =>
      isValue(value, before) && !isPath(value, before) && (/\d/.test(value) || value.length >= 24),
  },
  {pattern: /(\bbearer\s{1,4})([A-Za-z0-9._~+/=-]{16,})/gi, isSecret: value => /\d/.test(value)},
  {
    pattern: /(\bauthorization\\{0,3}["']?\s{0,4}:\s{0,4}\\{0,3}["']?basic\s{1,4})([A-Za-z0-9+/=]{6,})/gi,
    isSecret: () => true,
  },
];

/** Returns the text with each secret replaced by `[redacted KIND]`. Doing it again changes nothing. */
export function redact(text: string): string {
  // Most texts are short and hold nothing of the kind.
  if (text.length < 8) return text;
  let clean = redactKeys(text);
  for (const {kind, pattern} of rules) clean = clean.replace(pattern, `[redacted ${kind}]`);
  clean = clean.replace(urlPassword, (_, before: string) => `${before}[redacted password]`);
  for (const {pattern, isSecret} of values) {
    clean = clean.replace(pattern, (whole, before: string, value: string, at: number, text: string) => {
      // `token = readToken(file)`
      const isCall = text[at + whole.length] === '(';
      return !isCall && isSecret(value, before) ? `${before}[redacted ${kindOf(before)}]` : whole;
    });
  }

  return clean;
}

/** https://user:password@host; a scheme is no longer than this, and neither is a name. */
const urlPassword = /(:\/\/[^\s:@/"'<>\\]{0,200}:)[^\s@/"'<>\\[]{1,500}(?=@)/g;

function token(pattern: string): RegExp {
  return new RegExp(start + pattern, 'g');
}

function named(between: string, value: string): RegExp {
  return new RegExp(`(${names}${between})${value}`, 'gi');
}

function isValue(value: string, before: string): boolean {
  if (value.includes('[redacted ')) return false;
  // A count of tokens is none.
  if (/token/i.test(before) && /^\d+$/.test(value)) return false;
  // `${{ secrets.NPM }}`, `<your password>`, `process.env.PASSWORD`, `********`
  return !/^(?:[$<{%]|process\.env|os\.environ|(.)\1*$)/.test(value) && !/^\s*(?:bearer|basic)\s/i.test(value);
}

/** A secret that is a key of base64 may begin with a slash too. */
function isPath(value: string, before: string): boolean {
  return !/key/i.test(before) && /^(?:~|\.{1,2})?\//.test(value) && !/[+=]/.test(value);
}

function kindOf(before: string): string {
  if (/pass|pwd/i.test(before)) return 'password';
  if (/bearer|token|authorization/i.test(before)) return 'token';
  if (/key/i.test(before)) return 'key';
  return 'secret';
}
