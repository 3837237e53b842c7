// `standpipe up --http`: the servers of the config, for MCP clients that speak HTTP.

import { once } from 'node:events';
import { statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { expect, test } from 'vitest';
import { startIssuer } from '../fixtures/gateway/issuer.ts';
import { selfSigned } from '../fixtures/gateway/self-signed.ts';
import { until } from '../fixtures/server.ts';
import { privateMode } from '../fixtures/windows.ts';
import { everythingEntry, folder, gatewayIn, runCli, startCli, writeConfig } from './run-cli.ts';

test('an official client calls a server of the config, with the token from the file', async () => {
  const config = writeConfig('http.json', { everything: everythingEntry });
  const up = startCli(['up', '--config', config, '--http', '0']);
  let log = '';
  up.stdout.on('data', (chunk) => (log += chunk));
  const ended = once(up, 'close');
  try {
    await until('it serves', () => gatewayIn(log) !== undefined);
    const { url, token, tokenFile } = gatewayIn(log)!;
    expect(statSync(tokenFile).mode & 0o777).toBe(privateMode);
    const headers = { authorization: `Bearer ${token}` };
    const client = new Client({ name: 'official', version: '1' });
    await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/everything`), { requestInit: { headers } }));
    const { tools } = await client.listTools();
    expect(tools.length).toBeGreaterThan(0);
    await client.close();
    const { origin } = new URL(url);
    expect((await fetch(`${origin}/readyz`)).status).toBe(200);
    const metrics = await (await fetch(`${origin}/metrics`, { headers })).text();
    expect(metrics).toContain('standpipe_server_ready{server="everything"} 1');
    expect(metrics).toContain('standpipe_requests_total{server="everything",method="tools/list",outcome="ok"} 1');
    expect((await fetch(`${url}/nobody`, { method: 'POST', headers })).status).toBe(404);
    expect((await fetch(url, { method: 'POST' })).status).toBe(401);
  } finally {
    up.kill('SIGTERM');
    await ended;
  }
});

test('refuses an address that other machines can reach before it starts servers', async () => {
  const config = writeConfig('http.json', { everything: everythingEntry });
  const { code, stderr, stdout } = await runCli(['up', '--config', config, '--no-inspector', '--http', '0.0.0.0:0']);
  expect([code, stderr]).toEqual([2, expect.stringContaining('standpipe token add')]);
  expect(stdout).not.toContain('everything ready');
});

test('access tokens of an issuer are accepted', async () => {
  const issuer = await startIssuer('https://gateway.example.org/mcp');
  const config = writeConfig('jwt.json', { everything: everythingEntry });
  const args = ['--http', '0', '--jwt-issuer', issuer.url, '--jwt-audience', 'https://gateway.example.org/mcp'];
  const up = startCli(['up', '--config', config, '--no-inspector', ...args]);
  let log = '';
  up.stdout.on('data', (chunk) => (log += chunk));
  const ended = once(up, 'close');
  try {
    await until('it serves', () => /Access tokens of \S+ are accepted\n/.test(log));
    const [, url] = /MCP over HTTP at (\S+)/.exec(log)!;
    const token = await issuer.token({ scope: 'mcp:everything' });
    const client = new Client({ name: 'official', version: '1' });
    const authProvider = { token: async () => token };
    await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/everything`), { authProvider }));
    expect((await client.listTools()).tools.length).toBeGreaterThan(0);
    await client.close();
    expect(log).not.toContain(token);
  } finally {
    up.kill('SIGTERM');
    await ended;
    await issuer.close();
  }
});

test('reads a certificate again when its files change', async () => {
  const [cert, key] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
  const write = (name: string) => {
    const made = selfSigned(name);
    writeFileSync(cert, made.cert);
    writeFileSync(key, made.key);
  };
  write('first');
  const config = writeConfig('https.json', { everything: everythingEntry });
  const args = ['--http', '0', '--tls-cert', cert, '--tls-key', key];
  const up = startCli(['up', '--config', config, '--no-inspector', ...args]);
  let log = '';
  up.stdout.on('data', (chunk) => (log += chunk));
  const ended = once(up, 'close');
  try {
    await until('it serves', () => /MCP over HTTP at \S+/.test(log));
    const { port } = new URL(/MCP over HTTP at (https:\S+)/.exec(log)![1]!);
    const shown = () =>
      new Promise<string>((resolve, reject) => {
        const socket = connect({ port: Number(port), host: '127.0.0.1', rejectUnauthorized: false }, () => {
          resolve(socket.getPeerCertificate().subject.CN as string);
          socket.destroy();
        });
        socket.on('error', reject);
      });
    expect(await shown()).toBe('first');
    write('second');
    await until('the new certificate is shown', async () => (await shown()) === 'second');
  } finally {
    up.kill('SIGTERM');
    await ended;
  }
});
