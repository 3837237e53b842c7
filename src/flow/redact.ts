// Takes secrets out of what is about to be written or shown: values of `env`, whatever stands under a name that promises
// a secret (secret-names.ts), and configured JSON paths. In JSON only values change and the document stays valid; in
// other text `name: value`, `name=value`, `Bearer …` and the password of an address are found.
// Known shortcuts: a value of `env` that a frame too long to be kept was cut inside of; a secret that is encoded
// (base64, URL escapes) or spelled with needless escapes; anything only its owner would recognise.

import { parseJsonPath } from './json-path.ts';
import { isJson, type JsonRules, REDACTED, redactJson } from './redact-json.ts';
import { isSecretName, secretEndingSource } from './secret-names.ts';

export interface RedactOptions {
  /** Hides the values of the server's `env` in a text (process/mask-values.ts). */
  mask?: (text: string) => string;
  /** Keys that are secret beside the well-known ones. */
  keys?: readonly string[];
  /** Places in a message whose values are secret, such as `params.arguments.card` or `**.ssn`. */
  paths?: readonly string[];
}

/** Returns the very same string where there was nothing to hide. */
export type Redact = (text: string) => string;

const maybeSecret = new RegExp(`${secretEndingSource}|bearer|basic|private key|://|\\\\u00`, 'i');
const beginsAsMessage = /^\s*(?:\{\s*["}]|\[\s*\{\s*")/;
const pairs = new RegExp(
  `(?<![\\w.-])([\\w.-]{0,64}${secretEndingSource})(\\\\*["'\`]?\\s{0,8}[:=]\\s{0,8})` +
    `(?:(\\\\*["'\`])([^\\n]{0,16384}?)(?:\\3|$)|(?:(?:Bearer|Basic|Token|Digest)\\s+)?[^\\s"'\`\\\\,;&)}\\]{[]+)`,
  'gi',
);
const options = new RegExp(`(?<!\\S)(--?[\\w.-]{0,64}${secretEndingSource}\\s+)('[^']*'|[^\\s'-]\\S*)`, 'gi');
const schemes = /\b(Bearer|Basic)\s+[\w.~+/=-]{8,}/gi;
const privateKeys = /(-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----)[^-]+/g;
const addresses = /(:\/\/[^\s/:@"'\\]{0,256}:)[^\s/@"'\\]{1,1024}@/g;

export function redactor({ mask = (text) => text, keys = [], paths = [] }: RedactOptions = {}): Redact {
  const extra = new Set(keys.map((key) => key.toLowerCase()));
  const inText: Redact = (text) => mask(maybeSecret.test(text) ? redactText(text) : text);
  const rules: JsonRules = {
    isSecret: (key) => isSecretName(key) || extra.has(key.toLowerCase()),
    paths: paths.map(parseJsonPath),
    redactString: inText,
  };
  const always = extra.size > 0 || paths.length > 0;
  return (text) => {
    if (!always && !maybeSecret.test(text) && mask(text) === text) return text;
    return beginsAsMessage.test(text) || isJson(text) ? redactJson(text, rules) : inText(text);
  };
}

function redactText(text: string): string {
  return text
    .replace(pairs, (whole, name: string, separator: string, quote: string | undefined) =>
      isSecretName(name) ? `${name}${separator}${quote ?? ''}${REDACTED}${quote ?? ''}` : whole,
    )
    .replace(options, (whole, option: string) => (isSecretName(option.trim()) ? `${option}${REDACTED}` : whole))
    .replace(schemes, `$1 ${REDACTED}`)
    .replace(privateKeys, `$1${REDACTED}`)
    .replace(addresses, `$1${REDACTED}@`);
}
