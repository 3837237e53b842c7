// Clients that disconnect without notice, in any state: sessions, streams, sockets, requests and their work in the process are released.
// STANDPIPE_VANISHED sets the number of clients, 150 by default; for more, memory is reported.

import { createServer, type Server as NodeServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import { queryObjects, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ManualClock } from '../../src/base/clock.ts';
import { NodeExchange } from '../../src/host/gateway/http/exchange.ts';
import { Gateways } from '../../src/host/gateway/http/gateways.ts';
import { connectionOptions } from '../../src/host/gateway/http/listener.ts';
import { HttpSession } from '../../src/host/gateway/http/session.ts';
import { Host } from '../../src/host/host.ts';
import { clientOf } from '../../src/mcp/client/client.ts';
import { FlowStore } from '../../src/observe/flow/store.ts';
import { modernMeta } from '../fixtures/gateway/modern-request.ts';

const clients = Number(process.env.STANDPIPE_VANISHED ?? 150);
/** Number of concurrent clients. The server runs 256 requests at a time. */
const WAVE = 500;
const IDLE_MS = 60_000;

const clock = new ManualClock();
let host: Host;
let gateways: Gateways;
let listener: NodeServer;
let port: number;

beforeAll(async () => {
  const args = [fileURLToPath(new URL('../fixtures/gateway/counts-open-calls.mjs', import.meta.url))];
  const entry = { command: process.execPath, args, requestTimeoutMs: 3_600_000 };
  const mcpServers = { legacy: { ...entry, revision: '2025-11-25' as const }, modern: entry };
  host = new Host({ mcpServers }, { flow: new FlowStore({ maxEvents: 100 }) }); // a larger store would fill during the test
  await host.start();
  gateways = new Gateways((name) => (name && host.names.includes(name) ? host.service(name) : undefined), {
    path: '/mcp',
    clock,
    sessionIdleMs: IDLE_MS,
    keepAliveMs: 15_000,
  });
  listener = createServer(connectionOptions({ headersTimeoutMs: 60_000 }), (request, response) => {
    const exchange = new NodeExchange(request, response);
    gateways.at(exchange.path)!.handle(exchange);
  });
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  port = (listener.address() as AddressInfo).port;
});

afterAll(async () => {
  await gateways.close();
  listener.closeAllConnections();
  listener.close();
  await host.stop();
});

const initialize = {
  id: 0,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'raw', version: '1' } },
};

/** A socket that sends only the bytes of the test. */
class RawClient {
  readonly socket: Socket;
  readonly #path: string;
  #text = '';
  #look: (() => void) | undefined;

  constructor(server: string) {
    this.#path = `/mcp/${server}`;
    this.socket = connect(port, '127.0.0.1');
    this.socket.on('error', () => undefined); // the other end may close first
    this.socket.setEncoding('latin1');
    this.socket.on('data', (chunk) => {
      this.#text += chunk;
      this.#look?.();
    });
  }

  async received(pattern: RegExp): Promise<string> {
    for (;;) {
      const found = pattern.exec(this.#text);
      if (found) {
        this.#text = this.#text.slice(found.index + found[0].length);
        return found[1] ?? '';
      }
      await new Promise<void>((resolve) => {
        this.#look = resolve;
      });
    }
  }

  send(method: string, headers: Record<string, string>, body?: object, query = ''): void {
    const text = body === undefined ? '' : JSON.stringify({ jsonrpc: '2.0', ...body });
    const all = {
      host: 'here',
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'content-length': String(text.length),
      ...headers,
    };
    const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
    this.socket.write(`${method} ${this.#path}${query} HTTP/1.1\r\n${lines.join('')}\r\n${text}`);
  }

  modern(method: string, params: { name?: string; [key: string]: unknown }): void {
    const name = params.name === undefined ? undefined : { 'mcp-name': params.name };
    const headers = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': method, ...name };
    this.send('POST', headers, { id: 1, method, params: { ...params, _meta: { ...modernMeta, progressToken: 1 } } });
  }

  async openSession(): Promise<Record<string, string>> {
    this.send('POST', {}, initialize);
    const id = await this.received(/mcp-session-id: (\S+)\r\n/i);
    await this.received(/"protocolVersion"/);
    return { 'mcp-session-id': id };
  }
}

const never = { id: 1, method: 'tools/call', params: { name: 'never', _meta: { progressToken: 1 } } };

/** Brings a client into the state in which it vanishes. */
const states: Record<string, (client: RawClient) => Promise<unknown>> = {
  'a session with its stream': async (client) => {
    client.send('GET', await client.openSession());
    await client.received(/text\/event-stream/);
  },
  'a session with a call': async (client) => {
    client.send('POST', await client.openSession(), never);
    await client.received(/notifications\/progress/);
  },
  'a call of 2026-07-28': async (client) => {
    client.modern('tools/call', { name: 'never' });
    await client.received(/notifications\/progress/);
  },
  'a subscription': async (client) => {
    client.modern('subscriptions/listen', { notifications: { toolsListChanged: true } });
    await client.received(/acknowledged/);
  },
  'HTTP+SSE with a call': async (client) => {
    client.send('GET', {});
    const query = await client.received(/data: \S+(\?sessionId=\S+)/);
    const poster = new RawClient('legacy');
    poster.send('POST', {}, never, query);
    await client.received(/notifications\/progress/);
    poster.socket.destroy();
  },
  'a call that was just sent': async (client) => {
    client.modern('tools/call', { name: 'never' });
    await new Promise((resolve) => setImmediate(resolve));
  },
  'half a request': async (client) => {
    client.socket.write('POST /mcp/legacy HTTP/1.1\r\nhost: here\r\ncontent-length: 1000\r\n\r\n{"jsonrpc"');
    await new Promise((resolve) => setImmediate(resolve));
  },
  nothing: (client) => new Promise((resolve) => client.socket.once('connect', resolve)),
};

const held = () =>
  Object.fromEntries(
    // Replies hold exchanges, and sessions or requests hold replies, so that these two classes are sufficient.
    [HttpSession, NodeExchange].map((each) => [each.name, queryObjects(each, { format: 'count' })]),
  );
const connections = () => new Promise<number>((resolve) => listener.getConnections((_, count) => resolve(count)));
const timers = () => process.getActiveResourcesInfo().filter((each) => each === 'Timeout').length;
const soon = { timeout: 120_000, interval: 100 };

/** Collects garbage only if memory is reported, because that is slow beside other tests. */
function collector(): () => void {
  if (clients <= 150) return () => undefined;
  setFlagsFromString('--expose-gc');
  return runInNewContext('gc') as () => void;
}

async function openCalls(): Promise<string[]> {
  const all: string[] = [];
  for (const name of host.names) {
    const client = await clientOf(host.service(name));
    all.push(((await client.callTool('open')).content[0] as { text: string }).text);
    await client.close();
  }
  return all;
}

async function wave(count: number): Promise<void> {
  const kinds = Object.values(states);
  const open = Array.from({ length: count }, (_, at) => {
    // A post of HTTP+SSE must use the path of its stream.
    const isOld = at % kinds.length === 4;
    const client = new RawClient(isOld || at % 3 > 0 ? 'legacy' : 'modern');
    return { client, ready: kinds[at % kinds.length]!(client) };
  });
  await Promise.all(open.map(({ ready }) => ready));
  expect(gateways.limits.counts.sessions).toBeGreaterThan(0);
  for (const { client } of open) client.socket.destroy();
  await expect.poll(connections, soon).toBe(0);
  // A lost connection does not end a session, but `sessionIdleMs` without one does.
  for (let at = 0; at < 6; at++) clock.advance(15_000);
  await expect
    .poll(() => gateways.limits.counts, soon)
    .toEqual({ sessions: 0, streams: 0, inFlight: 0, waitingBytes: 0 });
  await expect.poll(openCalls, soon).toEqual(['0', '0']);
}

test(`after ${clients} clients have vanished, all resources are released`, async () => {
  await wave(Object.keys(states).length); // creates the resources that exist once
  const pids = host.status().map(({ pid }) => pid);
  const collect = collector();
  collect();
  const before = {
    held: held(),
    timers: timers(),
    heap: process.memoryUsage().heapUsed,
    rss: process.memoryUsage().rss,
  };
  for (let left = clients; left > 0; left -= WAVE) await wave(Math.min(left, WAVE));
  await expect.poll(held, soon).toEqual(before.held);
  expect(gateways.limits.kept.chars).toBe(0);
  expect(host.status().map(({ pid }) => pid)).toEqual(pids);
  // Some timers do not belong to clients: each process has one for abandoned requests.
  await expect.poll(timers, soon).toBeLessThanOrEqual(before.timers + 4);
  collect();
  const { heapUsed, rss } = process.memoryUsage();
  if (clients > 150) {
    const mb = (bytes: number) => `${(bytes / 1024 / 1024).toFixed(1)} MB`;
    process.stderr.write(`heap ${mb(before.heap)} → ${mb(heapUsed)}, resident ${mb(before.rss)} → ${mb(rss)}\n`);
  }
}, 3_600_000);
