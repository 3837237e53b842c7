// The lock beside an applied config travels with the servers of a fleet: the node that runs one and every gateway check its definitions. A
// server of a node's own config is checked with the lock of that node.

import { readFileSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import { UpFleet } from '../../src/app/cli/fleet/up-fleet.ts';
import { loadConfig, readLock } from '../../src/config/files/load-config.ts';
import { openNetwork } from '../../src/host/fleet/nats/open-network.ts';
import { readFleetEntries } from '../../src/host/fleet/place/read-entries.ts';
import { keyOfServer } from '../../src/host/fleet/subjects.ts';
import { Host } from '../../src/host/host.ts';
import { startNatsServer } from '../fixtures/fleet/nats-server.ts';
import { called, evil, Locking, listed, refused, tool } from '../lock/locking.ts';

const nats = await startNatsServer();
const tools = [tool('read'), tool('write')];

async function join(name: string, config?: string): Promise<Host> {
  const network = { servers: [nats.url], fleet: 'locked', name, lifetimeMs: 60_000, timeoutMs: 60_000 };
  const up = new UpFleet({ network, node: name, labels: [], offers: true, drainMs: undefined });
  const options = { serviceOf: up.serviceOf };
  const host = config === undefined ? new Host([], options) : await Host.open({ file: config }, options);
  onTestFinished(async () => {
    await up.leave();
    await host.stop();
  });
  await up.connect();
  const failed = (error: unknown) => expect.unreachable(String(error));
  await up.join(host, { url: undefined, note: () => undefined, learn: () => undefined, failed });
  await host.start();
  return host;
}

test('a server of a node, and a server that the fleet places, list and run approved tools only', async () => {
  const own = new Locking({ own: { tools } });
  own.serve('own', { tools: [tool('read'), evil('write')] });
  const placed = new Locking({ placed: { tools } });
  placed.serve('placed', { tools: [tool('read'), evil('write')] });
  await join('runs', own.config);
  const gateway = await join('serves');
  const { found: lock } = await readLock(placed.config);
  const { servers, problems } = await readFleetEntries(readFileSync(placed.config, 'utf8'), placed.config, {
    lock,
    allowLiterals: true,
  });
  expect(problems.filter(({ severity }) => severity === 'error')).toEqual([]);
  expect(servers).toMatchObject([{ name: 'placed', lock: { mode: 'hide' } }]);
  const network = await openNetwork({ servers: [nats.url], fleet: 'locked', name: 'test', lifetimeMs: 60_000 });
  onTestFinished(() => network.close());
  await network.directory.servers.create(keyOfServer('placed'), servers[0]!);
  for (const name of ['placed', 'own@runs']) {
    await expect.poll(() => gateway.names).toContain(name);
    const service = gateway.service(name);
    await expect.poll(() => listed(service).catch(String), { timeout: 20_000 }).toEqual(['read']);
    expect(await called(service, 'read')).toBe('called read');
    const error = await called(service, 'write').catch((thrown) => thrown);
    expect(error.message).toContain('is not approved, or its definition has changed');
  }
  await refused(called(gateway.service('placed'), 'write'));
  expect((await loadConfig({ file: own.config })).servers[0]!.lock).toMatchObject({ mode: 'hide' });
});
