// Formats HTTP URLs and headers for recordings and viewers, without credentials and with limited length. Masks the values of secret names
// (secret-names.ts), of headers set in a config, of `Mcp-Param-…` (which repeat arguments) and of all query parameters.

import { firstChars } from '../first-chars.ts';
import { REDACTED } from './mask-values.ts';
import { type Redact, redactor } from './redact.ts';
import { isSecretName } from './secret-names.ts';

/** Headers in the form of `node:http`. */
export type HeaderValues = Readonly<Record<string, string | number | readonly string[] | undefined>>;

const MOST_HEADERS = 60;
const MOST_NAME_CHARS = 100;
const MOST_VALUE_CHARS = 400;
const MOST_URL_CHARS = 2000;

const redactKnown = redactor();

/** Returns one line per header. `hidden` holds further names to mask, in lower case. */
export function headerLines(headers: HeaderValues, hidden?: ReadonlySet<string>): string {
  const names = Object.keys(headers);
  let lines = '';
  for (const name of names.slice(0, MOST_HEADERS)) {
    const value = headers[name];
    if (value === undefined) continue;
    const values = typeof value === 'object' ? value.slice(0, MOST_HEADERS) : [String(value)];
    for (const each of values) lines += `${lines && '\n'}${lineOf(name, each, hidden)}`;
  }
  return names.length > MOST_HEADERS ? `${lines}\n(${names.length - MOST_HEADERS} more headers)` : lines;
}

/** The last value that was not secret and its line, by name: most headers of a connection repeat. */
const known = new Map<string, { value: string | undefined; line: string }>();
const MOST_KNOWN = 200;

function lineOf(name: string, value: string, hidden: ReadonlySet<string> | undefined): string {
  const before = known.get(name);
  const isHidden = hidden?.has(name.toLowerCase()) === true;
  if (before && !isHidden && (before.value === value || before.value === undefined)) return before.line;
  const shown = isHidden ? REDACTED : maskedValue(name.toLowerCase(), value);
  const line = `${firstChars(name, MOST_NAME_CHARS)}: ${shown}`;
  const isConstant = shown === value || isAlwaysMasked(name.toLowerCase());
  if (!isHidden && isConstant && value.length <= MOST_VALUE_CHARS && name.length <= MOST_NAME_CHARS) {
    if (known.size < MOST_KNOWN || before) known.set(name, { value: shown === value ? value : undefined, line });
  }
  return line;
}

function maskedValue(name: string, value: string): string {
  if (name === 'mcp-session-id') return shortSession(value);
  if (name === 'location' || name === 'content-location' || name === 'referer') return maskedUrl(value);
  return isAlwaysMasked(name) ? REDACTED : firstChars(redactKnown(value), MOST_VALUE_CHARS);
}

function isAlwaysMasked(name: string): boolean {
  return isSecretName(name) || name.startsWith('mcp-param-');
}

/** `mask` hides known values. */
export function maskedUrl(url: string, mask: Redact = (text) => text): string {
  const text = firstChars(url, MOST_URL_CHARS);
  const [address = '', query] = text.replace(/#.*$/s, '').split(/\?(.*)/s);
  const shown = mask(address.replace(/^([a-z+]+:\/\/)[^/]*@/i, `$1${REDACTED}@`));
  return query ? `${shown}?${query.split('&').map(maskedParameter).join('&')}` : shown;
}

function maskedParameter(parameter: string): string {
  const end = parameter.indexOf('=');
  return end < 0 ? REDACTED : `${parameter.slice(0, end)}=${REDACTED}`;
}

/** The whole id grants access to the session; 6 characters distinguish sessions. */
export function shortSession(id: string): string {
  return id.length >= 16 ? `${firstChars(id, 6)}…` : REDACTED;
}
