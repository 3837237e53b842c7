// Entries of a host in a fleet: servers on another node, reached by a service that is passed to the host, and local
// servers that are not listed.

import { expect, test } from 'vitest';
import { PeerError } from '../../src/base/errors.ts';
import { defaultRemoteSettings, defaultSettings, type RemoteConfig } from '../../src/config/server-config.ts';
import { Host } from '../../src/host/host.ts';
import type { StartedService } from '../../src/host/hosted-server.ts';
import { Server } from '../../src/mcp/server/server.ts';
import type { Caller, ClientIdentity } from '../../src/mcp/service.ts';
import { TestCaller } from '../contract/test-caller.ts';
import { serverConfig } from '../fixtures/server-config.ts';

const entry: RemoteConfig = {
  ...defaultSettings,
  ...defaultRemoteSettings,
  name: 'far',
  url: 'nats://test/far',
  share: { ...defaultSettings.share, by: 'client' },
  source: { file: 'fleet', line: 1, column: 1 },
};

/** A service that a test starts on demand. */
class FarServices {
  readonly gone: ClientIdentity[] = [];
  readonly callers: Caller[] = [];
  opened = 0;
  isThere = true;

  readonly to = (): StartedService => {
    this.opened++;
    const server = new Server({ name: 'far', version: '1.0.0' });
    server.tool('echo', {}, () => 'answered');
    const { service } = server;
    return {
      onclose: undefined,
      onerror: undefined,
      isClosed: false,
      start: async () => {
        if (!this.isThere) throw new PeerError('NOT_SENT', 'No node runs far');
      },
      close: async () => undefined,
      evidence: () => ({ phase: 'running' }),
      describe: () => service.describe(),
      request: (method, params, caller) => {
        if (method === 'tools/call') this.callers.push(caller);
        return service.request(method, params, caller);
      },
      notify: () => undefined,
      watch: (watcher) => service.watch(watcher),
      gone: (client) => this.gone.push(client),
    };
  };
}

test('each request to a server of the fleet has its own caller, and one service serves all clients', async () => {
  const services = new FarServices();
  await using host = new Host([entry], { serviceOf: services.to });
  const callers = [new TestCaller(), new TestCaller()];
  for (const caller of [...callers, callers[0]!]) {
    const params = { name: 'echo', arguments: {} };
    expect(await host.service('far').request('tools/call', params, caller)).toMatchObject({
      content: [{ type: 'text', text: 'answered' }],
    });
    expect(services.callers.at(-1)).toBe(caller);
  }
  expect(services.opened).toBe(1);
  host.service().gone?.(callers[1]!.client.identity);
  expect(services.gone).toEqual([callers[1]!.client.identity]);
});

test('a server without a node is unreachable with a reason, and is used again as soon as a node runs it', async () => {
  const services = new FarServices();
  const states: string[] = [];
  services.isThere = false;
  await using host = new Host([{ ...entry, restart: { ...entry.restart, backoffMs: 1e9, maxBackoffMs: 1e9 } }], {
    serviceOf: services.to,
    onStateChange: ({ to }) => states.push(to),
  });
  const [status] = await host.start();
  expect(status).toMatchObject({ state: 'unreachable', reason: expect.stringContaining('No node runs far') });
  host.reachable('far'); // a false report: it is still unreachable
  await expect(host.callTool('far', 'echo')).rejects.toMatchObject({ code: 'SERVER_UNREACHABLE' });
  services.isThere = true;
  host.reachable('far');
  expect(await host.callTool('far', 'echo')).toMatchObject({ content: [{ text: 'answered' }] });
  expect(states.at(-1)).toBe('ready');
});

test('a host that has not joined a fleet refuses a server of a fleet', async () => {
  await using host = new Host([entry]);
  await expect(host.callTool('far', 'echo')).rejects.toMatchObject({
    code: 'SERVER_FAILED',
    message: expect.stringContaining('a fleet that this host has not joined'),
    hint: expect.stringContaining('--join'),
  });
});

test('an unlisted server can be called by its name, and is not part of the merged service', async () => {
  const script = 'test/fixtures/service-contract/server.mjs';
  await using host = new Host([serverConfig('far#1', script, { unlisted: true }), serverConfig('own', script)]);
  await host.start();
  expect(host.status().map(({ name, state }) => [name, state])).toEqual([
    ['far#1', 'ready'],
    ['own', 'ready'],
  ]);
  const { tools } = await host.tools();
  expect(new Set(tools.map(({ server }) => server))).toEqual(new Set(['own']));
  expect([host.isListed('far#1'), host.isListed('own'), host.isListed('other')]).toEqual([false, true, false]);
  expect(await host.callTool('far#1', 'echo', { text: 'hi' })).toMatchObject({ content: [{ text: 'hi' }] });
});
