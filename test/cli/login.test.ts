// `standpipe login` and `logout`, with a browser that follows the redirect.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { LoginStore } from '../../src/wire/oauth/login-store.ts';
import { type AuthorizationServer, startAuthorizationServer } from '../fixtures/oauth/authorization-server.ts';
import { type ProtectedServer, startProtectedServer } from '../fixtures/oauth/protected-server.ts';
import { until } from '../fixtures/server.ts';
import { configFolder, folder, type Ran, runCli, spawnCli, startCli, stopHost } from './run-cli.ts';

const file = join(configFolder, 'standpipe/logins.json');
const config = join(folder, 'mcp.json');
const store = new LoginStore({ file, keyring: false });
let issuer: AuthorizationServer;
let server: ProtectedServer;

beforeAll(async () => {
  issuer = await startAuthorizationServer();
  server = await startProtectedServer(issuer);
  const entry = { url: server.url, oauth: { scopes: ['extra'] } };
  writeFileSync(config, JSON.stringify({ mcpServers: { notes: entry, local: { command: 'true' } } }));
});
afterAll(async () => {
  await server?.close();
  await issuer?.close();
});

const cli = (...args: string[]) => runCli(args);

/** Opens the printed address like a browser, and resolves to the output and the last page. */
async function logIn(...args: string[]): Promise<Ran & { page: string }> {
  const child = startCli(['login', '--no-open', ...args]);
  const ran = { code: null as number | null, stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => (ran.stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (ran.stderr += text));
  const ended = new Promise<void>((resolve) => {
    child.once('close', (code) => {
      ran.code = code;
      resolve();
    });
  });
  const address = () => /^http\S+\/authorize\?\S+$/m.exec(ran.stderr)?.[0];
  await until('the address is printed', () => address() !== undefined || ran.code !== null);
  const page = await fetch(address()!).then((response) => response.text());
  await ended;
  return { ...ran, page };
}

test('logs in, shows the status, uses the login and logs out, without printing a token', async () => {
  const call = () => cli('call', 'notes', 'hello', '--config', config);
  expect(await call()).toMatchObject({ code: 3, stderr: expect.stringContaining('Run `standpipe login notes`') });
  const done = await logIn('notes', '--config', config, '--scope', 'more');
  expect(done).toMatchObject({ code: 0, stdout: '', page: expect.stringContaining('You can close this page') });
  expect(done.stderr).toContain(`Logged in to notes at ${issuer.url}`);
  const login = (await store.read({ server: server.url }))!;
  expect(login.scope).toBe('mcp extra more');

  // The result repeats the token and is printed unchanged; the traffic is printed with the token masked.
  const leaked = await cli('call', 'notes', 'leak', '--verbose', '--config', config);
  expect(leaked.stdout).toBe(`${login.secrets.accessToken}\n`);
  expect(leaked.stderr).toContain('"text":"[redacted]"');
  expect(leaked.stderr).not.toContain(login.secrets.accessToken);

  const withKey = { ...login, server: 'https://remote.test/mcp?key=hunter2' };
  await store.write({ server: withKey.server }, withKey);
  expect((await cli('login', '--status', '--json')).stdout).toContain('"https://remote.test/mcp?key=[redacted]"');
  await store.remove({ server: withKey.server });

  const [shown, asJson] = [await cli('login', '--status'), await cli('login', '--status', '--json')];
  expect(shown.stdout).toContain(server.url);
  expect(JSON.parse(asJson.stdout).logins).toMatchObject([
    { server: server.url, issuer: issuer.url, tokensIn: 'file' },
  ]);
  const { accessToken, refreshToken } = login.secrets;
  for (const secret of [accessToken, refreshToken!]) {
    expect(readFileSync(file, 'utf8')).toContain(secret);
    for (const { stdout, stderr } of [done, shown, asJson]) expect(stdout + stderr).not.toContain(secret);
  }

  const out = await cli('logout', server.url);
  expect(out).toMatchObject({ code: 0, stderr: expect.stringContaining('has revoked them') });
  expect(issuer.requests.at(-1)).toMatchObject({ path: '/revoke' });
  expect(issuer.requests.at(-1)!.params.get('token')).toBe(refreshToken);
  expect(readFileSync(file, 'utf8')).not.toContain(accessToken);
  expect(await cli('logout', server.url)).toMatchObject({ code: 2, stderr: expect.stringContaining('not logged in') });
});

test('a running host reports the missing login, connects after it, and forgets the token after the logout', async () => {
  const host = startCli(['up', '--no-inspector', '--config', config]);
  let log = '';
  host.stdout.setEncoding('utf8').on('data', (text: string) => (log += text));
  await until('the host needs a login', () => log.includes('Run `standpipe login notes`'));
  await logIn('notes', '--config', config);
  await until('the host is connected', () => log.includes('notes ready'));
  await cli('logout', 'notes', '--config', config);
  const refused = await cli('call', 'notes', 'hello', '--config', config);
  expect(refused).toMatchObject({ code: 3, stderr: expect.stringContaining('requires a login') });
  await stopHost(host);
});

test('concurrent processes refresh an expired token once', async () => {
  issuer.expiresIn = 10; // shorter than the limit of a request
  await logIn('notes', '--config', config);
  issuer.expiresIn = 3600;
  issuer.requests = [];
  const calls = [1, 2, 3].map(() => spawnCli(['call', 'notes', 'hello', '--config', config]));
  expect((await Promise.all(calls)).map(({ stdout }) => stdout)).toEqual(Array(3).fill('hello\n'));
  expect(issuer.count('/token')).toBe(1);
});

test('--json prints the facts without the token', async () => {
  const { stdout, code } = await logIn(server.url, '--json', '--client-id', 'registered-by-hand');
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ issuer: issuer.url, clientId: 'registered-by-hand', canRefresh: true });
  expect(stdout).not.toMatch(/secrets|eyJ/);
});

test('reports a refusal in the browser', async () => {
  issuer.redirect = { error: 'access_denied', error_description: 'not today' };
  Object.assign(issuer.redirect, { code: null });
  const { code, stderr, page } = await logIn(server.url);
  issuer.redirect = {};
  expect(page).toContain('was refused');
  expect([code, stderr]).toEqual([3, expect.stringContaining('access_denied: not today')]);
});

test('refuses servers without a login by name', async () => {
  const run = (...args: string[]) => cli('login', ...args, '--config', config);
  expect(await run('local')).toMatchObject({ code: 2, stderr: expect.stringContaining('is a local command') });
  expect(await run('note')).toMatchObject({ code: 2, stderr: expect.stringContaining('Did you mean') });
  expect(await run('http://')).toMatchObject({ code: 2 });
  expect(await run()).toMatchObject({ code: 2, stderr: expect.stringContaining('No server was given') });
  expect(await run(`${issuer.url}/none`)).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('does not ask for a login'),
  });
});
