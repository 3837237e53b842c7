// The same tool of the same server, through a host and through the bare client: the cost that supervision and the store
// of messages add to a call.

import { clientFrom } from '../contenders/client-from.mjs';
import { warmLoad } from '../load.mjs';

export const title = 'tools/call through a host, 100 bytes';
export const contenders = [
  { name: 'client', load: clientFrom('mcp/client') },
  { name: 'host', load: clientFrom('host/client') },
];
export const ratios = [['host', 'client']];
export const roundsFactor = 2;
export const metrics = [
  { key: 'callUs', label: 'µs a call', digits: 1 },
  { key: 'cpuUs', label: 'CPU µs a call, both ends', digits: 1 },
];

export function cases({ quick }) {
  const times = { warmMs: quick ? 200 : 500, durationMs: quick ? 200 : 500 };
  return [
    { label: 'one at a time', inFlight: 1, ...times },
    { label: '64 in flight', inFlight: 64, ...times },
  ];
}

/** With many calls in flight, the time of a call is the total time divided by the number of calls. */
export async function measure(contender, { inFlight, warmMs, durationMs }) {
  const { connect } = await contender.load();
  const client = await connect();
  try {
    const { calls, elapsedMs, cpuUs } = await warmLoad(client, { inFlight, bytes: 100, warmMs, durationMs });
    return { callUs: (elapsedMs * 1000) / calls, cpuUs: cpuUs / calls };
  } finally {
    await client.close();
  }
}

export const targets = ['one at a time', '64 in flight'].map((label) => ({
  text: `tools/call, ${label}: time, host/client`,
  value: ({ ratio }) => ratio(label, 'host', 'client', 'callUs'),
  atMost: 1.1,
}));
