// Each call waits for the previous answer: the cost of a round trip.

import { echoContenders, echoRatios } from '../contenders/echo.mjs';
import { warmLoad } from '../load.mjs';

export const title = 'one call at a time, 100 bytes';
export const contenders = echoContenders;
export const ratios = echoRatios;
/** Whether the two processes share a core has more effect than the code, so more rounds are needed. */
export const roundsFactor = 2;
export const metrics = [
  { key: 'callUs', label: 'µs a call', digits: 0 },
  { key: 'cpuUs', label: 'CPU µs a call, both ends', digits: 1 },
];

export const cases = ({ quick }) => [
  { label: '100 B', bytes: 100, warmMs: quick ? 200 : 400, durationMs: quick ? 200 : 400 },
];

export async function measure(contender, { bytes, warmMs, durationMs }) {
  const { connect } = await contender.load();
  const client = await connect();
  const { calls, elapsedMs, cpuUs } = await warmLoad(client, { inFlight: 1, bytes, warmMs, durationMs });
  await client.close();
  return { callUs: (elapsedMs * 1000) / calls, cpuUs: cpuUs / calls };
}

export const targets = [
  {
    text: 'one at a time: time, standpipe/raw',
    value: ({ ratio }) => ratio('100 B', 'standpipe', 'raw', 'callUs'),
    atMost: 1.2,
  },
];
