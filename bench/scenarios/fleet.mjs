// A call through a second node of a fleet: client, node, NATS, node, stdio server, and back. Compared with NATS
// request/reply that passes bytes only, with NATS request/reply whose responder passes each message to the same stdio
// server, and with a server on the node itself.

import { connect as connectNats } from '../contenders/fleet/nats-client.mjs';
import { connect as connectNode } from '../contenders/fleet/node-client.mjs';
import { bundleFleetParts } from '../fleet/fleet-parts.mjs';
import { startNatsServer } from '../fleet/nats-server.mjs';
import { timedLoad } from '../load.mjs';
import { KB } from '../payload.mjs';

export const title = 'tools/call through a second node, over NATS';
export const contenders = [
  { name: 'nats', connect: connectNats },
  { name: 'nats to stdio', connect: connectNats, withServer: true },
  { name: 'fleet', connect: connectNode },
  { name: 'local', connect: connectNode, isLocal: true },
];
export const ratios = [
  ['fleet', 'nats'],
  ['fleet', 'nats to stdio'],
];
export const metrics = [
  { key: 'perSecond', label: 'calls/s', digits: 0 },
  { key: 'p50Us', label: 'p50, µs', digits: 0 },
  { key: 'p99Us', label: 'p99, µs', digits: 0 },
];

const loads = [
  { label: '1 × 100 B', inFlight: 1, bytes: 100 },
  { label: '64 × 100 B', inFlight: 64, bytes: 100 },
  { label: '1 × 64 KB', inFlight: 1, bytes: 64 * KB },
  { label: '64 × 64 KB', inFlight: 64, bytes: 64 * KB },
];

export function cases({ quick }) {
  const times = { warmMs: quick ? 500 : 2000, durationMs: quick ? 1000 : 3000 };
  return loads.map((each) => ({ ...each, ...times }));
}

export async function background() {
  const nats = await startNatsServer();
  return { shared: { url: nats.url, parts: await bundleFleetParts() }, end: () => nats.end() };
}

export async function measure({ connect, withServer, isLocal }, load, shared) {
  const client = await connect({ ...shared, withServer, isLocal });
  try {
    return await timedLoad(client, load);
  } finally {
    await client.close();
  }
}

export const targets = loads.map(({ label }) => ({
  text: `${label}: calls/s, of plain NATS request/reply`,
  value: ({ ratio }) => ratio(label, 'fleet', 'nats', 'perSecond'),
  atLeast: 0.5,
}));
