// Remote servers in a host: state, reconnecting, and outcomes of calls. The servers are in this process; they are
// stopped, and started again at the same port.

import { once } from 'node:events';
import { createServer, request as httpRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import type { Host } from '../../src/host/host.ts';
import { later } from '../fixtures/later.ts';
import { Network, remoteUp, States, text } from './remote-servers.ts';
import { openHost } from './run-host.ts';

const statusOf = (host: Host) => host.status()[0]!;

for (const era of ['modern', 'legacy'] as const) {
  test(`a server of the ${era} era that disappears is connected again, and calls wait for it`, async () => {
    const remote = await remoteUp();
    const states = new States();
    const entry = { url: remote.url, era };
    const host = await openHost({ far: entry }, { onStateChange: states.changed });
    await host.start();
    expect(statusOf(host)).toMatchObject({ state: 'ready', pid: null, url: remote.url, restarts: 0 });
    expect(await host.callTool('far', 'count')).toMatchObject(text('1'));
    await host.listTools('far'); // a lost list request may be repeated
    await remote.down();
    const waiting = host.callTool('far', 'count');
    await states.next('backoff');
    await remote.up();
    expect(await waiting).toMatchObject(text('2'));
    expect(statusOf(host)).toMatchObject({ state: 'ready' });
    expect(remote.calls).toBe(2);
  });
}

test('reports an unreachable server at once, and connects when it is reachable', async () => {
  const remote = await remoteUp();
  await remote.down();
  const states = new States();
  const host = await openHost({ far: { url: remote.url } }, { onStateChange: states.changed });
  const [status] = await host.start();
  expect(status).toMatchObject({ state: 'unreachable', url: remote.url });
  await expect(host.callTool('far', 'count')).rejects.toMatchObject({
    code: 'SERVER_UNREACHABLE',
    message: expect.stringMatching(/nothing listens at [\d.:]+$/),
  });
  await remote.up();
  await states.next('ready');
  expect(await host.callTool('far', 'count')).toMatchObject(text('1'));
});

test('does not repeat a running call after its connection was lost', async () => {
  const remote = await remoteUp();
  const network = new Network(remote.port);
  later(() => network.down());
  const port = await network.up();
  const host = await openHost({ far: { url: `http://127.0.0.1:${port}/mcp` } });
  await host.start();
  let call!: Promise<unknown>;
  await new Promise<void>((resolve) => {
    call = host.callTool('far', 'add', {}, { onProgress: () => resolve() });
  });
  call.catch(() => undefined);
  await network.down();
  await network.up(port);
  await expect(call).rejects.toMatchObject({
    code: 'OUTCOME_UNKNOWN',
    ran: { server: 'far', pid: null, generation: 1 },
  });
  expect(await host.callTool('far', 'count')).toMatchObject(text('2'));
});

test('notices the loss of an unused server by its notification stream', async () => {
  const remote = await remoteUp();
  const states = new States();
  const host = await openHost({ far: { url: remote.url } }, { onStateChange: states.changed });
  await host.start();
  let changes = 0;
  let changed: (() => void) | undefined;
  const watcher = {
    filter: { toolsListChanged: true },
    notified: () => {
      changes++;
      changed?.();
    },
  };
  const stop = await host.service('far').watch(watcher);
  later(async () => stop());
  await remote.down();
  await states.next('backoff');
  expect(statusOf(host)?.lastExit?.hint ?? '').not.toContain('send it again'); // that hint is for calls
  const back = new Promise<void>((resolve) => {
    changed = resolve;
  });
  await remote.up();
  await back; // a change notification, because changes during the loss are unknown
  expect(statusOf(host)).toMatchObject({ state: 'ready', restarts: 1, calls: 0 });
  expect(changes).toBeGreaterThan(0);
});

test('passes a refusal on without repetition, and treats a proxy error for a stopped server as a loss', async () => {
  const remote = await remoteUp();
  const states = new States();
  let answer: { status: number; of: string } | undefined;
  const refused: string[] = [];
  const adapter = createServer((request, response) => {
    const method = String(request.headers['mcp-method'] ?? '');
    if (answer && (answer.of === '' || answer.of === method)) {
      refused.push(method);
      request.resume();
      response.writeHead(answer.status, { 'content-type': 'text/plain' }).end('not now');
      return;
    }
    const headers = { ...request.headers, host: `127.0.0.1:${remote.port}` };
    const passed = httpRequest(remote.url, { method: request.method!, headers }, (given) => {
      response.writeHead(given.statusCode!, given.headers);
      given.pipe(response);
    });
    passed.on('error', () => response.destroy());
    request.pipe(passed);
  });
  adapter.listen(0, '127.0.0.1');
  await once(adapter, 'listening');
  later(async () => {
    adapter.closeAllConnections();
    adapter.close();
  });
  const { port } = adapter.address() as AddressInfo;
  const entry = { url: `http://127.0.0.1:${port}/mcp`, era: 'modern' };
  const host = await openHost({ far: entry }, { onStateChange: states.changed });
  await host.start();
  answer = { status: 429, of: 'tools/call' };
  await expect(host.callTool('far', 'count')).rejects.toMatchObject({ code: 'NOT_SENT', evidence: { status: 429 } });
  expect([refused, remote.calls, statusOf(host).state]).toEqual([['tools/call'], 0, 'ready']);
  answer = { status: 502, of: '' };
  await expect(host.callTool('far', 'add')).rejects.toMatchObject({
    code: 'OUTCOME_UNKNOWN',
    evidence: { status: 502 },
  });
  await states.next('backoff');
  const waiting = host.callTool('far', 'count');
  answer = undefined;
  expect(await waiting).toMatchObject(text('1'));
});
