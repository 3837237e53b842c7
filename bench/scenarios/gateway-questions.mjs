// 49 principals that make one call at a time each, alone and beside a principal that leaves the questions of the server
// unanswered.

import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { startAsker } from '../contenders/gateway/hostile-asker.mjs';
import { loadGateway, quantile } from '../contenders/gateway/load.mjs';
import { openClient } from '../contenders/gateway/mcp-client.mjs';

const OTHERS = 49;
const gateway = fileURLToPath(new URL('../contenders/gateway/principals.mjs', import.meta.url));

export const title = '49 principals of the gateway beside one that does not answer questions';
export const contenders = [{ name: 'alone' }, { name: 'beside' }];
export const ratios = [['beside', 'alone']];
export const metrics = [
  { key: 'p50Ms', label: 'p50, ms', digits: 2 },
  { key: 'p99Ms', label: 'p99, ms', digits: 2 },
];

export function cases({ quick }) {
  const times = { warmMs: quick ? 500 : 1500, durationMs: quick ? 2000 : 5000 };
  return ['2025-11-25', '2026-07-28'].map((revision) => ({ label: revision, revision, ...times }));
}

export async function measure({ name }, { revision, warmMs, durationMs }) {
  const child = fork(gateway);
  const [port] = await once(child, 'message');
  const targetOf = (principal) => ({ port, path: '/mcp/echo', headers: { 'x-principal': principal } });
  let endAsker;
  try {
    const others = Array.from({ length: OTHERS }, (_, at) =>
      openClient(targetOf(`other-${at}`), { name: `other ${at}`, revision, connections: 1 }),
    );
    const clients = await Promise.all(others);
    if (name === 'beside') endAsker = await startAsker(targetOf('hostile'));
    await loadGateway(clients, { inFlight: 1, bytes: 100, durationMs: warmMs });
    const { takenMs } = await loadGateway(clients, { inFlight: 1, bytes: 100, durationMs });
    for (const client of clients) client.vanish();
    return { p50Ms: quantile(takenMs, 0.5), p99Ms: quantile(takenMs, 0.99) };
  } finally {
    await endAsker?.();
    child.disconnect();
    await once(child, 'exit');
  }
}

export const targets = cases({ quick: true }).map(({ label }) => ({
  text: `${label}: p99 of the others, beside/alone`,
  value: ({ ratio }) => ratio(label, 'beside', 'alone', 'p99Ms'),
  atMost: 2,
}));
