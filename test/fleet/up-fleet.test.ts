// A host that joins a fleet on a real NATS server while it already serves: changes between its start and the end of joining.

import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { UpFleet } from '../../src/app/cli/fleet/up-fleet.ts';
import { configOf } from '../../src/config/given-config.ts';
import { openNetwork } from '../../src/host/fleet/nats/open-network.ts';
import { askNode } from '../../src/host/fleet/node/answer-node-requests.ts';
import { noCounts } from '../../src/host/fleet/quotas/quota-home.ts';
import { rendezvousScore } from '../../src/host/fleet/route/choose-instance.ts';
import { Host } from '../../src/host/host.ts';
import { startNatsServer } from '../fixtures/fleet/nats-server.ts';

const nats = await startNatsServer();
const file = fileURLToPath(new URL('../fixtures/cli/everything.mjs', import.meta.url));
const everything = { command: process.execPath, args: [file] };
const fleet = 'up';
const LIFETIME_MS = 10_000;

/**
 * Starts a host with one server that joins the fleet. `wantedMs`: the lifetime that the node requests. If the fleet has another one, the
 * node notes this just before it starts.
 */
function begin(name: string, { url = nats.url, wantedMs = LIFETIME_MS, timeoutMs = 5_000 } = {}) {
  const network = { servers: [url], fleet, name, lifetimeMs: wantedMs, timeoutMs };
  const up = new UpFleet({ network, node: name, labels: [], offers: true, drainMs: undefined });
  const failures: string[] = [];
  const onStateChange = ({ server, to, reason }: { server: string; to: string; reason: string | undefined }) => {
    if (to === 'failed') failures.push(`${server}: ${reason}`);
  };
  const host = new Host({ mcpServers: { own: everything } }, { serviceOf: up.serviceOf, onStateChange });
  let begins!: () => void;
  const hasBegun = new Promise<void>((resolve) => {
    begins = resolve;
  });
  const joined = up.connect().then(() =>
    up.join(host, {
      url: `http://${name}`,
      note: (text) => text.includes('--lease has no effect') && begins(),
      learn: () => undefined,
      failed: (error) => expect.unreachable(String(error)),
    }),
  );
  onTestFinished(async () => {
    await up.leave();
    await host.stop();
  });
  return { up, host, joined, hasBegun, failures };
}

test('a running host keeps changes of its config while it joins, and reaches other nodes at once', async () => {
  const operator = await openNetwork({ servers: [nats.url], fleet, name: 'operator', lifetimeMs: LIFETIME_MS });
  onTestFinished(() => operator.close());
  const first = begin('first');
  await first.joined;
  await first.host.start();
  const earlier = await operator.leases.table.create('node.late', { session: 'earlier', node: 'late' });
  const late = begin('late', { wantedMs: 2 * LIFETIME_MS });
  await late.host.start();
  await late.hasBegun;
  await new Promise((resolve) => setImmediate(resolve));
  const changed = configOf({ mcpServers: { other: everything } });
  await (late.up.reload(changed) ?? late.host.reload(changed));
  expect(late.host.names).toEqual(['other']);
  await operator.leases.table.remove('node.late', earlier!);
  await late.joined;
  expect(late.host.names).toEqual(['other', 'own@first']);
  expect(await operator.directory.nodes.get('late')).toMatchObject({ value: { offers: ['other'] } });
  await late.host.callTool('own@first', 'greet', { name: 'Ada' });
  expect(late.failures).toEqual([]);

  // A gateway that has had no clients yet can be the home of a principal, like any other.
  const names = ['first', 'late'];
  for (const home of names) {
    const isHome = (name: string) => names.every((node) => rendezvousScore(name, node) <= rendezvousScore(name, home));
    const principal = Array.from({ length: 100 }, (_, n) => `p${n}`).find(isHome)!;
    const counts = { used: noCounts(), had: noCounts(), wanted: noCounts(), requests: 1 };
    const gateway = names.find((name) => name !== home)!;
    const ask = { principal, quotas: { requestsPerMinute: 10 }, gateway, ...counts };
    // The home refuses until it has seen that the other gateway has joined.
    const answer = () => askNode(operator, home, 'standpipe/quota', ask, 5_000).catch((error: Error) => error.message);
    await expect.poll(answer).toMatchObject({ requests: 1 });
  }
});

test('a host that ends while NATS is not reachable neither waits for it nor connects again', async () => {
  let attempts = 0;
  const silent: Socket[] = [];
  const away = createServer((socket) => {
    attempts++;
    if (away.listenerCount('silent') > 0) away.emit('silent', silent.push(socket));
    else socket.destroy();
  }).listen(0, '127.0.0.1');
  await once(away, 'listening');
  onTestFinished(() => {
    for (const socket of silent) socket.destroy();
    away.close();
  });
  const url = `nats://127.0.0.1:${(away.address() as AddressInfo).port}`;
  const between = begin('between', { url });
  await between.joined;
  const before = attempts;
  await between.up.leave();
  expect(attempts).toBe(before);

  const during = begin('during', { url, timeoutMs: 600_000 });
  await during.joined;
  await once(away, 'silent');
  await during.up.leave();
});
