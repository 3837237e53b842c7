// Many calls of a tool share one pipe: the performance of a complete client and server, relative to that of the pipe.

import { mcpContenders, mcpRatios } from '../contenders/mcp.mjs';

export { measure, metrics } from './in-flight.mjs';

export const title = 'tools/call, 64 in flight';
export const contenders = mcpContenders;
export const ratios = mcpRatios;

export const cases = ({ quick }) => [
  { label: '100 B', bytes: 100, warmMs: quick ? 200 : 2000, durationMs: quick ? 200 : 2000 },
];

const comparedWith =
  (other) =>
  ({ ratio }) =>
    ratio('100 B', 'standpipe', other, 'perSecond');

export const targets = [
  { text: 'tools/call, 64 in flight: calls/s, standpipe/official', value: comparedWith('official'), atLeast: 4 },
  { text: 'tools/call, 64 in flight: calls/s, standpipe/raw', value: comparedWith('raw'), atLeast: 0.7 },
  { text: 'tools/call, 64 in flight: calls/s, standpipe/raw 2026', value: comparedWith('raw 2026'), atLeast: 0.85 },
];
