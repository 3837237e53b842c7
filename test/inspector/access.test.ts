// Requests that the Inspector refuses: from other users, other sites, other programs, and with paths outside the folder
// of the page.

import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { hostSource } from '../../src/app/inspector/sources/source.ts';
import { Host } from '../../src/host/host.ts';
import { type Inspected, inspectHost, openPage } from './inspecting.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'standpipe-inspector-'));
  await mkdir(join(folder, 'ui', 'assets'), { recursive: true });
  await writeFile(join(folder, 'secret.txt'), 'SECRET');
  await mkdir(join(folder, 'ui-other'));
  await writeFile(join(folder, 'ui-other', 'secret.txt'), 'SECRET');
  await writeFile(join(folder, 'ui', 'index.html'), '<!doctype html><title>The page</title>');
  await writeFile(join(folder, 'ui', '.hidden'), 'SECRET');
  await writeFile(join(folder, 'ui', 'assets', 'index-1.js'), 'export {};');
  await symlink(join(folder, 'secret.txt'), join(folder, 'ui', 'link.txt'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

let page: Inspected;
let own: { host: string; token: string };
beforeEach(async () => {
  page = await inspectHost([], { uiFolder: join(folder, 'ui') });
  own = { host: `127.0.0.1:${page.inspector.port}`, token: page.inspector.token };
});

const api = (more: Record<string, string> = {}) => ({ host: own.host, 'x-standpipe-token': own.token, ...more });

test('the page and the API answer requests of the page', async () => {
  expect((await page.raw('/', { host: own.host })).text).toContain('The page');
  expect((await page.raw('/api/overview', api())).status).toBe(200);
  expect((await page.raw(`/api/overview?token=${own.token}`, { host: own.host })).status).toBe(200);
  const localhost = `localhost:${page.inspector.port}`;
  const same = { origin: `http://${localhost}`, 'sec-fetch-site': 'same-origin' };
  expect((await page.raw('/api/overview', api({ host: localhost, ...same }))).status).toBe(200);
});

describe('refuses a foreign Host, so that DNS rebinding has no effect', () => {
  const hosts = ['evil.example', 'evil.example:PORT', '127.0.0.1', '127.0.0.1:1', '127.0.0.1.evil.example:PORT'];
  const odd = ['localhost.:PORT', '0.0.0.0:PORT', '[::1]:PORT', 'x@127.0.0.1:PORT', '127.0.0.1:PORT.evil.example'];
  test.each([...hosts, ...odd])('%j', async (name) => {
    const host = name.replace('PORT', String(page.inspector.port));
    for (const path of ['/', '/api/overview', `/api/live?token=${own.token}`]) {
      expect(await page.raw(path, api({ host }))).toMatchObject({ status: 403 });
    }
  });
});

test('refuses a request without a Host', async () => {
  for (const version of ['1.0', '1.1']) {
    const socket = connect(page.inspector.port, '127.0.0.1');
    socket.end(`GET /api/overview?token=${own.token} HTTP/${version}\r\n\r\n`);
    let text = '';
    for await (const chunk of socket) text += chunk;
    expect(text).toMatch(/^HTTP\/1\.1 40[03] /);
    expect(text).not.toContain('servers');
  }
});

describe('refuses a foreign Origin, even with the token', () => {
  test.each([
    'https://evil.example',
    'null',
    'http://127.0.0.1:1',
    'https://127.0.0.1:PORT',
    'http://localhost:PORT',
    '',
  ])('%j', async (name) => {
    const origin = name.replace('PORT', String(page.inspector.port));
    for (const path of ['/', '/api/overview', `/api/live?token=${own.token}`]) {
      const answer = await page.raw(path, api({ origin }));
      expect(answer.status).toBe(403);
      expect(Object.keys(answer.headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
    }
  });

  test('refuses a preflight request', async () => {
    const asked = { origin: 'https://evil.example', 'access-control-request-method': 'POST' };
    const answer = await page.raw('/api/servers/x/call', { host: own.host, ...asked }, 'OPTIONS');
    expect(answer.status).toBe(403);
    expect(answer.headers['access-control-allow-origin']).toBeUndefined();
  });
});

test('refuses a WebSocket from another origin with 403, and one of the page with 404', async () => {
  const upgrade = {
    connection: 'Upgrade',
    upgrade: 'websocket',
    'sec-websocket-version': '13',
    'sec-websocket-key': 'eA==',
  };
  const path = `/api/socket?token=${own.token}`;
  expect((await page.raw(path, api({ ...upgrade, origin: 'https://evil.example' }))).status).toBe(403);
  expect((await page.raw(path, api(upgrade))).status).toBe(404);
});

test('refuses requests that another site or program causes', async () => {
  expect((await page.raw('/', { host: own.host, 'sec-fetch-site': 'cross-site' })).status).toBe(403);
  expect((await page.raw('/api/overview', api({ 'sec-fetch-site': 'cross-site' }))).status).toBe(403);
  expect((await page.raw('/api/overview', api({ 'sec-fetch-site': 'same-site' }))).status).toBe(403);
  expect((await page.raw('/', { host: own.host, 'sec-fetch-site': 'none' })).status).toBe(200);
});

test('allows other sites only to link to the page with the token', async () => {
  const followed = {
    host: own.host,
    'sec-fetch-site': 'cross-site',
    'sec-fetch-mode': 'navigate',
    'sec-fetch-dest': 'document',
  };
  const link = `/?token=${own.token}`;
  expect((await page.raw(link, followed)).status).toBe(200);
  expect((await page.raw('/', followed)).status).toBe(403);
  expect((await page.raw('/?token=x', followed)).status).toBe(403);
  expect((await page.raw(`/api/overview?token=${own.token}`, followed)).status).toBe(403);
  expect((await page.raw(link, { ...followed, 'sec-fetch-dest': 'iframe' })).status).toBe(403);
  expect((await page.raw(link, { ...followed, 'sec-fetch-mode': 'no-cors' })).status).toBe(403);
  expect((await page.raw(link, { ...followed, origin: 'https://evil.example' })).status).toBe(403);
});

test('returns no data without the token or with a wrong one', async () => {
  const paths = ['/api/overview', '/api/events', '/api/live', '/api/nothing', '/api'];
  const wrong = ['', 'x', own.token.slice(1), `${own.token}x`, own.token.toUpperCase(), 'Ä'.repeat(16)];
  for (const path of paths) {
    expect((await page.raw(path, { host: own.host })).status).toBe(401);
    for (const token of wrong) {
      const inQuery = await page.raw(`${path}?token=${encodeURIComponent(token)}`, { host: own.host });
      expect(inQuery.status).toBe(401);
    }
    expect((await page.raw(path, { host: own.host, 'x-standpipe-token': 'x' })).status).toBe(401);
    // A correct token in the address does not override a wrong header.
    expect((await page.raw(`${path}?token=${own.token}`, { host: own.host, 'x-standpipe-token': 'x' })).status).toBe(
      401,
    );
  }
  const post = { host: own.host, 'content-type': 'application/json' };
  expect((await page.raw('/api/servers/x/call', post, 'POST', '{}')).status).toBe(401);
});

test('each launch has its own token', async () => {
  const other = await inspectHost([]);
  expect(other.inspector.token).not.toBe(own.token);
  expect(own.token).toMatch(/^[\w-]{32}$/);
  expect(page.inspector.url).toBe(`http://${own.host}/?token=${own.token}`);
});

describe('no path leads out of the folder of the page', () => {
  test.each([
    '/../secret.txt',
    '/assets/../../secret.txt',
    '/..%2fsecret.txt',
    '/%2e%2e/secret.txt',
    '/%2e%2e%2fsecret.txt',
    '/%252e%252e%252fsecret.txt',
    '/..\\secret.txt',
    '/..%5csecret.txt',
    '/assets/..%5c..%5csecret.txt',
    '/index.html%00.js',
    '/%00',
    '/secret.txt%00.html',
    '//etc/passwd',
    '/%2fetc%2fpasswd',
    '/../ui-other/secret.txt',
    '/.hidden',
    '/link.txt',
    '/assets',
    '/%',
    '/%ff%fe',
    '/C:/secret.txt',
  ])('%s', async (path) => {
    const answer = await page.raw(path, { host: own.host });
    expect(answer.status).toBe(404);
    expect(answer.text).not.toMatch(/SECRET|root:/);
    expect(answer.headers['content-type']).toContain('application/json');
  });

  test('refuses an absolute URL in place of a path', async () => {
    expect((await page.raw('http://evil.example/', { host: own.host })).status).toBe(400);
    expect((await page.raw('*', { host: own.host }, 'OPTIONS')).status).toBe(400);
  });
});

test('sends pages with a policy that blocks external resources', async () => {
  const { headers } = await page.raw('/', { host: own.host });
  const policy = headers['content-security-policy'] as string;
  expect(policy).toContain("default-src 'none'");
  expect(policy).toContain("script-src 'self'");
  expect(policy).toContain("frame-ancestors 'none'");
  expect(policy).not.toMatch(/unsafe|https?:|\*/);
  expect(headers).toMatchObject({ 'x-content-type-options': 'nosniff', 'referrer-policy': 'no-referrer' });
  expect(headers['cache-control']).toBe('no-cache');
  const script = await page.raw('/assets/index-1.js', { host: own.host });
  expect(script.headers).toMatchObject({ 'content-type': 'text/javascript; charset=utf-8' });
  expect(script.headers['cache-control']).toContain('immutable');
  expect((await page.raw('/', { host: own.host }, 'HEAD')).text).toBe('');
  const overview = await page.raw('/api/overview', api());
  expect(overview.headers).toMatchObject({ 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' });
});

test('refuses the form of another page, because only JSON is accepted', async () => {
  for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', '']) {
    const headers = api({ ...(type && { 'content-type': type }) });
    expect((await page.raw('/api/servers/x/stop', headers, 'POST', '{}')).status).toBe(415);
  }
  const json = api({ 'content-type': 'Application/JSON; charset=utf-8' });
  expect((await page.raw('/api/servers/x/stop', { ...json, 'content-encoding': 'gzip' }, 'POST', '{}')).status).toBe(
    415,
  );
  expect((await page.raw('/api/servers/x/stop', json, 'POST', '{')).status).toBe(400);
  expect((await page.raw('/api/servers/x/stop', json, 'POST', '{}')).status).toBe(404);
});

test('refuses a body that is too large, and names the limit', async () => {
  const json = api({ 'content-type': 'application/json' });
  const body = Buffer.alloc(9 * 1024 * 1024, 0x20);
  const whole = await page.raw('/api/servers/x/call', json, 'POST', body);
  expect(whole).toMatchObject({ status: 413, text: expect.stringContaining('larger than 8388608 bytes') });
  const chunked = await page.raw('/api/servers/x/call', { ...json, 'transfer-encoding': 'chunked' }, 'POST', body);
  expect(chunked.status).toBe(413);
});

test('answers 404 for unknown paths and 405 for wrong methods, as JSON', async () => {
  expect(await page.raw('/api/nothing', api())).toMatchObject({ status: 404 });
  expect(await page.raw('/api/overview/', api())).toMatchObject({ status: 404 });
  expect(await page.raw('/api/overview', api(), 'DELETE')).toMatchObject({ status: 405 });
  expect(await page.raw('/api/servers/x/stop', api())).toMatchObject({ status: 405 });
  expect(await page.raw('/', api(), 'PUT')).toMatchObject({ status: 405 });
  const { text, headers } = await page.raw('/api/servers/%/offer', api());
  expect(JSON.parse(text)).toEqual({
    error: { code: 'INSPECTOR', message: 'The address has an invalid escape sequence' },
  });
  expect(headers['content-type']).toContain('application/json');
});

test('serves a plain page with an explanation if the page is not built', async () => {
  const bare = await openPage(hostSource(new Host([])), join(folder, 'nothing-here'));
  const answer = await bare.raw('/', { host: `127.0.0.1:${bare.inspector.port}` });
  expect(answer).toMatchObject({ status: 503, text: expect.stringContaining('npm run build:ui') });
  expect((await bare.get<{ canAct: boolean }>('overview')).canAct).toBe(true);
});
