// Many calls share one pipe, without waiting for each other.

import { echoContenders, echoRatios } from '../contenders/echo.mjs';
import { warmLoad } from '../load.mjs';
import { KB } from '../payload.mjs';

export const title = '64 calls in flight';
export const contenders = echoContenders;
export const ratios = echoRatios;
export const metrics = [
  { key: 'perSecond', label: 'calls/s', digits: 0 },
  { key: 'cpuUs', label: 'CPU µs a call, both ends', digits: 1 },
];

export function cases({ quick }) {
  const times = { warmMs: quick ? 200 : 400, durationMs: quick ? 200 : 600 };
  return [
    { label: '100 B', bytes: 100, ...times },
    { label: '4 KB', bytes: 4 * KB, ...times },
    { label: '64 KB', bytes: 64 * KB, ...times },
  ];
}

export async function measure(contender, { bytes, warmMs, durationMs }) {
  const { connect } = await contender.load();
  const client = await connect();
  const { calls, elapsedMs, cpuUs } = await warmLoad(client, { inFlight: 64, bytes, warmMs, durationMs });
  await client.close();
  return { perSecond: (calls * 1000) / elapsedMs, cpuUs: cpuUs / calls };
}

const comparedWith =
  (other) =>
  ({ ratio }) =>
    ratio('100 B', 'standpipe', other, 'perSecond');

export const targets = [
  { text: '64 in flight, 100 B: calls/s, standpipe/official', value: comparedWith('official'), atLeast: 4.5 },
  { text: '64 in flight, 100 B: calls/s, standpipe/raw', value: comparedWith('raw'), atLeast: 0.8 },
];
