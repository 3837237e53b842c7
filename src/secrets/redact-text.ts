// Redacts secrets in text that is not JSON. They are found by the name before them (`name: value`, `name=value`, `--name value`) or
// by their form (`Bearer …`, a password in a URL, private keys, keys of well-known services). Linear in the length of the text.

import { REDACTED } from './mask-values.ts';
import { isSecretName } from './secret-names.ts';

// Together these match every text that contains a secret by the rules below, and few others. Every outgoing frame is tested; one
// combined pattern takes twice the time.
const behindName = '[\\w.-]{0,32}\\\\*["\'`]?\\s{0,8}[:=\\s]';
const longSigns = /token|secret|cookie|bearer|passw|passphrase|cred(?:ential|s)|authorization|basic\s/i;
const shortNames = new RegExp(`(?:[\\w.-]key|auth|pass|pwd)${behindName}`, 'i');
const variableNames = new RegExp(`(?:KEY|PIN|PAT)${behindName}`);
const serviceKeys =
  /\b(?:sk-|gh[opsur]_|github_pat_|glpat-|xox[a-z]-|npm_|hf_|AIza|AKIA|ASIA|ya29\.|eyJ[\w-]{8,}\.eyJ|sp_(?=[\w-]{43}(?![\w-])))[\w.-]{8,}/g;
const anyServiceKey = new RegExp(serviceKeys.source);

const named = /(?<![\w.-])([\w.-]{1,80})(\\*["'`]?\s{0,8}[:=]\s{0,8})/g;
const valueBehind = /(\\*["'`])([^\n]{0,16384}?)(?:\1|$)|((?:(?:Bearer|Basic|Token|Digest)\s+)?[^\s"'`\\,;&)}\]{[]+)/y;
/** `${NAME}`, which the program that reads it expands: the name is no secret. */
const variable = /(?:(?:Bearer|Basic|Token|Digest)\s+)?\$\{[\w:.-]{1,80}\}(?![^\s"'`\\,;&)}\]])/y;
const options = /(?<!\S)(--?[A-Za-z][\w.-]{0,80}\s+)('[^']*'|[^\s'-]\S*)/g;
/** A challenge (`WWW-Authenticate`) names its scheme too, and has parameters and no credential behind it. */
const schemes = /\b(Bearer|Basic)\s+(?!(?:realm|scope|error|error_\w{3,11}|resource_metadata)=")([\w.~+/=-]{8,})/gi;
const privateKeys = /(-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----)[^-]+/g;
const addresses = /(:\/\/[^\s/:@"'\\]{0,256}:)([^\s/@"'\\]{1,1024})@/g;

export function mayHoldSecret(text: string): boolean {
  return (
    longSigns.test(text) ||
    text.includes('://') ||
    text.includes('PRIVATE KEY') ||
    text.includes('\\u00') ||
    shortNames.test(text) ||
    variableNames.test(text) ||
    anyServiceKey.test(text)
  );
}

/** `hide` returns the replacement for a secret. */
export function redactText(text: string, hide: (secret: string) => string): string {
  return redactNamed(text, hide)
    .replace(options, (whole, option: string, value: string) =>
      isSecretName(option.trim()) && value !== REDACTED ? `${option}${hide(value)}` : whole,
    )
    .replace(schemes, (_, scheme: string, value: string) => `${scheme} ${hide(value)}`)
    .replace(privateKeys, `$1${REDACTED}`)
    .replace(addresses, (_, before: string, password: string) => `${before}${hide(password)}@`)
    .replace(serviceKeys, hide);
}

/** Names are checked one by one, so that the value of a harmless name can contain a secret name (`level: token=x`). */
function redactNamed(text: string, hide: (secret: string) => string): string {
  let output = '';
  let copied = 0;
  named.lastIndex = 0;
  for (let name = named.exec(text); name; name = named.exec(text)) {
    if (!isSecretName(name[1]!)) continue;
    variable.lastIndex = named.lastIndex;
    if (variable.test(text)) continue;
    valueBehind.lastIndex = named.lastIndex;
    const value = valueBehind.exec(text);
    if (!value) continue;
    const quote = value[1] ?? '';
    output += `${text.slice(copied, value.index)}${quote}${hide(value[2] ?? value[3]!)}${quote}`;
    copied = valueBehind.lastIndex;
    named.lastIndex = copied;
  }
  return output + text.slice(copied);
}
