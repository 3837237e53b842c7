// The token file: principals, their rights, and the hashes of their tokens. A token has 256 random bits, so SHA-256 is sufficient. A slow
// hash, which protects guessable secrets, would cost time with each request.

import { hash, randomBytes } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { shellWord } from '../../../base/command-line.ts';
import { toError, UsageError } from '../../../base/errors.ts';
import { isObject } from '../../../base/json-object.ts';
import { ownCommand } from '../../../base/own-command.ts';
import { configFile } from '../../../wire/process/files/config-file.ts';
import { withFileLock } from '../../../wire/process/files/file-lock.ts';
import { readPrivately, replaceWatched } from '../../../wire/process/files/private-file.ts';
import { OWNER, type Principal, type Quotas } from './auth.ts';

export interface TokenEntry extends Principal {
  /** The hash in hexadecimal. */
  readonly sha256: string;
  /** ISO 8601 time. */
  readonly created: string;
  readonly expires?: string | undefined;
}

type NewToken = Principal & Pick<TokenEntry, 'expires'>;

/** Lets secret scanners recognise leaked tokens. */
export const TOKEN_PREFIX = 'sp_';

/** Names appear in logs and metrics, so their characters are limited. */
const NAME = /^[\w.@-]{1,64}$/;

export function defaultTokenFile(): string {
  return configFile('tokens.json');
}

export function makeToken(file: string | undefined): string {
  return `${ownCommand} token add <name>${file === undefined ? '' : ` --tokens ${shellWord(file)}`}`;
}

export function hashOfToken(token: string): string {
  return hash('sha256', token, 'hex');
}

/** Returns undefined if the file does not exist. */
export function readTokenFile(file: string): readonly TokenEntry[] | undefined {
  const text = readPrivately(file);
  if (text === undefined) return undefined;
  try {
    return entriesIn(JSON.parse(text));
  } catch (error) {
    throw new UsageError('TOKENS_FILE_INVALID', `${file} is not a valid token file: ${toError(error).message}`, {
      hint: `Repair it, or remove it and make new tokens with \`${ownCommand} token add\`.`,
      cause: error,
    });
  }
}

/** Creates the file if necessary. Returns the token, of which only the hash is stored. */
export async function addToken(file: string, { name, ...rest }: NewToken, nowMs = Date.now()): Promise<string> {
  if (!NAME.test(name) || name === OWNER) {
    throw new UsageError('INVALID_OPTION', `"${name}" cannot be the name of a token`, {
      hint: `Use 1 to 64 letters, digits and _ . @ -. "${OWNER}" is reserved for the token that the gateway makes itself.`,
    });
  }
  const token = `${TOKEN_PREFIX}${randomBytes(32).toString('base64url')}`;
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  await withFileLock(file, async () => {
    const before = readTokenFile(file) ?? [];
    if (before.some((entry) => entry.name === name)) {
      throw new UsageError('DUPLICATE_NAME', `There is a token named "${name}" already`, {
        hint: `Choose another name, or remove it first: ${ownCommand} token rm ${name}${file === defaultTokenFile() ? '' : ` --tokens ${shellWord(file)}`}`,
      });
    }
    const created = new Date(nowMs).toISOString();
    await write(file, [...before, { name, sha256: hashOfToken(token), created, ...rest }]);
  });
  return token;
}

/** Resolves to false if there is no token with this name. */
export async function removeToken(file: string, name: string): Promise<boolean> {
  if (!readTokenFile(file)?.some((entry) => entry.name === name)) return false;
  return withFileLock(file, async () => {
    const before = readTokenFile(file) ?? [];
    const left = before.filter((entry) => entry.name !== name);
    if (left.length < before.length) await write(file, left);
    return left.length < before.length;
  });
}

function write(file: string, tokens: readonly TokenEntry[]): Promise<void> {
  return replaceWatched(file, `${JSON.stringify({ version: 1, tokens }, null, 2)}\n`);
}

function entriesIn(document: unknown): readonly TokenEntry[] {
  if (!isObject(document) || document.version !== 1) throw new Error('"version" must be 1');
  if (!Array.isArray(document.tokens)) throw new Error('"tokens" must be a list');
  const entries = document.tokens.map(entryIn);
  const names = new Set(entries.map(({ name }) => name));
  if (names.size < entries.length) throw new Error('a name occurs twice');
  return entries;
}

/** Unknown members are errors: a misspelled one could be a restriction that does not apply. */
function entryIn(entry: unknown, at: number): TokenEntry {
  const fail = (what: string) => new Error(`tokens[${at}]: ${what}`);
  if (!isObject(entry)) throw fail('must be an object');
  const { name, sha256, created, expires, servers, tools, quotas, ...unknown } = entry;
  const [stranger] = Object.keys(unknown);
  if (stranger !== undefined) throw fail(`unknown member "${stranger}"`);
  if (typeof name !== 'string' || !NAME.test(name)) throw fail('"name" must be 1 to 64 letters, digits and _ . @ -');
  if (typeof sha256 !== 'string' || !/^[0-9a-f]{64}$/.test(sha256))
    throw fail('"sha256" must be 64 hexadecimal digits');
  if (typeof created !== 'string') throw fail('"created" must be a date');
  if (expires !== undefined && Number.isNaN(Date.parse(String(expires)))) throw fail('"expires" must be a date');
  for (const [key, value] of Object.entries({ servers, tools })) {
    if (value !== undefined && !isTextList(value)) throw fail(`"${key}" must be a list of strings`);
  }
  return { ...entry, quotas: quotasIn(quotas, fail) } as unknown as TokenEntry;
}

const quotaNames: readonly string[] = ['inFlight', 'requestsPerMinute', 'sessions', 'streams', 'waitingBytes'];

function quotasIn(quotas: unknown, fail: (what: string) => Error): Quotas | undefined {
  if (quotas === undefined) return undefined;
  if (!isObject(quotas)) throw fail('"quotas" must be an object');
  for (const [name, value] of Object.entries(quotas)) {
    if (!quotaNames.includes(name)) throw fail(`unknown quota "${name}"`);
    if (!Number.isSafeInteger(value) || (value as number) < 1) throw fail(`"${name}" must be an integer above 0`);
  }
  return quotas;
}

function isTextList(value: unknown): boolean {
  return Array.isArray(value) && value.every((each) => typeof each === 'string');
}
