// Two gateways of a fleet as HTTP servers, over a real NATS: the quotas of a principal hold over both together.

import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { ManualClock } from '../../src/base/clock.ts';
import { shortHash } from '../../src/base/short-hash.ts';
import { serveHttp } from '../../src/doors/http/serve-http.ts';
import type { Fabric, NodeRecord } from '../../src/fleet/fabric.ts';
import { openFabric } from '../../src/fleet/nats/open-fabric.ts';
import { answerNodeRequests, type NodeHandlers } from '../../src/fleet/node/answer-node-requests.ts';
import { FleetQuotas } from '../../src/fleet/quotas/fleet-quotas.ts';
import { Server } from '../../src/mcp/server/server.ts';
import { modernHeaders, modernMeta } from '../fixtures/doors/modern-request.ts';
import { startNatsServer } from '../fixtures/fleet/nats-server.ts';
import { NodeProcess } from '../fixtures/fleet/node-process.ts';
import { temporaryFolder } from '../fixtures/temporary-folder.ts';

const nats = await startNatsServer();
const clock = new ManualClock();
const principals = {
  ada: { name: 'ada', quotas: { inFlight: 6 } },
  grace: { name: 'grace', quotas: { requestsPerMinute: 20 } },
};

interface Gateway {
  fabric: Fabric;
  quotas: FleetQuotas;
  /** The status of the answer. */
  call(principal: string, tool: string): Promise<number>;
}

async function gateway(name: string, waits: Promise<void>, started: () => void): Promise<Gateway> {
  const fabric = await openFabric({ servers: [nats.url], fleet: 'quotas', name, lifetimeMs: 2000 });
  const quotas = new FleetQuotas(fabric, name, clock);
  const requests = answerNodeRequests(fabric, name, { 'standpipe/quota': (ask) => quotas.answer(ask) } as NodeHandlers);
  await fabric.directory.nodes.create(name, { name, url: `http://${name}` } as NodeRecord);
  await quotas.start();
  const server = new Server({ name, version: '1.0.0' });
  server.tool('echo', {}, () => 'here');
  server.tool('waits', {}, async () => {
    started();
    await waits;
    return 'done';
  });
  const authenticate = (request: { header(name: string): string | undefined }) =>
    principals[request.header('x-principal') as 'ada'];
  const serving = await serveHttp(server, { port: 0, auth: { authenticate }, shared: quotas.shared });
  onTestFinished(async () => {
    await serving.close();
    quotas.stop();
    await requests.end();
    await fabric.close();
  });
  return {
    fabric,
    quotas,
    async call(principal, tool) {
      const params = { name: tool, arguments: {}, _meta: modernMeta };
      const response = await fetch(serving.url, {
        method: 'POST',
        headers: {
          ...modernHeaders('tools/call', tool),
          accept: 'application/json, text/event-stream',
          'x-principal': principal,
        },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
      });
      await response.text();
      return response.status;
    },
  };
}

const times = (count: number, statuses: number[]) => statuses.filter((status) => status === count).length;

test('the quotas of a principal hold over two gateways together', async () => {
  let goOn!: () => void;
  let running = 0;
  const waits = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  const [a, b] = [await gateway('a', waits, () => running++), await gateway('b', waits, () => running++)];
  await expect
    .poll(() => [a.quotas.homeOf('ada'), b.quotas.homeOf('ada')])
    .toEqual(Array(2).fill(a.quotas.homeOf('ada')));

  // Places at a time: all at one, then none at the other.
  const held = Array.from({ length: 9 }, () => a.call('ada', 'waits'));
  const refusedAtA = Promise.all(held).then((statuses) => times(429, statuses));
  await expect.poll(() => running).toBe(6);
  expect(await b.call('ada', 'waits')).toBe(429);
  goOn();
  expect(await refusedAtA).toBe(3);
  // What is not used comes back, and can be used at the other.
  await expect
    .poll(() => {
      clock.advance(500);
      return b.call('ada', 'echo');
    })
    .toBe(200);

  // Requests of a minute: as many as the quota in all.
  const calls = Array.from({ length: 30 }, () => [a.call('grace', 'echo'), b.call('grace', 'echo')]);
  const statuses = await Promise.all(calls.flat());
  expect([times(200, statuses), times(429, statuses)]).toEqual([20, 40]);
});

test('two processes of up --http share what a token of both may send', async () => {
  const folder = temporaryFolder('shared-quotas');
  const file = join(folder, 'tokens.json');
  const program = fileURLToPath(new URL('../../dist/cli/main.cjs', import.meta.url));
  // Its home is the first node: the second one knows that one from the beginning.
  const isHome = (name: string) => shortHash(`${name}\none`) > shortHash(`${name}\ntwo`);
  const principal = ['ada', 'grace', 'joan', 'mary', 'rosa'].find(isHome)!;
  const words = ['token', 'add', principal, '--per-minute', '10', '--tokens', file];
  const token = execFileSync(process.execPath, [program, ...words], { encoding: 'utf8' })
    .trim()
    .split('\n')
    .at(-1)!
    .trim();
  const nodes: NodeProcess[] = [];
  for (const name of ['one', 'two']) {
    const node = new NodeProcess({ name, folder, url: nats.url, args: ['--fleet', 'processes', '--tokens', file] });
    nodes.push(node);
    onTestFinished(() => void node.end());
    await node.untilEvent('it has joined', ({ text }) => text?.includes('Joined the fleet') ?? false);
  }
  const urls = nodes.map(({ events }) => events.find(({ http }) => http !== undefined)!.http!);
  const list = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: { _meta: modernMeta } };
  const ask = async (url: string) => {
    const headers = {
      ...modernHeaders('tools/list'),
      accept: 'application/json, text/event-stream',
      authorization: `Bearer ${token}`,
    };
    const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(list) });
    await response.text();
    return response.status;
  };
  const askOften = (url: string) => Promise.all(Array.from({ length: 15 }, () => ask(url)));
  const [atHome, atOther] = [await askOften(urls[0]!), await askOften(urls[1]!)];
  expect(times(200, atHome) + times(429, atHome)).toBe(15);
  expect(times(200, atHome)).toBeGreaterThanOrEqual(10);
  expect(times(200, atOther) + times(429, atOther)).toBe(15);
  // Each alone would have let ten pass. One more passes in six seconds.
  expect(times(200, atHome) + times(200, atOther)).toBeLessThan(20);
});
