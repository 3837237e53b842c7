// `standpipe token`, and the reaction of a running `up --http` to changed tokens.

import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { modernMeta } from '../fixtures/gateway/modern-request.ts';
import { until } from '../fixtures/server.ts';
import { everythingEntry, folder, gatewayIn, runCli, startCli, writeConfig } from './run-cli.ts';

const file = join(folder, 'some', 'tokens.json');
const token = (...args: string[]) => runCli(['token', ...args, '--tokens', file]);

test('prints a token once, on stdout, and never in the list', async () => {
  const added = await token('add', 'ci', '--server', 'git*', '--tool', 'github/search', '--per-minute', '60');
  expect(added).toMatchObject({ code: 0, stdout: expect.stringMatching(/^sp_[\w-]{43}\n$/) });
  const secret = added.stdout.trim();
  expect(added.stderr).not.toContain(secret);
  const listed = await token('ls');
  expect(listed.stdout).toMatch(/^ci\tgit\*\tgithub\/search\trequestsPerMinute=60\t\d{4}-\d\d-\d\d\tnever\n$/);
  const { stdout } = await token('ls', '--json');
  expect(JSON.parse(stdout)).toEqual({
    tokens: [
      {
        name: 'ci',
        servers: ['git*'],
        tools: ['github/search'],
        quotas: { requestsPerMinute: 60 },
        created: expect.any(String),
      },
    ],
  });
  expect(readFileSync(file, 'utf8')).not.toContain(secret.slice(3));
  const again = await token('add', 'ci');
  expect(again).toMatchObject({ code: 2, stderr: expect.stringContaining(`standpipe token rm ci --tokens ${file}`) });
  expect(await token('rm', 'cl')).toMatchObject({ code: 2, stderr: expect.stringContaining('Did you mean "ci"?') });
  expect(await token('rm', 'ci')).toMatchObject({ code: 0 });
  expect((await token('ls')).stderr).toContain(`Make one: standpipe token add <name> --tokens ${file}`);
});

test('--json prints the token, --expires limits its lifetime, and invalid values are refused', async () => {
  const { stdout } = await token('add', 'short', '--expires', '2h', '--json');
  expect(JSON.parse(stdout)).toEqual({ name: 'short', token: expect.stringMatching(/^sp_/), file });
  const { tokens } = JSON.parse((await token('ls', '--json')).stdout);
  const { created, expires } = tokens.find(({ name }: { name: string }) => name === 'short');
  expect(Math.round((Date.parse(expires) - Date.parse(created)) / 60_000)).toBe(120);
  expect(await token('add', 'x', '--expires', 'soon')).toMatchObject({ code: 2 });
  expect(await token('add', 'x', '--in-flight', '0')).toMatchObject({ code: 2 });
  expect(await token('add', 'x', '--tool', '')).toMatchObject({ code: 2, stderr: expect.stringContaining('is empty') });
  expect(await token('add')).toMatchObject({ code: 2, stderr: expect.stringContaining('`standpipe token --help`') });
});

test('a running host accepts new tokens, and closes the sessions of removed ones', async () => {
  const laptop = (await token('add', 'laptop', '--server', 'everything', '--sessions', '1')).stdout.trim();
  const config = writeConfig('tokens-http.json', { everything: everythingEntry, other: everythingEntry });
  const up = startCli(['up', '--config', config, '--no-inspector', '--http', '0', '--tokens', file]);
  let log = '';
  up.stdout.on('data', (chunk) => (log += chunk));
  const ended = once(up, 'close');
  try {
    await until('it serves', () => /Tokens are read from \S+\n/.test(log));
    const [, url] = /MCP over HTTP at (\S+)/.exec(log)!;
    const send = (bearer: string, path: string, headers: Record<string, string>, message: object) =>
      fetch(`${url}${path}`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${bearer}`,
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          ...headers,
        },
        body: JSON.stringify({ jsonrpc: '2.0', ...message }),
      });
    const initialize = {
      id: 1,
      method: 'initialize',
      params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'raw', version: '1' } },
    };
    const opened = await send(laptop, '/everything', {}, initialize);
    expect(opened.status).toBe(200);
    const other = await send(laptop, '/other', {}, initialize);
    expect(other.status).toBe(404);
    expect(await other.text()).toContain('This token cannot use a server named \\"other\\". Use /mcp.');
    expect((await send(laptop, '/everything', {}, initialize)).status).toBe(429);
    const session = { 'mcp-session-id': opened.headers.get('mcp-session-id')! };
    const stream = await fetch(`${url}/everything`, {
      headers: { authorization: `Bearer ${laptop}`, accept: 'text/event-stream', ...session },
    });
    expect(stream.status).toBe(200);
    const listening = await send(
      laptop,
      '/everything',
      { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'subscriptions/listen' },
      {
        id: 3,
        method: 'subscriptions/listen',
        params: {
          notifications: { toolsListChanged: true },
          _meta: modernMeta,
        },
      },
    );
    expect(listening.headers.get('content-type')).toBe('text/event-stream');
    const second = (await token('add', 'second')).stdout.trim();
    expect((await send(second, '/other', {}, initialize)).status).toBe(200);
    expect((await send(second, '/everything', session, { id: 2, method: 'tools/list' })).status).toBe(404);
    await token('rm', 'laptop');
    await Promise.all([stream.text(), listening.text()]); // both streams end
    expect((await send(laptop, '/everything', session, { id: 2, method: 'tools/list' })).status).toBe(401);
    expect(log).not.toContain(laptop);
  } finally {
    up.kill('SIGTERM');
    await ended;
  }
});

test('a host that started without a file of tokens accepts the first token, and refuses it after its removal', async () => {
  const env = { XDG_CONFIG_HOME: join(folder, 'not yet there') };
  const config = writeConfig('no-tokens-yet.json', { everything: everythingEntry });
  const up = startCli(['up', '--config', config, '--no-inspector', '--http', '0'], { env });
  let log = '';
  up.stdout.on('data', (chunk) => (log += chunk));
  const ended = once(up, 'close');
  try {
    await until('it serves', () => gatewayIn(log) !== undefined);
    const { url, token: owner } = gatewayIn(log)!;
    const statusFor = async (bearer: string) =>
      (await fetch(`${url}/everything`, { method: 'DELETE', headers: { authorization: `Bearer ${bearer}` } })).status;
    const added = await runCli(['token', 'add', 'first'], { env });
    expect(added.stderr).not.toContain('restart');
    const first = added.stdout.trim();
    expect(await statusFor(first)).not.toBe(401);
    expect(await statusFor(owner)).not.toBe(401);
    await runCli(['token', 'rm', 'first'], { env });
    await until('the token is refused', async () => (await statusFor(first)) === 401);
    expect(await statusFor(owner)).not.toBe(401);
  } finally {
    up.kill('SIGTERM');
    await ended;
  }
});
