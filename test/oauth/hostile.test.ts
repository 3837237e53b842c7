// Servers and authorization servers that lie, stall or send too much: no secret is sent to them, and each login ends
// with a reason.

import { once } from 'node:events';
import { createServer, type Server as HttpServer } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { ManualClock } from '../../src/base/clock.ts';
import { connect } from '../../src/connect/connect.ts';
import { authFetch, refuseInsecure } from '../../src/wire/oauth/auth-fetch.ts';
import { LoginStore } from '../../src/wire/oauth/login-store.ts';
import { OAuthAuthorizer, type OAuthAuthorizerOptions } from '../../src/wire/oauth/oauth-authorizer.ts';
import { selfSigned } from '../fixtures/gateway/self-signed.ts';
import { sendJson } from '../fixtures/oauth/authorization-server.ts';
import { browser } from '../fixtures/oauth/browser.ts';
import { issuer, server } from '../fixtures/oauth/protected-pair.ts';
import { temporaryFolder } from '../fixtures/temporary-folder.ts';

const folder = temporaryFolder('oauth-hostile');
const METADATA = '/.well-known/oauth-authorization-server';
let files = 0;
const opened: HttpServer[] = [];

afterEach(() => {
  issuer.requests = [];
  issuer.metadata = {};
  issuer.redirect = {};
  issuer.overrides.clear();
  for (const each of opened.splice(0)) {
    each.closeAllConnections();
    each.close();
  }
});

const freshStore = () => new LoginStore({ file: join(folder, `logins-${++files}.json`), keyring: false });

async function logIn(auth: Partial<OAuthAuthorizerOptions> = {}, url = server.url): Promise<void> {
  const client = await connect({ url, auth: { store: freshStore(), interact: browser().interact, ...auth } });
  await client.close();
}

/** Starts a server that answers each request in this way. */
async function serve(answer: Parameters<typeof createServer>[1]): Promise<string> {
  const http = createServer(answer);
  opened.push(http);
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  return `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
}

test.each([
  ['another state', { state: 'other' }, 'LOGIN_FAILED', 'state of the redirect differs'],
  ['no state', { state: null }, 'LOGIN_FAILED', 'state of the redirect differs'],
  ['another issuer', { iss: 'https://evil.example' }, 'AUTHORIZATION_FAILED', 'Issuer mismatch'],
  ['no issuer although it is declared', { iss: null }, 'AUTHORIZATION_FAILED', 'Issuer mismatch'],
  ['an error', { code: null, error: 'access_denied', error_description: 'no\u001b[31m' }, 'LOGIN_FAILED', 'no?[31m'],
  [
    'an error of another issuer',
    { code: null, error: 'x', iss: 'https://evil.example' },
    'AUTHORIZATION_FAILED',
    'Issuer',
  ],
] as const)('a redirect with %s: no code is sent', async (_, redirect, code, message) => {
  issuer.redirect = redirect;
  await expect(logIn()).rejects.toMatchObject({ code, message: expect.stringContaining(message) });
  expect(issuer.count('/token')).toBe(0);
  expect(issuer.count('/authorize')).toBe(1); // the login is not repeated
});

test.each([
  ['of another issuer', { issuer: 'https://evil.example' }, 'Issuer mismatch'],
  ['without PKCE', { code_challenge_methods_supported: undefined }, 'PKCE'],
  ['with plain PKCE only', { code_challenge_methods_supported: ['plain'] }, 'PKCE'],
  ['with a page that is a script', { authorization_endpoint: 'javascript:alert(1)' }, 'metadata'],
  ['with a page that is a file', { authorization_endpoint: 'file:///etc/passwd' }, 'https'],
  ['with a token endpoint on another host without TLS', { token_endpoint: 'http://example.com/token' }, 'https'],
  ['without an endpoint', { token_endpoint: undefined }, 'required members'],
])('metadata %s: no request is sent', async (_, metadata, message) => {
  issuer.metadata = metadata;
  const refused = { code: 'AUTHORIZATION_FAILED', message: expect.stringContaining(message) };
  await expect(logIn()).rejects.toMatchObject(refused);
  expect(issuer.requests.map(({ path }) => path)).toEqual([METADATA]);
});

test('detects a server that expects a fixed token and has no authorization server, and names the header to set', async () => {
  const url = await serve((_request, response) => void response.writeHead(401).end('no'));
  const hint = expect.stringContaining('Set the header "Authorization"');
  await expect(logIn({}, url)).rejects.toMatchObject({
    code: 'LOGIN_FAILED',
    message: expect.stringContaining(`${url} does not name an authorization server`),
    hint,
  });
});

test('metadata of another resource: the authorization server gets no request', async () => {
  const url = await serve((request, response) => {
    if (!request.url!.startsWith('/.well-known')) return response.writeHead(401).end();
    sendJson(response, { resource: 'https://bank.example/mcp', authorization_servers: [issuer.url] });
  });
  await expect(logIn({}, `${url}/mcp`)).rejects.toMatchObject({
    code: 'AUTHORIZATION_FAILED',
    message: expect.stringContaining('https://bank.example/mcp'),
  });
  expect(issuer.requests).toEqual([]);
});

test('a token endpoint that redirects to another origin: the redirect is not followed', async () => {
  let reached = 0;
  const elsewhere = await serve((_, response) => {
    reached++;
    response.end();
  });
  issuer.overrides.set('/token', (_, response) => response.writeHead(307, { location: `${elsewhere}/token` }).end());
  await expect(logIn()).rejects.toMatchObject({ code: 'AUTHORIZATION_FAILED' });
  expect(reached).toBe(0);
});

test('a server that refuses each token gets three, and requests fail', async () => {
  const url = await serve((request, response) => {
    if (!request.url!.startsWith('/.well-known')) return response.writeHead(401).end();
    sendJson(response, { resource: url, authorization_servers: [issuer.url] });
  });
  const person = browser();
  const auth = { interact: person.interact, store: freshStore() };
  await expect(logIn(auth, url)).rejects.toMatchObject({ message: expect.stringContaining('refused 3 new tokens') });
  expect(issuer.count('/token')).toBe(3);
  expect(person.asked).toBe(1); // the others are refreshed
  await expect(logIn(auth, url)).rejects.toMatchObject({ message: expect.stringContaining('refused 3 new tokens') });
  expect(issuer.count('/token')).toBe(3); // a new connection does not request three more
});

test('metadata that is too long or does not end: each has a limit', async () => {
  issuer.overrides.set(METADATA, (_, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.on('error', () => undefined);
    const more = () => {
      while (response.write('x'.repeat(65_536))) if (response.destroyed) return;
    };
    response.on('drain', more);
    more();
  });
  await expect(logIn()).rejects.toMatchObject({
    code: 'AUTHORIZATION_FAILED',
    message: expect.stringContaining('sent more than 1048576 bytes'),
  });
});

test('an invalid HTTP status ends the login, and not the process', async () => {
  const url = await serve((request, response) => {
    response.writeHead(request.method === 'POST' ? 401 : 999).end();
  });
  await expect(logIn({}, url)).rejects.toMatchObject({
    code: 'AUTHORIZATION_FAILED',
    message: expect.stringContaining('HTTP status 999'),
  });
});

test('an endpoint that does not answer ends the login', async () => {
  const clock = new ManualClock();
  const fetch = authFetch({ server: new URL(server.url), clock, timeoutMs: 1000 });
  const asked = new Promise<void>((resolve) => issuer.overrides.set(METADATA, () => resolve()));
  const store = freshStore();
  const authorizer = new OAuthAuthorizer({ url: server.url, store, fetch, interact: browser().interact });
  const challenge = `Bearer resource_metadata="${new URL('/.well-known/oauth-protected-resource/mcp', server.url)}"`;
  const ended = authorizer.refused({ status: 401, challenge, sent: undefined });
  const expected = expect(ended).rejects.toMatchObject({
    message: expect.stringContaining('did not answer within 1 s'),
  });
  await asked;
  clock.advance(1000);
  await expected;
  expect(clock.pending).toBe(0);
});

test('sends the secret of a configured client to no other authorization server', async () => {
  const store = freshStore();
  const client = { clientId: 'me', clientSecret: 'very-secret', store };
  await logIn(client);
  const [login] = [(await store.read({ server: server.url, client: 'me' }))!];
  await store.write(
    { server: server.url, client: 'me' },
    { ...login, issuer: 'https://before.example', canRefresh: false },
  );
  issuer.revoked.add(login.secrets.accessToken);
  issuer.requests = [];
  await expect(logIn(client)).rejects.toMatchObject({
    code: 'LOGIN_FAILED',
    message: expect.stringContaining('before.example'),
  });
  expect(issuer.count('/token') + issuer.count('/authorize')).toBe(0);
});

test('checks certificates, with the CA certificates of the entry too', async () => {
  const { cert, key } = selfSigned('issuer');
  const https = createTlsServer({ cert, key }, (_, response) => response.end('{}'));
  opened.push(https);
  https.listen(0, '127.0.0.1');
  await once(https, 'listening');
  const address = `https://127.0.0.1:${(https.address() as AddressInfo).port}/`;
  const ask = (ca?: string) => authFetch({ server: new URL(server.url), ca })(address);
  await expect(ask()).rejects.toMatchObject({
    code: 'AUTHORIZATION_FAILED',
    message: expect.stringContaining('self-signed'),
  });
  expect((await ask(cert)).status).toBe(200);
});

test.each([
  ['https://a.example/', 'https://issuer.example/token', true],
  ['https://a.example/', 'http://issuer.example/token', false],
  ['https://a.example/', 'http://127.0.0.1:80/', false],
  ['http://127.0.0.1:5000/', 'http://localhost:80/', true],
  ['http://127.0.0.1:5000/', 'http://169.254.169.254/', false],
  ['http://lan.example/', 'http://lan.example/token', false],
  ['https://a.example/', 'https://user:pass@issuer.example/', false],
  ['https://a.example/', 'data:text/html,x', false],
])('for the server %s, %s is allowed: %s', (from, address, isUsed) => {
  const check = expect(() => refuseInsecure(new URL(address), new URL(from)));
  if (isUsed) check.not.toThrow();
  else check.toThrow(expect.objectContaining({ code: 'AUTHORIZATION_FAILED' }));
});
