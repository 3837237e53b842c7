// From the spawn of the server, through whatever a client wants to know first, to the first answered call of a tool.

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
