// Gateways of a fleet, in this process and as processes, on a real NATS server: a quota of a principal limits the sum over all gateways.

import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { ManualClock } from '../../src/base/clock.ts';
import type { ClusterNetwork, NodeRecord } from '../../src/host/fleet/cluster-network.ts';
import { openNetwork } from '../../src/host/fleet/nats/open-network.ts';
import { answerNodeRequests, type NodeHandlers } from '../../src/host/fleet/node/answer-node-requests.ts';
import { FleetQuotas } from '../../src/host/fleet/quotas/fleet-quotas.ts';
import { rendezvousScore } from '../../src/host/fleet/route/choose-instance.ts';
import { serveHttp } from '../../src/host/gateway/http/serve-http.ts';
import { Server } from '../../src/mcp/server/server.ts';
import { NatsProxy } from '../fixtures/fleet/nats-proxy.ts';
import { startNatsServer } from '../fixtures/fleet/nats-server.ts';
import { NodeProcess } from '../fixtures/fleet/node-process.ts';
import { modernHeaders, modernMeta } from '../fixtures/gateway/modern-request.ts';
import { temporaryFolder } from '../fixtures/temporary-folder.ts';

const nats = await startNatsServer();
const clock = new ManualClock();
const principals = {
  ada: { name: 'ada', quotas: { inFlight: 6 } },
  grace: { name: 'grace', quotas: { requestsPerMinute: 20 } },
};

/** Address of NATS or of a proxy, and the fleet. */
const where = { url: nats.url, fleet: 'quotas' };

/** Pending requests of gateways to the home of a quota. */
const asked = new Set<Promise<unknown>>();

/** Advances the clock only while no request is pending, because a home forgets gateways that do not report in time. */
async function pass(ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += 500) {
    clock.advance(500);
    await setImmediate();
    await Promise.allSettled(asked);
    await setImmediate();
  }
}

interface Gateway {
  network: ClusterNetwork;
  quotas: FleetQuotas;
  /** Resolves to the HTTP status of the answer. */
  call(principal: string, tool: string): Promise<number>;
}

async function gateway(name: string, waits: Promise<void>, started: () => void, at = where): Promise<Gateway> {
  const network = await openNetwork({ servers: [at.url], fleet: at.fleet, name, lifetimeMs: 2000 });
  const request = network.request.bind(network);
  network.request = <T>(...args: Parameters<ClusterNetwork['request']>) => {
    const asking = request<T>(...args).finally(() => asked.delete(asking));
    asked.add(asking);
    return asking;
  };
  const quotas = new FleetQuotas(network, name, clock);
  const requests = answerNodeRequests(network, name, {
    'standpipe/quota': (ask) => quotas.answer(ask),
  } as NodeHandlers);
  await network.directory.nodes.create(name, { name, session: 's', url: `http://${name}` } as NodeRecord);
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
    await network.close();
  });
  return {
    network,
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

test('the quotas of a principal limit the sum over two gateways', async () => {
  let goOn!: () => void;
  let running = 0;
  const waits = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  const [a, b] = [await gateway('a', waits, () => running++), await gateway('b', waits, () => running++)];
  await expect
    .poll(() => [a.quotas.homeOf('ada'), b.quotas.homeOf('ada')])
    .toEqual(Array(2).fill(a.quotas.homeOf('ada')));

  await pass(2000); // both know the use of the other
  // The limit of concurrent calls: the first gateway uses it all, the other one gets none.
  const held = Array.from({ length: 9 }, () => a.call('ada', 'waits'));
  const refusedAtA = Promise.all(held).then((statuses) => times(429, statuses));
  await expect.poll(() => running).toBe(6);
  expect(await b.call('ada', 'waits')).toBe(429);
  goOn();
  expect(await refusedAtA).toBe(3);
  // Unused calls return to the home, and the other gateway can use them.
  await expect
    .poll(async () => {
      await pass(500);
      return b.call('ada', 'echo');
    })
    .toBe(200);

  // The limit per minute applies to the sum of both gateways.
  const calls = Array.from({ length: 30 }, () => [a.call('grace', 'echo'), b.call('grace', 'echo')]);
  const statuses = await Promise.all(calls.flat());
  expect([times(200, statuses), times(429, statuses)]).toEqual([20, 40]);
});

test('a gateway that joins, leaves or reconnects grants nothing before it knows the use of the others', async () => {
  let goOn!: () => void;
  let running = 0;
  const waits = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  const proxy = await NatsProxy.open(nats.port);
  const at = { url: nats.url, fleet: 'moves' };
  // The last name is the home of ada.
  const names = ['a', 'b', 'c', 'd', 'e'].sort((x, y) => rendezvousScore('ada', x) - rendezvousScore('ada', y));
  const [first, second, home] = [names[0]!, names[1]!, names.at(-1)!];
  const a = await gateway(first, waits, () => running++, at);
  const b = await gateway(second, waits, () => running++, at);
  await expect.poll(() => a.quotas.homeOf('ada')).toBe(second);
  await pass(2000);
  const calls = Array.from({ length: 4 }, () => a.call('ada', 'waits'));
  await expect.poll(() => running).toBe(4);

  // The home moves to a gateway that does not know about the four calls yet.
  const c = await gateway(home, waits, () => running++, { ...at, url: proxy.url });
  await expect.poll(() => [a, b].map(({ quotas }) => quotas.homeOf('ada'))).toEqual([home, home]);
  const refused = Array.from({ length: 3 }, () => b.call('ada', 'waits'));
  expect(await Promise.all(refused)).toEqual([429, 429, 429]);
  await pass(2000);
  calls.push(b.call('ada', 'waits'), b.call('ada', 'waits'));
  await expect.poll(() => running).toBe(6);
  expect(await c.call('ada', 'waits')).toBe(429);

  // The home is disconnected until it forgets the use of the others, which keep their fair share meanwhile.
  proxy.cut();
  await expect.poll(() => c.network.isConnected).toBe(false);
  await pass(3000);
  proxy.heal();
  await expect.poll(() => c.network.isConnected).toBe(true);
  await c.network.flush();
  expect(await Promise.all([c.call('ada', 'waits'), c.call('ada', 'waits')])).toEqual([429, 429]);

  await pass(2000);
  expect(await c.call('ada', 'waits')).toBe(429);

  // The home leaves: the earlier home is used again, and does not know about the six calls.
  const entry = await c.network.directory.nodes.get(home);
  await c.network.directory.nodes.remove(home, entry!.revision);
  await expect.poll(() => [a, b].map(({ quotas }) => quotas.homeOf('ada'))).toEqual([second, second]);
  expect(await Promise.all([a.call('ada', 'waits'), b.call('ada', 'waits')])).toEqual([429, 429]);
  expect(running).toBe(6);
  goOn();
  expect(await Promise.all(calls)).toEqual(Array(6).fill(200));
  await expect
    .poll(async () => {
      await pass(500);
      return times(200, await Promise.all(Array.from({ length: 6 }, () => b.call('ada', 'echo'))));
    })
    .toBe(6);
});

test('refuses a request for quotas in the name of a gateway that is not in the directory', async () => {
  const { quotas } = await gateway('only', Promise.resolve(), () => undefined, { url: nats.url, fleet: 'unlisted' });
  const none = { sessions: 0, streams: 0, inFlight: 0, waitingBytes: 0 };
  const wanted = { ...none, inFlight: 6 };
  const askAs = (name: string) =>
    quotas.answer({
      principal: 'ada',
      quotas: { inFlight: 6 },
      gateway: name,
      used: none,
      had: none,
      wanted,
      requests: 0,
    });
  expect(() => askAs('invented')).toThrow('The gateway is not in the directory');
  expect(askAs('only').held.inFlight).toBe(6);
});

test('three processes of up --http share the limits of a token while gateways and the home are killed', async () => {
  const folder = temporaryFolder('shared-quotas');
  const file = join(folder, 'tokens.json');
  const program = fileURLToPath(new URL('../../dist/cli/main.cjs', import.meta.url));
  // The third node is the home, so that the other two know it when it has joined.
  const homeOf = (name: string, nodes: string[]) =>
    nodes.sort((x, y) => rendezvousScore(name, y) - rendezvousScore(name, x))[0];
  const homedAt = (node: string) =>
    Array.from({ length: 100 }, (_, n) => `p${n}`).find((name) => homeOf(name, ['one', 'two', 'three']) === node)!;
  const addToken = (name: string, ...limits: string[]) => {
    const words = [program, 'token', 'add', name, ...limits, '--tokens', file];
    return execFileSync(process.execPath, words, { encoding: 'utf8' }).trim().split('\n').at(-1)!.trim();
  };
  const rated = addToken(homedAt('one'), '--per-minute', '10');
  const counted = addToken(homedAt('three'), '--in-flight', '4');

  // A server that counts the concurrent calls of all gateways.
  let running = 0;
  let most = 0;
  let release: () => void = () => undefined;
  const server = new Server({ name: 'counts', version: '1.0.0' });
  server.tool('waits', {}, async (_, { signal }) => {
    most = Math.max(most, ++running);
    await new Promise<void>((resolve) => {
      const before = release;
      release = () => {
        before();
        resolve();
      };
      signal.addEventListener('abort', () => resolve());
    });
    running -= 1;
    return 'done';
  });
  const serving = await serveHttp(server, { port: 0, token: false });
  onTestFinished(() => serving.close());

  const nodes: NodeProcess[] = [];
  for (const name of ['one', 'two', 'three']) {
    const args = ['--fleet', 'processes', '--lease', '2s', '--tokens', file];
    const node = new NodeProcess({ name, folder, url: nats.url, args, servers: { counts: { url: serving.url } } });
    nodes.push(node);
    onTestFinished(() => void node.end('SIGKILL'));
    await node.untilEvent('it has joined', ({ text }) => text?.includes('Joined the fleet') ?? false);
  }
  const urls = nodes.map(({ events }) => events.find(({ http }) => http !== undefined)!.http!);
  const post = async (url: string, token: string, method: string, name?: string) => {
    const headers = { ...modernHeaders(method, name), accept: 'application/json, text/event-stream' };
    const params = { ...(name && { name, arguments: {} }), _meta: modernMeta };
    const response = await fetch(url, {
      method: 'POST',
      headers: { ...headers, authorization: `Bearer ${token}` },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    });
    await response.text();
    return response.status;
  };

  const listAt = (...at: string[]) =>
    Promise.all(Array.from({ length: 10 }, () => at.map((url) => post(url, rated, 'tools/list'))).flat());
  expect(times(200, await listAt(urls[0]!))).toBe(10);
  // Each gateway alone would let ten requests pass, and one more after six seconds.
  const elsewhere = await listAt(urls[1]!, urls[2]!);
  expect(times(200, elsewhere) + times(429, elsewhere)).toBe(20);
  expect(times(200, elsewhere)).toBeLessThan(10);

  /** Sends calls until `count` run. A call ends when it is released or when its gateway is killed. */
  const fill = (count: number, ...gateways: number[]) =>
    expect
      .poll(async () => {
        const sent = gateways.map((n) => post(`${urls[n]}/counts`, counted, 'tools/call', 'waits').catch(() => 0));
        const before = running;
        await Promise.race([
          ...sent,
          expect
            .poll(() => running)
            .toBeGreaterThan(before)
            .catch(() => undefined),
        ]);
        return running;
      })
      .toBe(count);
  await fill(2, 0);
  await fill(4, 1);
  expect(await post(`${urls[2]}/counts`, counted, 'tools/call', 'waits')).toBe(429);
  // A gateway is killed with its calls, then the home: the others get all of them, and the sum never exceeds the limit.
  await nodes[1]!.end('SIGKILL');
  await expect.poll(() => running).toBe(2);
  await fill(4, 0, 2);
  await nodes[2]!.end('SIGKILL');
  await expect.poll(() => running).toBeLessThan(5);
  await fill(4, 0);
  expect(most).toBe(4);
  release();
});
