// Finds plain-text secrets of an entry and decides how to copy them to another file. They are copied only if the file is not readable
// by more users than the source file, or are replaced by references.

import { statSync } from 'node:fs';
import { isObject } from '../../base/json-object.ts';
import { isWorthMasking } from '../../base/secrets/mask-values.ts';
import { secretsInArguments } from '../../base/secrets/redact-arguments.ts';
import { secretsInAddress, showsSecret } from '../expand/address.ts';
import { mapTextsOf } from '../hosts/formats/nodes.ts';
import type { PlainEntry } from '../hosts/host-program.ts';

/** `copy`: also into a file that more users can read. `reference`: a reference to a variable, or to an input of VS Code, instead. */
export const secretHandlings = ['copy', 'reference'] as const;
export type SecretHandling = (typeof secretHandlings)[number];

interface WrittenSecret {
  /** Description without the value: `GITHUB_TOKEN`, `the header Authorization`. */
  what: string;
  value: string;
  /** Name of the variable or input that can replace the value. */
  variable: string;
}

export function writtenSecrets(server: string, { env, headers, oauth, args, url }: PlainEntry): WrittenSecret[] {
  const prefix = variableName(server);
  const inEnv = stringsOf(env).flatMap(([name, value]) => named(name, value, value, name));
  const inHeaders = stringsOf(headers).flatMap(([name, value]) => {
    const credential = /^(?:Bearer|Basic|Token) +(\S.*)$/i.exec(value)?.[1] ?? value;
    const isAuthorization = name.toLowerCase() === 'authorization';
    const variable = `${prefix}_${isAuthorization ? 'TOKEN' : variableName(name)}`;
    return named(name, value, credential, variable, `the header ${name}`);
  });
  const { clientSecret } = isObject(oauth) ? oauth : {};
  const inOauth =
    typeof clientSecret === 'string'
      ? named('clientSecret', clientSecret, clientSecret, `${prefix}_CLIENT_SECRET`)
      : [];
  const words = Array.isArray(args) ? args.filter((arg) => typeof arg === 'string') : [];
  const address = typeof url === 'string' && !url.includes('${') ? url : '';
  const inText = (what: string, values: readonly string[]) =>
    values.filter((value) => !value.includes('${')).map((value) => ({ what, value, variable: `${prefix}_SECRET` }));
  const found = [
    ...inEnv,
    ...inHeaders,
    ...inOauth,
    ...inText('an argument', secretsInArguments(words)),
    ...inText('the url', [...secretsInAddress(address), ...secretsInArguments([address])]),
  ];
  return numbered(found.filter(({ value }, at) => found.findIndex((each) => each.value === value) === at));
}

export function withReferences(
  entry: PlainEntry,
  secrets: readonly WrittenSecret[],
  reference: (variable: string) => string,
): PlainEntry {
  const replaced = (text: string) =>
    secrets.reduce((before, { value, variable }) => before.replaceAll(value, () => reference(variable)), text);
  const { env, headers, oauth, args, url } = entry;
  const parts = Object.entries({ env, headers, oauth, args, url }).filter(([, value]) => value !== undefined);
  return { ...entry, ...Object.fromEntries(parts.map(([key, value]) => [key, mapTextsOf(value, replaced)])) };
}

/** Mode bits of users besides the owner that can read a file. A file created with secrets is readable only by its owner. */
export function readableByOthers(file: string): number {
  if (process.platform === 'win32') return 0;
  return (statSync(file, { throwIfNoEntry: false })?.mode ?? 0) & 0o044;
}

/** The mode as text, such as `0644`. Undefined if only the owner can read the file, or if it does not exist. */
export function modeForOthers(file: string): string | undefined {
  const mode = readableByOthers(file) === 0 ? undefined : statSync(file).mode & 0o777;
  return mode === undefined ? undefined : mode.toString(8).padStart(4, '0');
}

function named(name: string, text: string, value: string, variable: string, what = name): WrittenSecret[] {
  const isSecret = showsSecret([name, text]) || (!text.includes('${') && secretsInArguments([text]).length > 0);
  return isSecret && isWorthMasking(value) ? [{ what, value, variable }] : [];
}

function stringsOf(group: unknown): [string, string][] {
  const entries = isObject(group) ? Object.entries(group) : [];
  return entries.filter((entry): entry is [string, string] => typeof entry[1] === 'string');
}

function variableName(text: string): string {
  const name = text
    .toUpperCase()
    .replaceAll(/[^A-Z0-9]+/g, '_')
    .replace(/^_|_$/g, '');
  return /^[A-Z]/.test(name) ? name : `SERVER_${name}`;
}

function numbered(secrets: WrittenSecret[]): WrittenSecret[] {
  const counts = new Map<string, number>();
  return secrets.map((secret) => {
    const count = (counts.get(secret.variable) ?? 0) + 1;
    counts.set(secret.variable, count);
    return count === 1 ? secret : { ...secret, variable: `${secret.variable}_${count}` };
  });
}
