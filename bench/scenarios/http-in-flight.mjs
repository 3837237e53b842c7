// Many calls of a tool over HTTP on loopback: the performance of a complete client and server, relative to that of
// Node's own.

import { httpContenders, httpPairs, httpRatios } from '../contenders/http.mjs';

export { measure, metrics } from './in-flight.mjs';

export const title = 'tools/call over HTTP, 64 in flight';
export const contenders = httpContenders;
export const ratios = httpRatios;

export const cases = ({ quick }) => [
  { label: '100 B', bytes: 100, warmMs: quick ? 500 : 1500, durationMs: quick ? 500 : 1500 },
];

export const targets = httpPairs.map(([ours, theirs]) => ({
  text: `tools/call over HTTP, 64 in flight: calls/s, ${ours}/${theirs}`,
  value: ({ ratio }) => ratio('100 B', ours, theirs, 'perSecond'),
  atLeast: 3,
}));
