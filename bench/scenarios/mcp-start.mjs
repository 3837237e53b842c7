// Time from the spawn of the server to the first answered call of a tool, including the opening of the connection.

import { mcpContenders, mcpRatios } from '../contenders/mcp.mjs';

export { cases, measure, metrics, roundsFactor } from './start.mjs';

export const title = 'from spawn to the first answered tools/call';
export const contenders = mcpContenders;
export const ratios = mcpRatios;

export const targets = [
  {
    text: 'spawn to first tools/call: time, standpipe/official',
    value: ({ ratio }) => ratio('first call', 'standpipe', 'official', 'startMs'),
    atMost: 0.5,
  },
];
