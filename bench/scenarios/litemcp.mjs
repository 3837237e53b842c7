// LiteMCP beside our own MCP of both eras, on the same wires: what the smaller protocol costs with its larger messages, in
// its own client and as a host sees it. `peer` is what all of them stand on.

import { warmLoad } from '../load.mjs';

const load = (path) => () => import(`../contenders/${path}.mjs`);

export const title = 'LiteMCP and MCP, 64 calls in flight, 100 bytes';
export const contenders = [
  { name: 'peer', load: load('standpipe/client') },
  { name: 'mcp 2026', load: load('litemcp/mcp/modern') },
  { name: 'mcp 2025', load: load('litemcp/mcp/legacy') },
  { name: 'litemcp', load: load('litemcp/client') },
  { name: 'litemcp as mcp', load: load('litemcp/as-mcp') },
];
export const ratios = [
  ['litemcp', 'mcp 2026'],
  ['litemcp', 'mcp 2025'],
  ['litemcp as mcp', 'mcp 2026'],
];
export const metrics = [
  { key: 'perSecond', label: 'calls/s', digits: 0 },
  { key: 'cpuUs', label: 'CPU µs a call, both ends', digits: 1 },
];

export const cases = ({ quick }) => [
  { label: '100 B', bytes: 100, warmMs: quick ? 200 : 400, durationMs: quick ? 200 : 600 },
];

export async function measure(contender, { bytes, warmMs, durationMs }) {
  const { connect } = await contender.load();
  const client = await connect();
  const { calls, elapsedMs, cpuUs } = await warmLoad(client, { inFlight: 64, bytes, warmMs, durationMs });
  await client.close();
  return { perSecond: (calls * 1000) / elapsedMs, cpuUs: cpuUs / calls };
}

export const targets = ['mcp 2026', 'mcp 2025'].map((mcp) => ({
  text: `64 in flight, 100 B: calls/s, litemcp/${mcp}`,
  value: ({ ratio }) => ratio('100 B', 'litemcp', mcp, 'perSecond'),
  atLeast: 0.7,
}));
