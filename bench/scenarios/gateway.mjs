// One stdio server for many clients over HTTP, behind our gateway, two others, and the raw loop, which is the limit.
// All gateways have the same server and the same clients, whose ids and progress tokens are equal; each answer is
// checked.

import { loadGateway, openClients, quantile } from '../contenders/gateway/load.mjs';
import { processTree } from '../contenders/gateway/process-tree.mjs';
import { startGateway } from '../contenders/gateway/start.mjs';
import { KB, MB } from '../payload.mjs';

const CLIENTS = 50;
const GONE_MS = 10_000;

export const title = '50 clients of one stdio server over HTTP';
export const contenders = [{ name: 'raw' }, { name: 'mcp-proxy' }, { name: 'supergateway' }, { name: 'standpipe' }];
export const ratios = [
  ['standpipe', 'raw'],
  ['standpipe', 'mcp-proxy'],
];
export const differences = [['standpipe', 'raw']];
export const metrics = [
  { key: 'perSecond', label: 'calls/s', digits: 0 },
  { key: 'p50Ms', label: 'p50, ms', digits: 1 },
  { key: 'p99Ms', label: 'p99, ms', digits: 1 },
  { key: 'cpuUs', label: 'CPU µs a call, gateway and server', digits: 0 },
  { key: 'progress', label: 'progress notifications a call', digits: 2 },
  { key: 'misdelivered', label: 'misdelivered', digits: 0 },
  { key: 'processes', label: 'processes', digits: 0 },
  { key: 'rssMb', label: 'RSS of all, MB', digits: 0 },
  { key: 'processesLater', label: 'processes 10 s after the clients vanished', digits: 0 },
  { key: 'rssLaterMb', label: 'RSS of all then, MB', digits: 0 },
];
const speed = ['perSecond', 'p50Ms', 'p99Ms', 'cpuUs', 'misdelivered', 'processes', 'rssMb'];

export function cases({ quick }) {
  const times = { warmMs: quick ? 500 : 1500, durationMs: quick ? 1000 : 3000 };
  const modern = { supergateway: 'it does not support 2026-07-28' };
  const loads = [
    { load: `${CLIENTS} × 1, 100 B`, inFlight: 1, bytes: 100 },
    { load: `${CLIENTS} × 8, 100 B`, inFlight: 8, bytes: 100 },
    { load: `${CLIENTS} × 1, 64 KB`, inFlight: 1, bytes: 64 * KB },
    { load: `${CLIENTS} × 8, 64 KB`, inFlight: 8, bytes: 64 * KB },
  ];
  const eras = [
    { revision: '2025-11-25', skip: {} },
    { revision: '2026-07-28', skip: modern },
  ];
  const first = eras[0].revision;
  return [
    ...eras.flatMap((era) =>
      loads
        .filter(({ bytes }) => !quick || bytes < KB)
        .map(({ load, ...each }) => ({ label: `${era.revision}, ${load}`, metrics: speed, ...era, ...each, ...times })),
    ),
    ...eras.map((era) => ({
      label: `${era.revision}, ${CLIENTS} × 8, with progress`,
      metrics: ['perSecond', 'progress', 'misdelivered'],
      mostRounds: 2,
      inFlight: 8,
      bytes: 100,
      withProgress: true,
      ...era,
      ...times,
      skip: { raw: 'it forwards no notifications', ...era.skip },
    })),
    {
      label: `${first}, ${CLIENTS} clients vanish`,
      metrics: ['processes', 'rssMb', 'processesLater', 'rssLaterMb'],
      mostRounds: 1,
      inFlight: 1,
      bytes: 100,
      vanish: true,
      revision: first,
      ...times,
    },
  ];
}

export async function measure({ name }, { revision, inFlight, bytes, warmMs, durationMs, withProgress, vanish }) {
  const { pid, target, end } = await startGateway(name);
  try {
    const clients = await openClients(target, { clients: CLIENTS, inFlight, revision });
    const wanted = { inFlight, bytes, withProgress };
    const warm = await loadGateway(clients, { ...wanted, durationMs: warmMs });
    const before = processTree(pid);
    const { takenMs, elapsedMs, misdelivered, progress } = await loadGateway(clients, { ...wanted, durationMs });
    const after = processTree(pid);
    for (const client of clients) client.vanish();
    return {
      perSecond: (takenMs.length * 1000) / elapsedMs,
      p50Ms: quantile(takenMs, 0.5),
      p99Ms: quantile(takenMs, 0.99),
      cpuUs: (after.cpuUs - before.cpuUs) / takenMs.length,
      progress: progress / takenMs.length,
      misdelivered: misdelivered + warm.misdelivered,
      processes: after.pids.length,
      rssMb: after.rssBytes / MB,
      ...(vanish && (await later(pid))),
    };
  } finally {
    await end();
  }
}

async function later(pid) {
  await new Promise((resolve) => setTimeout(resolve, GONE_MS));
  const { pids, rssBytes } = processTree(pid);
  return { processesLater: pids.length, rssLaterMb: rssBytes / MB };
}

const compared = (load) => [`2025-11-25, ${CLIENTS} × ${load}`, `2026-07-28, ${CLIENTS} × ${load}`];
const rival = (label) => (label.startsWith('2026') ? ['mcp-proxy'] : ['mcp-proxy', 'supergateway']);
const targetsOf = (label) => [
  {
    text: `${label}: calls/s, relative to the raw loop`,
    value: ({ ratio }) => ratio(label, 'standpipe', 'raw', 'perSecond'),
    atLeast: 0.6,
  },
  {
    text: `${label}: calls/s, relative to the faster of the other gateways`,
    value: ({ ratio }) => Math.min(...rival(label).map((other) => ratio(label, 'standpipe', other, 'perSecond'))),
    atLeast: 5,
  },
  {
    text: `${label}: p99, ms above the raw loop`,
    value: ({ difference }) => difference(label, 'standpipe', 'raw', 'p99Ms'),
    atMost: 2,
  },
];

export const targets = [
  ...[...compared('1, 100 B'), ...compared('8, 100 B'), ...compared('1, 64 KB'), ...compared('8, 64 KB')].flatMap(
    targetsOf,
  ),
  {
    text: 'answers and notifications delivered to another call',
    value: ({ labels, median }) =>
      labels.reduce((sum, label) => sum + (median(label, 'standpipe', 'misdelivered') || 0), 0),
    atMost: 0,
  },
];
