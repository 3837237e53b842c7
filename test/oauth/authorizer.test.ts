// Tokens for one of our servers from a real authorization server: granted by a user, stored, refreshed, and used
// without a second login.

import { readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { maskValues } from '../../src/base/secrets/mask-values.ts';
import { connect } from '../../src/connect/connect.ts';
import { LoginStore } from '../../src/wire/oauth/login-store.ts';
import { OAuthAuthorizer, type OAuthAuthorizerOptions } from '../../src/wire/oauth/oauth-authorizer.ts';
import { sendJson, startAuthorizationServer } from '../fixtures/oauth/authorization-server.ts';
import { browser } from '../fixtures/oauth/browser.ts';
import { issuer, server } from '../fixtures/oauth/protected-pair.ts';
import { temporaryFolder } from '../fixtures/temporary-folder.ts';
import { lacks, privateMode } from '../fixtures/windows.ts';

const folder = temporaryFolder('oauth');
let files = 0;
let file: string;

beforeEach(() => {
  file = join(folder, `logins-${++files}.json`);
  issuer.requests = [];
  issuer.expiresIn = 3600;
  issuer.metadata = {};
});

const storeHere = () => new LoginStore({ file, keyring: false });
const tokenRequests = () => issuer.requests.filter(({ path }) => path === '/token').map(({ params }) => params);
const grants = () => tokenRequests().map((params) => params.get('grant_type'));

async function use(auth: Partial<OAuthAuthorizerOptions> = {}) {
  const client = await connect({ url: server.url, auth: { store: storeHere(), ...auth } });
  const result = await client.callTool('hello');
  await client.close();
  return result.content;
}

/** Logs in as an earlier process: its tokens do not count towards the limit of this minute. */
async function logInBefore(): Promise<string> {
  await use({ interact: browser().interact, now: () => Date.now() - 120_000 });
  issuer.requests = [];
  return (await storeHere().read({ server: server.url }))!.secrets.accessToken;
}

test('logs in once, for this resource, with PKCE, and the next process uses the tokens', async () => {
  const person = browser();
  expect(await use({ interact: person.interact })).toEqual([{ type: 'text', text: 'hello' }]);
  expect(person.asked).toBe(1);
  expect(Object.fromEntries(person.page!.searchParams)).toMatchObject({
    resource: server.url,
    scope: 'mcp',
    code_challenge_method: 'S256',
    redirect_uri: 'http://127.0.0.1:1/callback',
  });
  expect(tokenRequests()[0]!.get('resource')).toBe(server.url);
  const before = issuer.requests.filter(({ path }) => path !== '/keys').length;
  expect(await use()).toEqual([{ type: 'text', text: 'hello' }]);
  expect(issuer.requests.filter(({ path }) => path !== '/keys')).toHaveLength(before);
});

test('tokens are in a file that only this user can read, and are masked afterwards', async () => {
  const token = await logInBefore();
  expect(statSync(file).mode & 0o777).toBe(privateMode);
  expect(readFileSync(file, 'utf8')).toContain(token);
  expect(maskValues()(`Authorization: Bearer ${token}`)).toBe('Authorization: Bearer [redacted]');
  expect(
    JSON.stringify(new LoginStore({ file, keyring: false }).list().map(({ secrets: _, ...shown }) => shown)),
  ).not.toContain(token);
});

test('without an interactive login, the error names the command, and the request has not run', async () => {
  await expect(use()).rejects.toMatchObject({
    code: 'LOGIN_REQUIRED',
    hint: expect.stringContaining(`Run \`standpipe login ${server.url}\`.`),
  });
  await expect(use({ name: 'notes' })).rejects.toMatchObject({
    hint: expect.stringContaining('Run `standpipe login notes`.'),
  });
  expect(issuer.count('/register')).toBe(0);
});

test('a login of another process is used after the next refusal', async () => {
  const authorizer = new OAuthAuthorizer({ url: server.url, store: storeHere() });
  expect(await authorizer.header()).toBeUndefined();
  const token = await logInBefore();
  expect(await authorizer.refused({ status: 401, challenge: undefined, sent: undefined })).toBe(true);
  expect(await authorizer.header()).toBe(`Bearer ${token}`);
  expect(grants()).toEqual([]);
});

test('refreshes an expired token before it is sent, and keeps the new refresh token', async () => {
  issuer.expiresIn = 10; // less than the time limit of a request
  const token = await logInBefore();
  issuer.expiresIn = 1e300; // beyond the range of a date
  server.seen.length = 0;
  await use();
  await use();
  expect(grants()).toEqual(['refresh_token']);
  expect(tokenRequests()[0]!.get('resource')).toBe(server.url);
  expect(server.seen).not.toContain(`Bearer ${token}`);
});

test('many concurrent refusals of two users of the store cause one refresh', async () => {
  issuer.revoked.add(await logInBefore());
  const clients = [storeHere(), storeHere()].map((store) => new OAuthAuthorizer({ url: server.url, store }));
  const sent = await clients[0]!.header();
  await clients[1]!.header();
  const refusal = { status: 401, challenge: undefined, sent } as const;
  const all = [0, 1, 0, 1, 0, 1].map((at) => clients[at]!.refused(refusal));
  expect(await Promise.all(all)).toEqual(Array(6).fill(true));
  expect(grants()).toEqual(['refresh_token']);
  const headers = await Promise.all(clients.map((client) => client.header()));
  expect(headers[0]).toBe(headers[1]);
  expect(headers[0]).not.toBe(sent);
  // This request was sent before the refresh, and is refused after it.
  expect(await clients[0]!.refused(refusal)).toBe(true);
  expect(grants()).toEqual(['refresh_token']);
  expect(await use()).toEqual([{ type: 'text', text: 'hello' }]);
});

test('a temporary failure of a refresh keeps the login, and a refused refresh removes it', async () => {
  issuer.revoked.add(await logInBefore());
  issuer.overrides.set('/token', (_, response) => sendJson(response, { error: 'temporarily_unavailable' }, 503));
  await expect(use()).rejects.toMatchObject({ code: 'AUTHORIZATION_FAILED' });
  issuer.overrides.clear();
  expect(await use()).toEqual([{ type: 'text', text: 'hello' }]);
  issuer.revoked.add((await storeHere().read({ server: server.url }))!.secrets.accessToken);
  issuer.overrides.set('/token', (_, response) => sendJson(response, { error: 'invalid_grant' }, 400));
  await expect(use()).rejects.toMatchObject({ code: 'LOGIN_REQUIRED' });
  issuer.overrides.clear();
});

test('sends a refresh token to no other authorization server', async () => {
  issuer.revoked.add(await logInBefore());
  const other = await startAuthorizationServer();
  const document = JSON.parse(readFileSync(file, 'utf8'));
  document.logins[0].issuer = other.url;
  writeFileSync(file, JSON.stringify(document), { mode: 0o600 });
  await expect(use()).rejects.toMatchObject({ code: 'LOGIN_REQUIRED' });
  expect([grants(), other.requests]).toEqual([[], []]);
  await other.close();
});

test('missing scopes: a login requests all of them, and without a login the error names them', async () => {
  await logInBefore();
  const challenge = 'Bearer error="insufficient_scope", scope="mcp:extra"';
  const refusal = { status: 403, challenge, sent: undefined } as const;
  const alone = new OAuthAuthorizer({ url: server.url, store: storeHere() });
  await alone.header();
  await expect(
    alone.refused({ ...refusal, challenge: challenge.replace('extra', 'extra $(x)') }),
  ).rejects.toMatchObject({
    code: 'LOGIN_REQUIRED',
    hint: `Run \`standpipe login ${server.url} --scope 'mcp:extra $(x)'\`.`,
  });
  const person = browser();
  const authorizer = new OAuthAuthorizer({ url: server.url, store: storeHere(), interact: person.interact });
  await authorizer.header();
  expect(await authorizer.refused(refusal)).toBe(true);
  expect(person.page!.searchParams.get('scope')).toBe('mcp mcp:extra');
  await expect(authorizer.refused(refusal)).rejects.toMatchObject({ code: 'AUTHORIZATION_FAILED' });
  expect(person.asked).toBe(1);
  expect(await alone.refused(refusal)).toBe(true); // the other authorizer has stored its login
  expect(await alone.header()).toBe(await authorizer.header());
});

test('a header of the config overrides OAuth, which can be turned off', async () => {
  await logInBefore();
  server.seen.length = 0;
  const given = connect({ url: server.url, headers: { AUTHORIZATION: 'Bearer mine' }, auth: { store: storeHere() } });
  await expect(given).rejects.toThrow('The token is not valid');
  await expect(connect({ url: server.url, auth: false })).rejects.toThrow('Send the token');
  expect(new Set(server.seen)).toEqual(new Set(['Bearer mine', undefined]));
});

test('a program logs in with its own credentials, and again after the token has expired', async () => {
  const auth = { grant: 'client_credentials', clientId: 'robot', clientSecret: 'geheim', scopes: ['mcp'] } as const;
  expect(await use(auth)).toEqual([{ type: 'text', text: 'hello' }]);
  issuer.revoked.add((await storeHere().read({ server: server.url, client: 'robot' }))!.secrets.accessToken);
  expect(await use(auth)).toEqual([{ type: 'text', text: 'hello' }]);
  expect(grants()).toEqual(['client_credentials', 'client_credentials']);
  expect(maskValues()('geheim')).toBe('[redacted]');
});

test('the secret of a configured client is not stored, and is used for each refresh', async () => {
  issuer.metadata = { token_endpoint_auth_methods_supported: ['client_secret_post'] };
  const configured = { clientId: 'me', clientSecret: 'configured-secret' };
  await use({ ...configured, interact: browser().interact });
  issuer.revoked.add((await storeHere().read({ server: server.url, client: 'me' }))!.secrets.accessToken);
  expect(await use(configured)).toEqual([{ type: 'text', text: 'hello' }]);
  expect(readFileSync(file, 'utf8')).not.toContain('configured-secret');
  expect(tokenRequests().map((params) => params.get('client_secret'))).toEqual(Array(2).fill('configured-secret'));
});

test.skipIf(lacks.links)('a folder that cannot be created: tokens are used until the process exits', async () => {
  const nowhere = join(folder, 'nowhere');
  symlinkSync(join(folder, 'is', 'missing'), nowhere);
  const warned = new Promise<Error>((resolve) => process.once('warning', resolve));
  const store = new LoginStore({ file: join(nowhere, 'logins.json'), keyring: false });
  const auth = { grant: 'client_credentials', clientId: 'robot', clientSecret: 'geheim', scopes: ['mcp'] } as const;
  expect(await use({ ...auth, store })).toEqual([{ type: 'text', text: 'hello' }]);
  expect(await warned).toMatchObject({ code: 'FILE_NOT_WRITABLE' });
  await expect(use({ store })).rejects.toMatchObject({ code: 'LOGIN_REQUIRED' });
});

test('sends a token that cannot be refreshed as long as it is valid', async () => {
  issuer.expiresIn = 20;
  const token = await logInBefore();
  issuer.overrides.set('/token', (_, response) => sendJson(response, {}, 503));
  const nowMs = Date.now() - 120_000; // the time of the login
  const at = (ms: number) =>
    new OAuthAuthorizer({ url: server.url, store: storeHere(), now: () => nowMs + ms }).header();
  expect(await at(0)).toBe(`Bearer ${token}`);
  await expect(at(60_000)).rejects.toMatchObject({ code: 'AUTHORIZATION_FAILED' });
  issuer.overrides.clear();
});

test.skipIf(lacks.fileModes)('refuses a file that others can read', async () => {
  writeFileSync(file, '{"version":1,"logins":[]}', { mode: 0o644 });
  await expect(use()).rejects.toThrow('is accessible to other users');
});
