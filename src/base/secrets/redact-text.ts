// Redacts secrets in text that is not JSON. They are found by the name before them (`name: value`, `name=value`, `--name value`) or
// by their form (`Bearer …`, a password in a URL, private keys, keys of well-known services). Linear in the length of the text.

import { REDACTED } from './mask-values.ts';
import { isSecretName } from './secret-names.ts';

// Together, `behindName` and the patterns after it match every text that contains a secret by the rules below, and few
// others. Every outgoing frame is tested; one combined pattern takes twice the time.
const behindName = '[\\w.-]{0,32}\\\\*["\'`]?\\s{0,8}[:=\\s]';
const longSigns = /token|secret|cookie|bearer|passw|passphrase|cred(?:ential|s)|authorization|basic\s/i;
const shortNames = new RegExp(`(?:[\\w.-]key|auth|pass|pwd)${behindName}`, 'i');
const variableNames = new RegExp(`(?:KEY|PIN|PAT)${behindName}`);
// The look-behind lets a token begin only in the first 41 characters of a run: otherwise each `eyJ` would read the run
// to its end.
const serviceKeys =
  /\b(?:sk-|gh[opsur]_|github_pat_|glpat-|xox[a-z]-|npm_|hf_|AIza|AKIA|ASIA|ya29\.|eyJ(?<=(?<![\w-])(?:[\w-]{0,40}-)?eyJ)[\w-]{8,}\.eyJ|sp_(?=[\w-]{43}(?![\w-])))[\w.-]{8,}/g;
const anyServiceKey = new RegExp(serviceKeys.source);

const named = /(?<![\w.-])([\w.-]{1,80})(\\*["'`]?\s{0,8}[:=]\s{0,8})/g;
const quoteBehind = /(\\*)(["'`])/y;
const MOST_QUOTED_CHARS = 16_384;
const bareValue = /(?:(?:Bearer|Basic|Token|Digest)\s+)?[^\s"'`\\,;&)}\]{[]+/y;
/** `${NAME}`, which the program that reads it expands: the name itself is not secret. */
const variable = /(?:(?:Bearer|Basic|Token|Digest)\s+)?\$\{[\w:.-]{1,80}\}(?![^\s"'`\\,;&)}\]])/y;
/** Code that reads a variable, as a traceback quotes it: the value is elsewhere. */
const lookup = /(?:os\.(?:environ|getenv)|process\.env|System\.getenv|Deno\.env|env::var|ENV)(?=[.[(])/y;
const options = /(?<!\S)(--?[A-Za-z][\w.-]{0,80}\s+)('[^']*'|[^\s'-]\S*)/g;
/** Excludes challenges (`WWW-Authenticate`), which name a scheme followed by parameters instead of a credential. */
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
    if (isAt(variable, text, named.lastIndex) || isAt(lookup, text, named.lastIndex)) continue;
    const value = valueAt(text, named.lastIndex);
    if (!value) continue;
    output += `${text.slice(copied, named.lastIndex)}${value.quote}${hide(value.content)}${value.quote}`;
    copied = value.end;
    named.lastIndex = copied;
  }
  return output + text.slice(copied);
}

function isAt(pattern: RegExp, text: string, at: number): boolean {
  pattern.lastIndex = at;
  return pattern.test(text);
}

interface Value {
  /** The text before and after the content; with backslashes in JSON inside JSON, empty for a bare word. */
  quote: string;
  content: string;
  end: number;
}

/** Avoids one pattern with a back-reference to the quote, which would read a long quote again at each character of the value. */
function valueAt(text: string, start: number): Value | undefined {
  quoteBehind.lastIndex = start;
  const opening = quoteBehind.exec(text);
  if (opening) return quotedValue(text, opening);
  bareValue.lastIndex = start;
  const content = bareValue.exec(text)?.[0];
  return content === undefined ? undefined : { quote: '', content, end: bareValue.lastIndex };
}

/** The value ends at the next matching quote on the same line or, without one, at the end of the text. */
function quotedValue(text: string, [quote, escapes, mark]: RegExpExecArray): Value | undefined {
  const start = quoteBehind.lastIndex;
  const near = text.slice(start, start + MOST_QUOTED_CHARS + quote.length);
  const newline = near.indexOf('\n');
  const line = newline < 0 ? near : near.slice(0, newline);
  for (let at = line.indexOf(mark!); at >= 0; at = line.indexOf(mark!, at + 1)) {
    const end = at - escapes!.length;
    if (end >= 0 && line.startsWith(quote, end)) {
      return { quote, content: line.slice(0, end), end: start + at + 1 };
    }
  }
  const isCutOff = newline < 0 && start + line.length === text.length && line.length <= MOST_QUOTED_CHARS;
  return isCutOff ? { quote, content: line, end: text.length } : undefined;
}
