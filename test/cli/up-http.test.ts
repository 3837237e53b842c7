// `standpipe up --http`: the servers of the config, for MCP clients that speak HTTP.

import { once } from 'node:events';
import { readFileSync, statSync } from 'node:fs';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { expect, test } from 'vitest';
import { until } from '../fixtures/server.ts';
import { everythingEntry, finished, runCli, startCli, writeConfig } from './run-cli.ts';

test('an official client calls a server of the config, with the token from the file', async () => {
  const config = writeConfig('http.json', { everything: everythingEntry });
  const up = startCli(['up', '--config', config, '--http', '0']);
  let log = '';
  up.stdout.on('data', (chunk) => (log += chunk));
  const ended = once(up, 'close');
  try {
    await until('it serves', () => /The token is in \S+\n/.test(log));
    const [, url] = /MCP over HTTP at (\S+)/.exec(log)!;
    const [, file] = /The token is in (\S+)/.exec(log)!;
    expect(statSync(file!).mode & 0o777).toBe(0o600);
    const headers = { authorization: `Bearer ${readFileSync(file!, 'utf8').trim()}` };
    const client = new Client({ name: 'official', version: '1' });
    await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/everything`), { requestInit: { headers } }));
    const { tools } = await client.listTools();
    expect(tools.length).toBeGreaterThan(0);
    await client.close();
    const { origin } = new URL(url!);
    expect((await fetch(`${origin}/readyz`)).status).toBe(200);
    const metrics = await (await fetch(`${origin}/metrics`, { headers })).text();
    expect(metrics).toContain('standpipe_server_ready{server="everything"} 1');
    expect(metrics).toContain('standpipe_requests_total{server="everything",method="tools/list",outcome="ok"} 1');
    expect((await fetch(`${url}/nobody`, { method: 'POST', headers })).status).toBe(404);
    expect((await fetch(url!, { method: 'POST' })).status).toBe(401);
  } finally {
    up.kill('SIGTERM');
    await ended;
  }
});

test('an address that is none, or not of this machine, is refused before anything starts', async () => {
  const config = writeConfig('http.json', { everything: everythingEntry });
  const none = await runCli(['up', '--config', config, '--http', 'x']);
  expect(none.code).toBe(2);
  expect(none.stderr).toContain('--http 8080');
  const elsewhere = await finished(startCli(['up', '--config', config, '--http', '0.0.0.0:0']));
  expect(elsewhere.code).toBe(2);
  expect(elsewhere.stderr).toContain('loopback');
});
