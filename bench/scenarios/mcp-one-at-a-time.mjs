// Each call of a tool waits for the previous answer.

import { mcpContenders, mcpRatios } from '../contenders/mcp.mjs';

export { cases, measure, metrics, roundsFactor } from './one-at-a-time.mjs';

export const title = 'tools/call, one at a time, 100 bytes';
export const contenders = mcpContenders;
export const ratios = mcpRatios;

export const targets = [
  {
    text: 'tools/call, one at a time: time, standpipe/raw',
    value: ({ ratio }) => ratio('100 B', 'standpipe', 'raw', 'callUs'),
    atMost: 1.3,
  },
];
