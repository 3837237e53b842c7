// `standpipe up --record`: the servers and clients of a host in one file, even after the host was killed.

import { once } from 'node:events';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { expect, test } from 'vitest';
import { recordingSource } from '../../src/app/inspector/sources/recording-source.ts';
import { Analysis } from '../../src/observe/analysis/analysis.ts';
import { linkedWith } from '../../src/observe/analysis/links.ts';
import { until } from '../fixtures/server.ts';
import { lacks, privateMode } from '../fixtures/windows.ts';
import { everythingEntry, folder, gatewayIn, runCli, startCli, writeConfig } from './run-cli.ts';

const secret = 'hunter2-hunter2-hunter2';
const config = writeConfig('record.json', { everything: { ...everythingEntry, env: { API_KEY: secret } } });
const file = join(folder, 'session.jsonl');

/** Starts a host that serves HTTP and records. Resolves when a client has made a call. */
async function hostWithClient(name: string) {
  const host = startCli(['up', '--no-inspector', '--config', config, '--http', '0', '--record', file]);
  let log = '';
  for (const stream of [host.stdout, host.stderr]) stream.on('data', (chunk) => (log += chunk));
  await until('it records', () => log.includes(`All traffic is recorded to ${file}`));
  const { url, token } = gatewayIn(log)!;
  const client = new Client({ name, version: '1' });
  const headers = { authorization: `Bearer ${token}` };
  await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/everything`), { requestInit: { headers } }));
  await client.callTool({ name: 'greet', arguments: { name: `${name} who knows ${secret}` } });
  return { host, token, client, closed: once(host, 'close') };
}

async function recorded() {
  const source = recordingSource(file);
  await source.open!();
  const analysis = new Analysis();
  const events = source.flow.since(0);
  for (const event of events) analysis.see(event, 0);
  return {
    source,
    events,
    clients: analysis.clients.list(),
    exchanges: events.flatMap(({ seq }) => analysis.exchangesOf(seq)),
  };
}

test.skipIf(lacks.signals)(
  'keeps servers, clients and the links between messages after a stop and after a kill',
  async () => {
    const stopped = await hostWithClient('first');
    expect((await runCli(['call', 'everything', 'greet', 'name=socket', '--config', config])).stdout).toContain(
      'socket',
    );
    await stopped.client.close();
    stopped.host.kill('SIGTERM');
    await stopped.closed;
    const whole = await recorded();
    expect(whole.source.lost).toBe(0);
    const [first, ...others] = whole.clients;
    expect(first).toMatchObject({ name: 'first', door: 'http', principal: 'owner', revision: '2025-11-25' });
    expect(others[0]).toMatchObject({ name: 'standpipe', door: 'socket', revision: '2026-07-28' });
    for (const { closedAtMs } of whole.clients) expect(closedAtMs).toBeDefined();
    const calls = whole.exchanges.filter(({ direction, tool }) => direction === 'fromClient' && tool === 'greet');
    expect(new Set(calls.map(({ server }) => server)).size).toBe(2);
    for (const call of calls) {
      expect(linkedWith(call).map(({ server, outcome }) => [server, outcome])).toEqual([
        [call.server, 'ok'],
        ['everything', 'ok'],
      ]);
    }

    const killed = await hostWithClient('second');
    await until('the call is in the file', () => readFileSync(file, 'utf8').includes('Hello, second'));
    killed.host.kill('SIGKILL');
    await killed.closed;
    const both = await recorded();
    expect(both.clients.map(({ name }) => name)).toEqual([...whole.clients.map(({ name }) => name), 'second']);

    const text = readFileSync(file, 'utf8');
    expect(statSync(file).mode & 0o777).toBe(privateMode);
    expect(text).toContain('Hello, first');
    for (const hidden of [secret, stopped.token, killed.token, 'Bearer']) expect(text).not.toContain(hidden);
  },
);

test('reports a file that cannot be written, and runs without it', async () => {
  const host = startCli(['up', '--no-inspector', '--config', config, '--record', folder]);
  let log = '';
  host.stdout.on('data', (chunk) => (log += chunk));
  await until('it says so', () => log.includes(`Cannot record to ${folder}`) && log.includes('everything ready'));
  host.kill('SIGTERM');
  const [code] = await once(host, 'close');
  if (!lacks.signals) expect(code).toBe(0);
  expect(log).not.toContain('All traffic is recorded');
});

test('the log of a host names its clients, also with --verbose', async () => {
  const host = startCli(['up', '--no-inspector', '--verbose', '--config', config, '--http', '0']);
  let log = '';
  for (const stream of [host.stdout, host.stderr]) stream.on('data', (chunk) => (log += chunk));
  await until('it serves', () => gatewayIn(log) !== undefined);
  const { url, token } = gatewayIn(log)!;
  const client = new Client({ name: 'logged', version: '1' });
  const headers = { authorization: `Bearer ${token}` };
  await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/everything`), { requestInit: { headers } }));
  await client.close();
  const { stdout } = await runCli(['logs', '--config', config]);
  expect(stdout).toMatch(/ client \d+ client: is logged 1 \(2025-11-25\), connected over http as owner\n/);
  expect(stdout).not.toContain('is standpipe'); // `logs` itself is also a client of the host
  await until('the request is printed', () => / client \d+ → \{.*"method":"initialize"/.test(log));
  await until('the answer is printed', () => / client \d+ ← \{.*"serverInfo"/.test(log));
  expect(log).not.toContain(token);
  host.kill('SIGTERM');
  await once(host, 'close');
});

test('refuses limits of a recording without --record', async () => {
  const { code, stderr } = await runCli(['up', '--config', config, '--max-files', '3']);
  expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('--record session.jsonl') });
});
