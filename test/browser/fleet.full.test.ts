// The fleet on the page: nodes, placement, and a request that another node answered, of real nodes and of simulated fleets.

import { expect, test } from 'vitest';
import { hostSource } from '../../src/app/inspector/sources/source.ts';
import { FleetNode } from '../../src/host/fleet/fleet-node.ts';
import type { FleetStatus } from '../../src/host/fleet/fleet-status.ts';
import { openNetwork } from '../../src/host/fleet/nats/open-network.ts';
import { Host } from '../../src/host/host.ts';
import type { HopFact } from '../../src/observe/flow/event.ts';
import { startNatsServer } from '../fixtures/fleet/nats-server.ts';
import { later } from '../fixtures/later.ts';
import { until } from '../fixtures/server.ts';
import { inBrowser, openPage } from './chromium.ts';
import { detail, goTo, live, rows, soon } from './on-page.ts';
import { openInspector, openSource, serverFile } from './target.ts';
import { violationsAndOverflow } from './violations.ts';

const node = (name: string, more: Partial<FleetStatus['nodes'][number]> = {}): FleetStatus['nodes'][number] => ({
  ...{ name, session: `${name}1`, labels: [], version: '0.1.0', pid: 4711, hostname: `${name}.example` },
  ...{ startedAt: '2026-01-01T00:00:00.000Z', offers: [], draining: false, isAlive: true },
  ...more,
});

const place = { labels: ['gpu'], replicas: 2, spread: 'prefer', stateless: false } as const;
const replica = (slot: number, name: string, generation = 1) => ({
  ...{ slot, node: name, generation, held: true, isInForce: true },
});

function smallFleet(): FleetStatus {
  return {
    ...{ fleet: 'kitchen', self: 'a', isConnected: true, placer: 'b' },
    nodes: [
      node('a', { labels: ['eu'], offers: ['notes'], url: 'http://127.0.0.1:8080/mcp' }),
      node('b', { labels: ['gpu', 'eu'], clockOffset: { ms: -12.34, uncertaintyMs: 0.45 } }),
      node('c', { draining: true, clockOffset: { ms: 61_000, uncertaintyMs: 2 } }),
    ],
    servers: [{ name: 'files', place, replicas: [replica(1, 'b', 3), replica(2, 'c')] }],
  };
}

async function openFleet(status: () => FleetStatus) {
  const host = new Host([]);
  return { host, ...(await openSource(hostSource(host, { fleet: async () => status() }))) };
}

/** Starts a node of the fleet `default` with the workbench as its own server, until the end of the test. */
async function joinFleet(url: string, name: string) {
  const workbench = { command: process.execPath, args: [serverFile('workbench')] };
  const network = await openNetwork({ servers: [url], fleet: 'default', name });
  let node: FleetNode | undefined;
  const host = new Host({ mcpServers: { workbench } }, { serviceOf: (config, wire) => node?.serviceOf(config, wire) });
  node = await FleetNode.join(host, { network, node: name });
  void host.start();
  later(async () => {
    await node.leave();
    await host.stop();
    await network.close();
  });
  return { node, host };
}

inBrowser('a fleet', () => {
  test('has no view on a host that has not joined one', async () => {
    const { url } = await openInspector('workbench');
    const page = await openPage(url);
    await live(page);
    expect(await page.getByRole('navigation').getByRole('link', { name: /Fleet/ }).count()).toBe(0);
    await goTo(page, '#/fleet');
    await page.getByText('has not joined a fleet').waitFor();
  });

  test('shows nodes and placement and their changes, by keyboard, in dark and narrow layout', async () => {
    let status = smallFleet();
    const { url } = await openFleet(() => status);
    const page = await openPage(url, { colorScheme: 'dark', viewport: { width: 400, height: 800 } });
    await live(page);
    await page
      .getByRole('navigation')
      .getByRole('link', { name: /Fleet 3/ })
      .waitFor();
    await page.keyboard.press('0');
    await page.getByText('kitchen · 3 of 3 nodes alive · 1 server').waitFor();
    const nodes = page.getByRole('region', { name: 'Nodes' }).getByRole('row');
    await nodes.filter({ hasText: 'this node' }).filter({ hasText: 'http://127.0.0.1:8080/mcp' }).waitFor();
    await nodes.filter({ hasText: 'places' }).filter({ hasText: '−12.3 ms ± 450 µs' }).waitFor();
    await nodes.filter({ hasText: 'draining' }).filter({ hasText: '+1 m 01 s ± 2.00 ms' }).waitFor();
    const replicas = page.getByRole('region', { name: 'Placement' }).getByRole('row');
    await replicas.filter({ hasText: '1 of 2' }).filter({ hasText: 'claimed' }).filter({ hasText: 'b3gpu' }).waitFor();
    expect(await violationsAndOverflow(page)).toEqual([]);

    status = smallFleet();
    status.nodes[1]!.isAlive = false;
    status.isConnected = false;
    const lost = { ...replica(1, 'b', 3), isInForce: false, reason: 'No node that lives has the label gpu' };
    status.servers[0]!.replicas[0] = lost;
    await page.getByText('2 of 3 nodes alive · 1 server · 1 replica not running').waitFor();
    await nodes.filter({ hasText: 'no lease' }).filter({ hasText: 'b.example' }).waitFor();
    await replicas.nth(1).filter({ hasText: 'lease lost' }).filter({ hasText: 'has the label gpu' }).waitFor();
    await page.getByRole('status').filter({ hasText: 'The connection to NATS is lost' }).waitFor();
    expect(await violationsAndOverflow(page)).toEqual([]);
  });

  test('a fleet of a thousand nodes shows the first rows, and can be searched', async () => {
    const names = Array.from({ length: 1_000 }, (_, at) => `n${at}`);
    const servers = names.map((name) => ({ name: `s-${name}`, place, replicas: [replica(1, name)] }));
    const status = { ...smallFleet(), nodes: names.map((name) => node(name)), servers };
    const { url } = await openFleet(() => status);
    const page = await openPage(url);
    await live(page);
    await goTo(page, '#/fleet');
    await page.getByText('500 more nodes: search for them.').waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('n999');
    const nodes = page.getByRole('region', { name: 'Nodes' }).getByRole('row');
    await soon(() => nodes.count()).toBe(2);
    await page.getByRole('region', { name: 'Placement' }).getByRole('row').filter({ hasText: 's-n999' }).waitFor();
  });

  test('shows the durations of a request that another node answered', async () => {
    const { url, host } = await openFleet(smallFleet);
    const client = host.clients.observe({ id: '1', principal: 'ada' }, { door: 'http' });
    client.introduced({ revision: '2025-11-25', info: { name: 'cursor', version: '1.0' } });
    const files = host.flow.begin('files');
    files.connected('nats://kitchen/files');
    const request = (id: number) => `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"read"}}`;
    for (const id of [1, 2]) {
      client.fromClient(request(id));
      client.linked(id, files, 'toServer', id);
      files.text('toServer', request(id));
      const receivedMs = Date.now() + 60_000;
      const measured = id === 1 ? { offsetMs: 60_000, uncertaintyMs: 0.25 } : {};
      files.hop({ id, node: 'b', generation: 3, pid: 42, receivedMs, answeredMs: receivedMs, ...measured });
      files.text('fromServer', `{"jsonrpc":"2.0","id":${id},"result":{"content":[]}}`);
      client.toClient(`{"jsonrpc":"2.0","id":${id},"result":{"content":[]}}`);
    }
    const page = await openPage(url);
    await live(page);
    await goTo(page, '#/wire?server=files');
    await soon(() => rows(page).filter({ hasText: 'read' }).count()).toBe(4);
    const hop = detail(page).getByRole('region', { name: 'Node b' });
    await rows(page).filter({ hasText: 'read' }).first().click();
    await hop.getByText('process 42, generation 3').waitFor();
    for (const part of ['to b', 'at b', 'from b'])
      await hop.getByRole('term').getByText(part, { exact: true }).waitFor();
    await soon(() => hop.getByRole('definition').first().textContent()).toContain('±');
    expect(await violationsAndOverflow(page)).toEqual([]);
    await rows(page).filter({ hasText: 'read' }).nth(2).click();
    await hop.getByRole('term').getByText('to and from b', { exact: true }).waitFor();
  });

  test('a fleet of real nodes shows the placement, and the hops of a call to another node', async () => {
    const nats = await startNatsServer();
    const nodes = [];
    for (const name of ['one', 'two']) nodes.push(await joinFleet(nats.url, name));
    const [one] = nodes;
    const { url } = await openSource(hostSource(one!.host, { fleet: () => one!.node.status() }));
    const page = await openPage(url);
    await live(page);
    await goTo(page, '#/fleet');
    const listed = page.getByRole('region', { name: 'Nodes' }).getByRole('row');
    await listed.filter({ hasText: 'this node' }).filter({ hasText: 'one' }).waitFor();
    await listed.filter({ hasText: 'two' }).filter({ hasText: 'workbench' }).filter({ hasText: '±' }).waitFor();
    await until('its server is known', () => one!.host.names.includes('workbench@two'));
    await soon(() => one!.host.callTool('workbench@two', 'add', { a: 1, b: 2 }).catch(() => undefined)).toBeTruthy();
    const events = one!.host.flow.since(0).filter((event) => event.server === 'workbench@two');
    const hop = events.findLast((event) => event.kind === 'hop')!;
    const asked = events.findLast(
      (event) =>
        event.kind === 'frame' &&
        event.direction === 'toServer' &&
        JSON.parse(Buffer.from(event.payload).toString()).id === (hop as HopFact).id,
    )!;
    await goTo(page, `#/wire?event=${asked.seq}`);
    await detail(page).getByRole('region', { name: 'Node two' }).getByRole('term').getByText('at two').waitFor();
  });
});
