// Access tokens of an issuer: which tokens are accepted, what they permit, and the answer to a request without a token.

import { appendFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  Client,
  checkResourceAllowed,
  discoverOAuthServerInfo,
  extractWWWAuthenticateParams,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client';
import { SignJWT, UnsecuredJWT } from 'jose';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { ManualClock } from '../../src/base/clock.ts';
import { anyOf } from '../../src/host/gateway/access/auth.ts';
import { type JwtOptions, jwt } from '../../src/host/gateway/access/jwt.ts';
import { addToken } from '../../src/host/gateway/access/token-file.ts';
import { tokens } from '../../src/host/gateway/access/tokens.ts';
import { type HttpServing, httpHandler, serveHttp } from '../../src/host/gateway/http/serve-http.ts';
import { Host } from '../../src/host/host.ts';
import { Server } from '../../src/mcp/server/server.ts';
import { type Issuer, nowMs, nowS, startIssuer } from '../fixtures/gateway/issuer.ts';
import { modernHeaders, modernMeta } from '../fixtures/gateway/modern-request.ts';
import { temporaryFolder } from '../fixtures/temporary-folder.ts';

const folder = temporaryFolder('jwt');
const received = join(folder, 'received');
const audience = 'https://gateway.example.org/mcp';
const runsAnything = fileURLToPath(new URL('../fixtures/gateway/runs-anything.mjs', import.meta.url));

let issuer: Issuer;
let host: Host;
let http: HttpServing;
let fileToken: string;

beforeAll(async () => {
  appendFileSync(received, '');
  issuer = await startIssuer(audience);
  const entry = (name: string) => ({
    command: process.execPath,
    args: [runsAnything, name],
    env: { RECEIVED_FILE: received },
    revision: '2025-11-25' as const,
  });
  host = new Host({ mcpServers: { notes: entry('notes'), other: entry('other') } });
  const file = join(folder, 'tokens.json');
  fileToken = await addToken(file, { name: 'laptop' });
  const auth = anyOf(tokens(file), jwt({ issuer: issuer.url, audience }));
  http = await serveHttp((name) => (name === undefined || host.names.includes(name) ? host.service(name) : undefined), {
    auth,
  });
});
afterAll(async () => {
  await http?.close();
  await host?.stop();
  await issuer?.close();
});

async function send(token: string | undefined, path = '/notes', method = 'tools/list', params = {}) {
  const name = (params as { name?: string }).name;
  const response = await fetch(`${http.url}${path}`, {
    method: 'POST',
    headers: {
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...modernHeaders(method, name),
      accept: 'application/json, text/event-stream',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: modernMeta } }),
  });
  return { status: response.status, challenge: response.headers.get('www-authenticate'), text: await response.text() };
}

test('tokens of the issuer and tokens of the file are accepted', async () => {
  expect(await send(await issuer.token())).toMatchObject({ status: 200, text: expect.stringContaining('only_notes') });
  expect(await send(fileToken)).toMatchObject({ status: 200 });
});

const parts = (token: string) => token.split('.') as [string, string, string];
const base64 = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

const refused: [what: string, make: () => Promise<string>][] = [
  ['another audience', () => issuer.token({ aud: 'https://elsewhere.example.org' })],
  ['an audience that begins like ours', () => issuer.token({ aud: `${audience}.evil.example` })],
  ['an audience below ours with a pattern', () => issuer.token({ aud: `${audience}/*` })],
  ['an audience that is no text', () => issuer.token({ aud: [7, { a: 1 }, null] })],
  ['no audience', () => issuer.token({ aud: undefined })],
  ['another issuer', () => issuer.token({ iss: 'https://evil.example' })],
  ['an issuer with a slash more', () => issuer.token({ iss: `${issuer.url}/` })],
  ['no issuer', () => issuer.token({ iss: undefined })],
  ['a time that is over', () => issuer.token({ exp: nowS() - 120 })],
  ['no end', () => issuer.token({ exp: undefined })],
  ['an end that is no number', () => issuer.token({ exp: 'never' })],
  ['a time that is to come', () => issuer.token({ nbf: nowS() + 120 })],
  ['no subject', () => issuer.token({ sub: undefined })],
  ['an empty subject', () => issuer.token({ sub: '' })],
  ['a subject that is too long', () => issuer.token({ sub: 'x'.repeat(300) })],
  [
    'alg none',
    async () => {
      const { iss, aud, sub, scope, exp } = JSON.parse(
        Buffer.from(parts(await issuer.token())[1], 'base64url').toString(),
      );
      return new UnsecuredJWT({ iss, aud, sub, scope, exp }).encode();
    },
  ],
  [
    'alg none in the header, with a signature',
    async () => {
      const [, claims, signature] = parts(await issuer.token());
      return `${base64({ alg: 'none', kid: 'first' })}.${claims}.${signature}`;
    },
  ],
  [
    'HS256 with the public key as the secret',
    async () => {
      const [, claims] = parts(await issuer.token());
      const secret = new TextEncoder().encode(JSON.stringify(issuer.keys[0]));
      const payload = JSON.parse(Buffer.from(claims, 'base64url').toString());
      return new SignJWT(payload).setProtectedHeader({ alg: 'HS256', kid: 'first' }).sign(secret);
    },
  ],
  [
    'claims that were changed',
    async () => {
      const [header, claims, signature] = parts(await issuer.token({ scope: 'mcp:other' }));
      const payload = JSON.parse(Buffer.from(claims, 'base64url').toString());
      return `${header}.${base64({ ...payload, scope: 'mcp' })}.${signature}`;
    },
  ],
  [
    'no signature',
    async () => {
      const [header, claims] = parts(await issuer.token());
      return `${header}.${claims}.`;
    },
  ],
  ['an extension that must be understood', () => issuer.token({}, { crit: ['exp'], exp: 1 } as never)],
  ['a text that is no token', async () => 'hello'],
  ['four parts', async () => `${await issuer.token()}.x`],
  ['parts that are no JSON', async () => 'eyJ.eyJ.x'],
  ['a token of the file that does not exist', async () => `sp_${'x'.repeat(43)}`],
];

test.each(refused)('a token with %s is refused', async (_what, make) => {
  const answer = await send(await make());
  expect(answer.status).toBe(401);
  expect(answer.challenge).toContain('error="invalid_token"');
  expect((await send(await issuer.token())).status).toBe(200);
});

test('a refusal contains the defect of the token', async () => {
  const why = async (claims: Record<string, unknown>) => (await send(await issuer.token(claims))).text;
  expect(await why({ aud: 'x' })).toContain('\\"aud\\"');
  expect(await why({ iss: 'x' })).toContain('\\"iss\\"');
  expect(await why({ exp: nowS() - 120 })).toContain('\\"exp\\"');
});

test('tokens with unknown keys are refused, and the keys are not fetched for each token', async () => {
  await issuer.addKey('unpublished', false);
  const before = issuer.fetches;
  for (let at = 0; at < 5; at++) {
    expect((await send(await issuer.token({ sub: `x${at}` }, { kid: 'unpublished' }))).status).toBe(401);
  }
  expect(issuer.fetches - before).toBeLessThanOrEqual(1);
});

test('a request without a token gets the address of the metadata, and the scope', async () => {
  const { origin } = new URL(http.url);
  const none = await send(undefined);
  expect(none.status).toBe(401);
  const metadataUrl = `${origin}/.well-known/oauth-protected-resource/mcp/notes`;
  expect(none.challenge).toBe(`Bearer resource_metadata="${metadataUrl}", scope="mcp"`);
  const metadata = await fetch(metadataUrl);
  expect(metadata.status).toBe(200);
  expect(await metadata.json()).toEqual({
    resource: `${http.url}/notes`,
    authorization_servers: [issuer.url],
    scopes_supported: ['mcp'],
    bearer_methods_supported: ['header'],
  });
  const root = await fetch(`${origin}/.well-known/oauth-protected-resource`);
  expect(await root.json()).toMatchObject({ resource: http.url });
  expect((await fetch(`${origin}/.well-known/oauth-protected-resource/elsewhere`)).status).toBe(401);
  expect((await fetch(`${origin}/.well-known/oauth-protected-resourcex`)).status).toBe(401);
});

test('the official client finds the issuer by the challenge', async () => {
  const url = `${http.url}/notes`;
  const { resourceMetadataUrl, scope } = extractWWWAuthenticateParams(await fetch(url, { method: 'POST' }));
  expect(scope).toBe('mcp');
  const info = await discoverOAuthServerInfo(url, { resourceMetadataUrl });
  expect(info.authorizationServerUrl).toBe(issuer.url);
  expect(info.authorizationServerMetadata).toMatchObject({ issuer: issuer.url });
  const { resource } = info.resourceMetadata!;
  expect(checkResourceAllowed({ requestedResource: url, configuredResource: resource })).toBe(true);
});

test('a path cannot inject text into the challenge', async () => {
  const { origin } = new URL(http.url);
  const answer = await fetch(`${origin}/mcp/x%22,y="`, { method: 'POST' });
  expect(answer.headers.get('www-authenticate')).toMatch(/^Bearer resource_metadata="[^"]*", scope="mcp"$/);
});

test('scopes limit what a token may use', async () => {
  const only = await issuer.token({ scope: 'openid mcp:notes', sub: 'only' });
  expect((await send(only)).text).toContain('only_notes');
  expect((await send(only, '')).text).not.toContain('only_other');
  const tool = await issuer.token({ scp: ['mcp:notes/read', 'mcp:other'], scope: undefined });
  expect((await send(tool, '/notes', 'tools/call', { name: 'read' })).text).toContain('notes ran');
  expect((await send(tool, '/notes', 'tools/call', { name: 'write' })).text).toContain('-32602');
  expect((await send(tool, '/other', 'tools/call', { name: 'write' })).text).toContain('other ran');
});

test('a token without the scope gets 403, even for a server that does not exist', async () => {
  const none = await send(await issuer.token({ scope: 'openid' }));
  expect(none.status).toBe(403);
  expect(none.challenge).toMatch(/^Bearer error="insufficient_scope", resource_metadata="[^"]*", scope="mcp"$/);
  const only = await issuer.token({ scope: 'mcp:notes' });
  const other = await send(only, '/other');
  expect(other).toMatchObject({ status: 403, challenge: expect.stringContaining('scope="mcp:other"') });
  expect((await send(only, '/none')).text).toBe(other.text.replaceAll('other', 'none'));
  expect((await send(await issuer.token(), '/none')).status).toBe(404);
});

test('a token for one server is valid for that server only', async () => {
  const token = await issuer.token({ aud: [`${audience}/notes`] });
  expect((await send(token)).status).toBe(200);
  expect((await send(token, '/other')).status).toBe(403);
  expect((await send(token, '')).text).not.toContain('only_other');
});

test('tokens are not passed on to servers', async () => {
  const token = await issuer.token({ sub: 'unseen' });
  await send(token, '/notes', 'tools/call', { name: 'read' });
  const text = readFileSync(received, 'utf8');
  expect(text).toContain('tools/call');
  for (const part of [...parts(token), fileToken.slice(3), 'Bearer']) expect(text).not.toContain(part);
});

test('an official client uses a token of the issuer', async () => {
  const token = await issuer.token();
  const client = new Client({ name: 'official', version: '1' });
  const authProvider = { token: async () => token };
  await client.connect(new StreamableHTTPClientTransport(new URL(`${http.url}/notes`), { authProvider }));
  expect((await client.listTools()).tools.map(({ name }) => name)).toContain('read');
  await client.close();
});

const bearing = (token: string) => ({ header: () => `Bearer ${token}` });
const alone = (options: Partial<JwtOptions> = {}) =>
  jwt({ issuer: issuer.url, audience, onError: () => undefined, ...options });

test('a verified token is checked synchronously until it expires', async () => {
  let laterMs = 0;
  const auth = alone({ now: () => nowMs() + laterMs });
  const token = await issuer.token();
  expect(await auth.authenticate(bearing(token))).toMatchObject({ name: 'jwt:ada' });
  expect(auth.authenticate(bearing(token))).toMatchObject({ name: 'jwt:ada' });
  laterMs = 400_000;
  expect(await auth.authenticate(bearing(token))).toMatchObject({ status: 401 });
});

test('cached tokens are limited: the oldest is verified again', async () => {
  const all = await Promise.all([1, 2, 3].map((at) => issuer.token({ sub: `user-${at}` })));
  const [first, second, third] = all as [string, string, string];
  const auth = alone({ maxRememberedChars: 2 * first.length });
  for (const token of all) await auth.authenticate(bearing(token));
  expect(auth.authenticate(bearing(first))).toBeInstanceOf(Promise);
  for (const token of [second, third]) expect(auth.authenticate(bearing(token))).not.toBeInstanceOf(Promise);
});

test('event streams end when their token expires, in both eras', async () => {
  const server = new Server({ name: 'notes', version: '1' });
  server.tool('read', {}, () => 'it was read');
  let behindMs = 60_000;
  const auth = alone({ now: () => nowMs() - behindMs });
  const short = await serveHttp(server, { auth, keepAliveMs: 20 });
  const post = (token: string, headers: Record<string, string>, message: object) =>
    fetch(short.url, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...headers,
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, ...message }),
    });
  try {
    const token = await issuer.token();
    const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'raw', version: '1' } };
    const opened = await post(token, {}, { method: 'initialize', params });
    const session = { 'mcp-session-id': opened.headers.get('mcp-session-id')! };
    // The token is valid when it is verified, and expired when the gateway checks the stream.
    const ending = await issuer.token({ exp: nowS() - 45, iat: nowS() - 100 });
    const stream = await fetch(short.url, {
      headers: { authorization: `Bearer ${ending}`, accept: 'text/event-stream', ...session },
    });
    const listening = await post(
      ending,
      { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'subscriptions/listen' },
      { method: 'subscriptions/listen', params: { notifications: { toolsListChanged: true }, _meta: modernMeta } },
    );
    expect([stream.status, listening.status]).toEqual([200, 200]);
    await Promise.all([stream.text(), listening.text()]); // both streams end
    behindMs = 0;
    expect((await post(ending, session, { method: 'tools/list' })).status).toBe(401);
    expect((await post(token, session, { method: 'tools/list' })).status).toBe(200);
  } finally {
    await short.close();
  }
});

test('an answer of the issuer that is too long or a redirect is rejected', async () => {
  const token = await issuer.token();
  issuer.keys.push({ kty: 'oct', kid: 'padding', k: 'x'.repeat(2_000_000) });
  expect(await alone().authenticate(bearing(token))).toMatchObject({ status: 503 });
  issuer.keys.pop();
  issuer.status = 302;
  expect(await alone().authenticate(bearing(token))).toMatchObject({ status: 503 });
  issuer.status = 200;
  expect(await alone().authenticate(bearing(token))).toMatchObject({ name: 'jwt:ada' });
});

test('while the keys cannot be read, requests get 503, and the keys are requested once in 5 s', async () => {
  const clock = new ManualClock();
  const reported: string[] = [];
  const auth = alone({ clock, jwks: `${issuer.url}/keys`, onError: ({ message }) => reported.push(message) });
  issuer.status = 500;
  const before = issuer.fetches;
  const token = await issuer.token();
  for (let at = 0; at < 5; at++) expect(await auth.authenticate(bearing(token))).toMatchObject({ status: 503 });
  expect(issuer.fetches - before).toBe(1);
  expect(reported).toEqual([expect.stringContaining(issuer.url)]);
  issuer.status = 200;
  clock.advance(5000);
  expect(await auth.authenticate(bearing(token))).toMatchObject({ name: 'jwt:ada' });
});

test('known keys verify tokens while the issuer is down, even after a token with an unknown key', async () => {
  const auth = alone({ jwks: `${issuer.url}/keys` });
  const accepts = async (sub: string) => auth.authenticate(bearing(await issuer.token({ sub })));
  expect(await accepts('one')).toMatchObject({ name: 'jwt:one' });
  await issuer.addKey('later', false);
  const unknown = await issuer.token({}, { kid: 'later' });
  issuer.status = 500;
  const aMinuteLater = nowMs() + 60_000; // for an unknown key, jose fetches again after 30 s
  const now = vi.spyOn(Date, 'now').mockImplementation(() => aMinuteLater);
  try {
    const before = issuer.fetches;
    for (let at = 0; at < 3; at++) expect(await auth.authenticate(bearing(unknown))).toMatchObject({ status: 503 });
    expect(issuer.fetches - before).toBe(1);
    expect(await accepts('two')).toMatchObject({ name: 'jwt:two' });
  } finally {
    now.mockRestore();
    issuer.status = 200;
  }
});

test('a token with a malformed key is refused, and tokens with other keys are accepted', async () => {
  const reported: Error[] = [];
  const auth = alone({ jwks: `${issuer.url}/keys`, onError: (error) => reported.push(error) });
  const malformed = [
    { kty: 'RSA', kid: 'bad', n: '!!!', e: 'AQAB' },
    { kty: 'RSA', kid: 'incomplete' },
  ];
  issuer.keys.push(...malformed);
  try {
    for (const kid of ['bad', 'incomplete']) {
      const [, claims, signature] = parts(await issuer.token());
      const token = `${base64({ alg: 'RS256', kid })}.${claims}.${signature}`;
      const refused = await auth.authenticate(bearing(token));
      expect(refused).toMatchObject({ status: 401 });
      expect((refused as { message: string }).message).not.toContain('is not a function');
      expect(await auth.authenticate(bearing(await issuer.token({ sub: kid })))).toMatchObject({ name: `jwt:${kid}` });
    }
    expect(reported).toEqual([]);
  } finally {
    issuer.keys.splice(-malformed.length);
  }
});

test('a key set with more than 1,000 keys is rejected', async () => {
  const reported: string[] = [];
  const others = Array.from({ length: 1000 }, (_, at) => ({ kty: 'oct', kid: `k${at}`, k: 'x' }));
  issuer.keys.push(...others);
  const token = await issuer.token();
  const onError = ({ message }: Error) => reported.push(message);
  expect(await alone({ onError }).authenticate(bearing(token))).toMatchObject({ status: 503 });
  expect(reported).toEqual([expect.stringContaining('has more than 1000 keys')]);
  issuer.keys.splice(-others.length);
  expect(await alone({ onError }).authenticate(bearing(token))).toMatchObject({ name: 'jwt:ada' });
});

test('an issuer that was unavailable is used once it is available', async () => {
  const clock = new ManualClock();
  const auth = alone({ clock });
  issuer.status = 503;
  expect(await auth.authenticate(bearing(await issuer.token()))).toMatchObject({ status: 503 });
  issuer.status = 200;
  clock.advance(5000);
  expect(await auth.authenticate(bearing(await issuer.token()))).toMatchObject({ name: 'jwt:ada' });
});

test('the metadata of another issuer is rejected', async () => {
  const auth = alone({ issuer: issuer.url.replace('127.0.0.1', 'localhost') });
  expect(await auth.authenticate(bearing(await issuer.token()))).toMatchObject({ status: 503 });
});

test('keys are fetched over HTTPS only', () => {
  for (const options of [
    { issuer: 'http://issuer.example.org' },
    { jwks: 'http://issuer.example.org/keys' },
    { jwks: 'file:///etc/keys' },
    { issuer: 'issuer' },
    { audience: '' },
  ]) {
    expect(() => alone(options)).toThrow(expect.objectContaining({ code: 'INVALID_OPTION' }));
  }
});

test('a program can authorize by other claims', async () => {
  const auth = alone({
    rights: ({ groups }) => ((groups as string[])?.includes('staff') ? { quotas: { sessions: 1 } } : undefined),
  });
  const staff = await issuer.token({ groups: ['staff'], scope: undefined });
  expect(await auth.authenticate(bearing(staff))).toMatchObject({ name: 'jwt:ada', quotas: { sessions: 1 } });
  expect(await auth.authenticate(bearing(await issuer.token()))).toMatchObject({ status: 403 });
  expect(auth.scope).toBeUndefined();
});

test('a handler in an application authenticates tokens, or uses the principal of the application', async () => {
  const server = new Server({ name: 'notes', version: '1' });
  server.tool('read', {}, () => 'it was read');
  const url = 'https://app.example.org/tools';
  const handler = httpHandler(server, { auth: alone(), url });
  const list = (headers: Record<string, string>, principal?: { name: string; servers?: string[] }) =>
    handler.fetch(
      new Request(url, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          'mcp-protocol-version': '2026-07-28',
          'mcp-method': 'tools/list',
          ...headers,
        },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: { _meta: modernMeta } }),
      }),
      principal && { principal },
    );
  const none = await list({});
  expect(none.status).toBe(401);
  const metadataUrl = /resource_metadata="([^"]*)"/.exec(none.headers.get('www-authenticate')!)![1]!;
  expect(metadataUrl).toBe('https://app.example.org/.well-known/oauth-protected-resource/tools');
  expect(await (await handler.fetch(new Request(metadataUrl))).json()).toMatchObject({ resource: url });
  expect((await list({ authorization: `Bearer ${await issuer.token()}` })).status).toBe(200);
  expect((await list({}, { name: 'session-of-the-application' })).status).toBe(200);
  expect((await list({}, { name: 'session-of-the-application', servers: ['other'] })).status).toBe(404);
  await handler.close();
});
