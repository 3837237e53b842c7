// Remote servers on the command line: `--url`, a URL in place of a name, and entries of a config.

import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { connect } from '../../src/connect/connect.ts';
import { type HttpServing, serveHttp } from '../../src/entry/http.ts';
import { Server } from '../../src/mcp/server/server.ts';
import { selfSigned } from '../fixtures/gateway/self-signed.ts';
import { later } from '../fixtures/later.ts';
import { lacks } from '../fixtures/windows.ts';
import { cleanEnv, finished, folder, program, runCli, startCli, writeConfig } from './run-cli.ts';

const token = 'sp-t0ken-of-the-test';
let http: HttpServing;
let open: HttpServing;

function sums(): Server {
  const server = new Server({ name: 'sums', version: '1.0.0' });
  const number = { type: 'number' };
  const input = { type: 'object', properties: { a: number, b: number }, required: ['a', 'b'] };
  server.tool('add', { input }, (args) => String(Number(args.a) + Number(args.b)));
  server.resource('memo://one', { name: 'one' }, () => 'a memo');
  server.prompt('greet', {}, () => 'Say hello');
  return server;
}

beforeAll(async () => {
  [http, open] = await Promise.all([serveHttp(sums(), { token }), serveHttp(sums(), { token: false })]);
});
afterAll(() => Promise.all([http.close(), open.close()]));

const bearer = ['--header', 'Authorization: Bearer ${SUMS_TOKEN}'];
const env = { ...cleanEnv, SUMS_TOKEN: token };

test('call, tools, read, prompt and types use a remote server', async () => {
  const [call, tools, read, prompt, types] = await Promise.all([
    runCli(['call', 'add', 'a=2', 'b=3', '--url', http.url, ...bearer], { env }),
    runCli(['tools', open.url]),
    runCli(['read', '--url', open.url, 'memo://one']),
    runCli(['prompt', open.url, 'greet']),
    runCli(['types', open.url]),
  ]);
  expect(call).toEqual({ code: 0, stdout: '5\n', stderr: '' });
  expect(tools).toMatchObject({ code: 0, stdout: expect.stringMatching(/^127\.0\.0\.1:\d+\tadd\t/), stderr: '' });
  expect(read).toEqual({ code: 0, stdout: 'a memo', stderr: '' });
  expect(prompt).toMatchObject({ code: 0, stdout: 'user: Say hello\n' });
  expect(types.stdout).toContain('add: {');
});

test('accepts a URL in place of a name, and remote entries of a config like others', async () => {
  const config = writeConfig('address.json', {
    sums: { url: http.url, headers: { Authorization: 'Bearer ${SUMS_TOKEN}' } },
  });
  const [byUrl, byName, listed] = await Promise.all([
    runCli(['call', open.url, 'add', 'a=2', 'b=3', '--json']),
    runCli(['call', 'sums/add', 'a=2', 'b=3', '--json', '--config', config], { env }),
    runCli(['config', '--config', config], { env }),
  ]);
  expect(JSON.parse(byUrl.stdout)).toMatchObject({ server: new URL(open.url).host, content: [{ text: '5' }] });
  expect(JSON.parse(byName.stdout)).toMatchObject({ server: 'sums', content: [{ text: '5' }] });
  expect(listed.stdout).toContain(`sums\tenabled\tmcp\t${http.url}\tAuthorization\t${config}:3`);
  expect(listed.stderr).toContain('No problems found.');
});

test('a running host connects to a remote server, and disconnects when it stops', async () => {
  const config = writeConfig('address-up.json', { sums: { url: open.url } });
  const started = await runCli(['up', '--background', '--no-inspector', '--json', '--config', config]);
  expect(JSON.parse(started.stdout)).toMatchObject({ pid: expect.any(Number) });
  const called = await runCli(['call', 'add', 'a=2', 'b=3', '--config', config]);
  const ended = await runCli(['down', '--json', '--config', config]);
  expect(called).toEqual({ code: 0, stdout: '5\n', stderr: '' });
  expect(JSON.parse(ended.stdout)).toMatchObject({ stopped: ['sums'] });
});

test('connect relays stdio to a remote server, with a token from the environment', async () => {
  const args = [program, 'connect', http.url, ...bearer];
  const client = await connect({
    command: process.execPath,
    args,
    env: env as Record<string, string>,
    stderr: 'ignore',
  });
  const { content } = await client.callTool('add', { a: 2, b: 3 });
  const listed = await runCli(['ls', '--shared', '--json']);
  await client.close();
  await runCli(['down', '--shared']);
  expect(content).toEqual([{ type: 'text', text: '5' }]);
  expect(JSON.parse(listed.stdout).servers).toMatchObject([{ name: new URL(http.url).host, state: 'ready' }]);
  expect(listed.stdout).not.toContain(token);
});

test('trusts a certificate of an authority that the entry names', async () => {
  const certificate = selfSigned('sums');
  const tls = await serveHttp(sums(), { token: false, tls: certificate });
  later(() => tls.close());
  writeFileSync(join(folder, 'ca.pem'), certificate.cert);
  const config = writeConfig('tls.json', {
    trusted: { url: tls.url, ca: 'ca.pem' },
    untrusted: { url: tls.url },
    unread: { url: tls.url, ca: 'no-such-file.pem' },
  });
  const call = (name: string) => runCli(['call', name, 'add', 'a=2', 'b=3', '--config', config]);
  const [trusted, untrusted, unread] = await Promise.all([call('trusted'), call('untrusted'), call('unread')]);
  expect(trusted).toEqual({ code: 0, stdout: '5\n', stderr: '' });
  expect(untrusted.stderr).toContain('certificate');
  expect(unread.stderr).toMatch(/The certificates of "ca" cannot be read: ENOENT.*\nhint: Correct "ca"/);
});

test('names a server that requires a login by its address', async () => {
  const { stderr } = await runCli(['tools', http.url]);
  expect(stderr).toContain(`Run \`standpipe login ${http.url}\`.`);
});

test('inspect shows a remote server, and how a command reaches it without its token', async () => {
  const words = ['inspect', http.url, ...bearer, '--header', 'X-Region: nowhere', '--port', '0', '--json'];
  const child = startCli(words, { env });
  const [document] = await once(child.stdout, 'data');
  const { url } = JSON.parse(String(document));
  const { origin, searchParams } = new URL(url);
  const answer = await fetch(`${origin}/api/overview`, {
    headers: { 'x-standpipe-token': searchParams.get('token')! },
  });
  const { servers } = (await answer.json()) as { servers: { reach: object }[] };
  child.kill('SIGINT');
  const { code } = await finished(child);
  if (!lacks.signals) expect(code).toBe(0);
  expect(servers[0]!.reach).toEqual({
    options: ['--header', bearer[1], '--header', 'X-Region: [redacted]', '--url', http.url],
  });
});

test('warns of a token that the shell expanded, and does not print it', async () => {
  const given = ['--header', `Authorization: Bearer ${token}`, '--verbose'];
  const { code, stdout, stderr } = await runCli(['call', http.url, 'add', 'a=2', 'b=3', ...given]);
  expect(code).toBe(0);
  expect(stderr).toMatch(
    /warning: Other users of this machine can see the value of the header "Authorization"\..*\$\{NAME\}/,
  );
  expect(stdout + stderr).not.toContain(token);
  const wrong = await runCli(['tools', http.url, '--header', `Authorization: Bearer ${token}x`, '--json']);
  expect(wrong.code).not.toBe(0);
  expect(wrong.stdout + wrong.stderr).not.toContain(token);
});
