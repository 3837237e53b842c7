import { chmodSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../../../test/fixtures/temporary-folder.ts';
import { lacks, privateFolderMode, privateMode } from '../../../../test/fixtures/windows.ts';
import { ManualClock } from '../../../base/clock.ts';
import { addToken, readTokenFile, removeToken } from './token-file.ts';
import { futureTokens, type TokensOptions, tokens } from './tokens.ts';

const folder = temporaryFolder('tokens');
let files = 0;
const fresh = () => join(folder, String(++files), 'tokens.json');
function deferred<T>() {
  let resolve!: (value: T) => void;
  const promise = new Promise<T>((given) => {
    resolve = given;
  });
  return { promise, resolve };
}

const bearing = (token: string | undefined) => ({
  header: (name: string) => (name === 'authorization' && token !== undefined ? `Bearer ${token}` : undefined),
});

/** Watches the file until a principal has ended. */
function nextEnded(file: string, options?: TokensOptions) {
  const auth = tokens(file, options);
  const ended = new Promise<string>((resolve) => {
    const stop = auth.watch!((name) => {
      stop();
      resolve(name);
    });
  });
  return { auth, ended };
}

test('a token is 256 random bits with a prefix, and the file has its hash and mode 0600', async () => {
  const file = fresh();
  const token = await addToken(file, { name: 'laptop', servers: ['notes'], quotas: { sessions: 2 } });
  expect(token).toMatch(/^sp_[\w-]{43}$/);
  const text = readFileSync(file, 'utf8');
  expect(text).not.toContain(token.slice(3));
  expect(statSync(file).mode & 0o777).toBe(privateMode);
  expect(statSync(join(file, '..')).mode & 0o777).toBe(privateFolderMode);
  expect(tokens(file).authenticate(bearing(token))).toEqual({
    name: 'laptop',
    servers: ['notes'],
    tools: undefined,
    quotas: { sessions: 2 },
  });
});

test('other tokens are refused', async () => {
  const file = fresh();
  const token = await addToken(file, { name: 'laptop' });
  const auth = tokens(file);
  for (const wrong of [`${token}x`, token.slice(0, -1), token.toUpperCase(), 'sp_', readTokenFile(file)![0]!.sha256]) {
    expect(auth.authenticate(bearing(wrong))).toMatchObject({ status: 401, error: 'invalid_token' });
  }
  for (const none of [undefined, '', `${token} ${token}`, `${token},`, 'x'.repeat(100_000)]) {
    expect(auth.authenticate(bearing(none))).toEqual({ status: 401, message: expect.stringContaining('Bearer') });
  }
});

test('keeps all tokens that are added concurrently', async () => {
  const file = fresh();
  const names = Array.from({ length: 8 }, (_, at) => `client-${at}`);
  await Promise.all(names.map((name) => addToken(file, { name })));
  expect(
    readTokenFile(file)!
      .map(({ name }) => name)
      .toSorted(),
  ).toEqual(names);
});

test('names of tokens are valid and unique', async () => {
  const file = fresh();
  await addToken(file, { name: 'laptop' });
  await expect(addToken(file, { name: 'laptop' })).rejects.toMatchObject({ code: 'DUPLICATE_NAME' });
  for (const name of ['', 'owner', 'user:ada', 'a b', 'a/b', 'x'.repeat(65), '\u001b[31m']) {
    await expect(addToken(file, { name })).rejects.toMatchObject({ code: 'INVALID_OPTION' });
  }
});

test('refuses a removed token, and ends its sessions', async () => {
  const file = fresh();
  const token = await addToken(file, { name: 'laptop' });
  const other = await addToken(file, { name: 'desktop' });
  const { auth, ended } = nextEnded(file);
  expect(await removeToken(file, 'laptop')).toBe(true);
  expect(await ended).toBe('laptop');
  expect(auth.authenticate(bearing(token))).toMatchObject({ status: 401 });
  expect(auth.authenticate(bearing(other))).toMatchObject({ name: 'desktop' });
  expect(await removeToken(file, 'laptop')).toBe(false);
});

test('ends the sessions of a token whose rights change', async () => {
  const file = fresh();
  const token = await addToken(file, { name: 'laptop' });
  const { auth, ended } = nextEnded(file);
  const document = JSON.parse(readFileSync(file, 'utf8'));
  document.tokens[0].servers = ['notes'];
  writeFileSync(file, JSON.stringify(document));
  expect(await ended).toBe('laptop');
  expect(auth.authenticate(bearing(token))).toMatchObject({ servers: ['notes'] });
});

test('a removed file invalidates all tokens', async () => {
  const file = fresh();
  const token = await addToken(file, { name: 'laptop' });
  const { auth, ended } = nextEnded(file);
  rmSync(file);
  expect(await ended).toBe('laptop');
  expect(auth.authenticate(bearing(token))).toMatchObject({ status: 401 });
});

test('reports a file that becomes unreadable, and the tokens stay valid', async () => {
  const file = fresh();
  const token = await addToken(file, { name: 'laptop' });
  const { promise: reported, resolve } = deferred<Error>();
  const auth = tokens(file, { onError: resolve });
  const stop = auth.watch!(() => expect.unreachable());
  writeFileSync(file, '{"version":1,');
  expect(await reported).toMatchObject({ code: 'TOKENS_FILE_INVALID' });
  expect(auth.authenticate(bearing(token))).toMatchObject({ name: 'laptop' });
  stop();
});

test('a token expires together with its sessions', async () => {
  const file = fresh();
  const token = await addToken(file, { name: 'laptop', expires: new Date(5000).toISOString() }, 0);
  const clock = new ManualClock();
  const { auth, ended } = nextEnded(file, { clock, now: () => clock.nowMs() });
  clock.advance(4999);
  expect(auth.authenticate(bearing(token))).toMatchObject({ name: 'laptop' });
  clock.advance(1);
  expect(auth.authenticate(bearing(token))).toMatchObject({ status: 401 });
  expect(await ended).toBe('laptop');
});

test.skipIf(lacks.fileModes)('refuses a file that others can change', async () => {
  const file = fresh();
  await addToken(file, { name: 'laptop' });
  chmodSync(file, 0o620);
  expect(() => tokens(file)).toThrow('is accessible to other users');
});

test('a file that does not exist is an error', () => {
  expect(() => tokens(fresh())).toThrow('There is no token file');
});

const entry = { name: 'a', sha256: 'a'.repeat(64), created: '2026-01-01' };
test.each([
  ['another version', { version: 2, tokens: [] }, '"version" must be 1'],
  ['no list', { version: 1, tokens: {} }, '"tokens" must be a list'],
  ['a misspelled restriction', { version: 1, tokens: [{ ...entry, server: ['x'] }] }, 'unknown member "server"'],
  ['servers that are not a list', { version: 1, tokens: [{ ...entry, servers: 'x' }] }, '"servers" must be a list'],
  ['a token instead of its hash', { version: 1, tokens: [{ ...entry, sha256: 'sp_x' }] }, '"sha256" must be'],
  ['an invalid date', { version: 1, tokens: [{ ...entry, expires: 'soon' }] }, '"expires" must be a date'],
  ['an unknown quota', { version: 1, tokens: [{ ...entry, quotas: { inflight: 1 } }] }, 'unknown quota "inflight"'],
  ['a quota of 0', { version: 1, tokens: [{ ...entry, quotas: { sessions: 0 } }] }, 'integer above 0'],
  ['a duplicate name', { version: 1, tokens: [entry, entry] }, 'a name occurs twice'],
])('refuses a file with %s completely', (_what, document, message) => {
  const file = join(folder, `invalid-${++files}.json`);
  writeFileSync(file, JSON.stringify(document), { mode: 0o600 });
  expect(() => readTokenFile(file)).toThrow(message);
});

test('accepts a token at once if its file and folder are new', async () => {
  const file = fresh();
  const auth = futureTokens(file);
  const stop = auth.watch!(() => undefined);
  try {
    expect(auth.authenticate(bearing('sp_unknown'))).toHaveProperty('status', 401);
    const token = await addToken(file, { name: 'first' });
    expect(auth.authenticate(bearing(token))).toMatchObject({ name: 'first' });
  } finally {
    stop();
  }
});

test('unknown tokens do not cause an unchanged file to be read again', async () => {
  const file = fresh();
  const token = await addToken(file, { name: 'first' });
  const errors: Error[] = [];
  const auth = tokens(file, { onError: (error) => errors.push(error) });
  writeFileSync(file, 'not JSON', { mode: 0o600 });
  for (let i = 0; i < 10; i++) auth.authenticate(bearing(`sp_${i}`));
  expect(errors).toHaveLength(1);
  expect(auth.authenticate(bearing(token))).toMatchObject({ name: 'first' });
});
