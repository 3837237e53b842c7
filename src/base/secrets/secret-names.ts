// Recognises names of secrets: variables, JSON keys, headers and command options. A name is split into words at `_`, `-`, `.` and camelCase.
// docs/secrets.md states the rules. In doubt the name counts as secret: hiding a harmless value does less damage than showing a secret.

/** The working folder of a shell. In any other spelling, `pwd` is a password. */
const folders = new Set(['PWD', 'OLDPWD']);

/** A word with this ending is secret at any position in the name. */
const strong =
  /(?:password|passwd|passphrase|secret|credential|apikey|accesskey|privatekey)s?$|(?:authorization|token)$/;

/** Exceptions: if a name ends with one of these words, the value only describes the secret. */
const descriptions = words(
  'file path dir folder url uri endpoint name type kind count length limit size budget usage used id ttl expiry expires expiration ' +
    'at policy format header field prefix suffix enabled required supported mode method provider version sock socket host port env var variable ' +
    'scheme algorithm alg scope scopes status store manager index offset position',
);

/** Tokens that are a position in a list or a text, not secrets. */
const places = 'progress page next previous prev start continuation sync resumption pagination cursor eos bos pad stop';
const placeToken = new RegExp(`(?:${places.replaceAll(' ', '|')})token$`);

/** Words that are secret at the end of a name. */
const atTheEnd = words('auth bearer cookie cookies creds pass pwd');
/** Words that are secret at the end of variables and options only: in JSON they often mean something else. */
const atTheEndOfVariables = words('pat pin');
const notAPass = words('by first second single multi render');

/** Kinds of keys that are secret. */
const secretKey =
  /(?:account|admin|app|auth|client|crypt|decryption|deploy|encryption|functions?|hmac|host|license|master|service|session|shared|signing|ssh|storage|subscription|webhook)keys?$/;
/** Kinds of keys that are not secret, in names of variables and options. */
const publicKey = words(
  'cache column foreign group hot idempotency index lookup object partition primary public query row short sort unique',
);

const manyTokens = /(?:access|api|auth|bearer|id|refresh|session)tokens$/;
const anyStem = /token|secret|pass|pwd|key|cred|auth|cookie|bearer|pat|pin/i;

export function isSecretName(name: string): boolean {
  if (!anyStem.test(name) || folders.has(name)) return false;
  const parts = wordsOf(name);
  const last = parts.at(-1);
  if (last === undefined || (parts.length > 1 && descriptions.has(last))) return false;
  const joined = parts.join('');
  if (placeToken.test(joined)) return false;
  if (parts.some((word) => strong.test(word)) || manyTokens.test(joined)) return true;
  const before = parts.at(-2) ?? '';
  if (atTheEnd.has(last)) return !(last === 'pass' && notAPass.has(before));
  if (secretKey.test(joined)) return true;
  if (!isVariable(name)) return false;
  return atTheEndOfVariables.has(last) || ((last === 'key' || last === 'keys') && !publicKey.has(before));
}

/** Whether the name is written like a variable (`GITHUB_PAT`) or an option (`--key`). */
function isVariable(name: string): boolean {
  return name.startsWith('-') || !/[a-z]/.test(name);
}

/** Numbers at the end are ignored: `PASSWORD_2`. */
function wordsOf(name: string): string[] {
  return name
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1 $2')
    .replace(/(?<![\W_\d])[\W_\d]+$/, '') // the look-behind limits matching to one start per run, so the time is linear
    .toLowerCase()
    .replace(/(api|access|private)[\W_]+(?=keys?(?:[\W_]|$))/g, '$1')
    .split(/[\W_]+/)
    .filter((word) => word !== '');
}

function words(list: string): ReadonlySet<string> {
  return new Set(list.split(' '));
}
