// A client that makes one call at a time, alone and beside another client that keeps 1,000 requests in flight.

import { startFlood } from '../contenders/gateway/flooder.mjs';
import { loadGateway, openClients, quantile } from '../contenders/gateway/load.mjs';
import { startGateway } from '../contenders/gateway/start.mjs';

const FLOOD = 1000;

export const title = 'a quiet client of the gateway beside one that floods';
export const contenders = [{ name: 'alone' }, { name: 'flooded' }];
export const ratios = [['flooded', 'alone']];
export const metrics = [
  { key: 'p50Ms', label: 'p50, ms', digits: 2 },
  { key: 'p99Ms', label: 'p99, ms', digits: 2 },
];

export function cases({ quick }) {
  const times = { warmMs: quick ? 500 : 1500, durationMs: quick ? 1000 : 3000 };
  return ['2025-11-25', '2026-07-28'].map((revision) => ({ label: revision, revision, ...times }));
}

export async function measure({ name }, { revision, warmMs, durationMs }) {
  const { target, end } = await startGateway('standpipe');
  let endFlood;
  try {
    const quiet = await openClients(target, { clients: 1, inFlight: 1, revision, name: 'quiet' });
    await loadGateway(quiet, { inFlight: 1, bytes: 100, durationMs: warmMs });
    const flood = { inFlight: FLOOD, bytes: 100, revision };
    if (name === 'flooded') endFlood = await startFlood(target, flood);
    const { takenMs } = await loadGateway(quiet, { inFlight: 1, bytes: 100, durationMs });
    for (const client of quiet) client.vanish();
    return { p50Ms: quantile(takenMs, 0.5), p99Ms: quantile(takenMs, 0.99) };
  } finally {
    await endFlood?.();
    await end();
  }
}

export const targets = cases({ quick: true }).map(({ label }) => ({
  text: `${label}: p99 of the quiet client, flooded/alone`,
  value: ({ ratio }) => ratio(label, 'flooded', 'alone', 'p99Ms'),
  atMost: 2,
}));
