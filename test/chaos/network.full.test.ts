// Calls over HTTP on a network that fails after n bytes, for each n: each call settles with its exact outcome, no call runs twice, and all
// connections are closed. NETWORK_STRIDE=1 tests every byte.

import { createServer } from 'node:http';
import { expect, test } from 'vitest';
import { StandpipeError } from '../../src/base/errors.ts';
import { connect } from '../../src/connect/connect.ts';
import { httpHandler } from '../../src/host/gateway/http/serve-http.ts';
import type { Client } from '../../src/mcp/client/client.ts';
import type { Revision } from '../../src/mcp/revisions.ts';
import { Server } from '../../src/mcp/server/server.ts';
import { until } from '../fixtures/server.ts';
import { FaultyNetwork, faults, type Plan } from './faulty-network.ts';

const STRIDE = Number(process.env.NETWORK_STRIDE ?? 41);
/** With a changed length, either end may wait for bytes that never arrive. Other faults must be detected without a timeout. */
const TIMEOUT_MS = { duplicate: 200, reorder: 200, cut: 60_000, truncate: 60_000, delay: 60_000 };
const silences = ['NOT_SENT', 'OUTCOME_UNKNOWN'];

/** A server that counts the runs of each key. */
function countingServer(): { server: Server; runs: Map<string, number> } {
  const runs = new Map<string, number>();
  const server = new Server({ name: 'counting', version: '1.0.0' });
  const input = { type: 'object', properties: { key: { type: 'string' } }, required: ['key'] } as const;
  server.tool('append', { input }, (args, call) => {
    const { key } = args as { key: string };
    const [first, second] = key.split(' ');
    if (first !== second) throw new Error('The network changed the key, perhaps into that of another call');
    runs.set(key, (runs.get(key) ?? 0) + 1);
    call.progress(1, 2);
    return 'appended';
  });
  return { server, runs };
}

/** Does not check `Host`, because that header names the network in between. */
async function serve(server: Server): Promise<{ port: number; close(): Promise<void> }> {
  const handler = httpHandler(server);
  const listener = createServer(handler.node);
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  const { port } = listener.address() as { port: number };
  const close = async () => {
    await handler.close();
    listener.closeAllConnections();
    await new Promise((resolve) => listener.close(resolve));
  };
  return { port, close };
}

const ways: { revision: Revision; transport: 'http' | 'sse'; withProgress: boolean }[] = [
  { revision: '2026-07-28', transport: 'http', withProgress: false },
  { revision: '2026-07-28', transport: 'http', withProgress: true },
  { revision: '2025-11-25', transport: 'http', withProgress: true },
  { revision: '2024-11-05', transport: 'sse', withProgress: false },
];

test.each(ways)('calls settle in $revision over $transport, progress $withProgress', async (way) => {
  const before = resources();
  const { server, runs } = countingServer();
  const network = await FaultyNetwork.open();
  const http = await serve(server);
  network.target = http.port;
  const url = `http://127.0.0.1:${network.port}/mcp`;
  const { revision, transport, withProgress } = way;
  let client: Client | undefined;
  let isOpen = false;
  const opened = async () => {
    if (isOpen) return client!;
    client = await connect({ url, transport }, { revision });
    client.onclose = () => {
      isOpen = false;
    };
    isOpen = true;
    return client;
  };
  let lastKey = 10_000;
  let passed = network.passed;
  const outcomes = new Map<string, { plan: Plan | undefined; outcome: string }>();
  const call = async (plan?: Plan) => {
    const key = `${++lastKey} ${lastKey}`;
    const caller = await opened();
    network.arm(plan);
    const timeoutMs = plan ? TIMEOUT_MS[plan.fault] : 60_000;
    const options = { timeoutMs, ...(withProgress && { onProgress: () => undefined }) };
    const outcome = await caller.callTool('append', { key }, options).then(
      () => 'done',
      (error: unknown) => (error instanceof StandpipeError ? error.code : `no error of ours: ${error}`),
    );
    passed = network.passed;
    network.arm(undefined);
    outcomes.set(key, { plan, outcome });
  };

  await call();
  await call(); // uses the open connection
  const lengths = passed;
  expect(lengths.toServer).toBeGreaterThan(100);
  for (const direction of ['toServer', 'toClient'] as const) {
    for (const fault of faults) {
      for (let at = 0; at < lengths[direction] + STRIDE; at += STRIDE) await call({ fault, direction, at });
    }
  }
  await call();

  await client?.close();
  await until('all connections are closed', () => network.sockets.size === 0);
  await network.close();
  await http.close();
  const wrong = [...outcomes].filter(([key, { plan, outcome }]) => {
    const ran = runs.get(key) ?? 0;
    if (ran > 1 || outcome.startsWith('no error of ours')) return true;
    if (outcome === 'NOT_SENT' && ran > 0) return true;
    if (plan === undefined || plan.fault === 'delay') return outcome !== 'done' || ran !== 1;
    if (plan.fault === 'cut' || plan.fault === 'truncate')
      return outcome === 'done' ? ran !== 1 : !silences.includes(outcome);
    return false;
  });
  expect(wrong).toEqual([]);
  expect(new Set([...outcomes.values()].map(({ outcome }) => outcome))).toContain('OUTCOME_UNKNOWN');
  await until(`nothing is left of ${resources()}, ${before} before`, () => resources() <= before);
});

/** Number of sockets and timers. */
function resources(): number {
  return process.getActiveResourcesInfo().filter((name) => /^(?:TCP|Timeout|TLS)/.test(name)).length;
}
