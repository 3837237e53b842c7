// LiteMCP compared with our MCP in both eras, over the same transport: the cost of the smaller protocol with its larger
// messages, in its own client and as a host uses it. `peer` is the base of all of them.

import { clientFrom } from '../contenders/client-from.mjs';

export { measure, metrics } from './in-flight.mjs';

/** Uses plain JSON Schema, because the parameters of LiteMCP are plain data. */
const mcpIn = (revision) => clientFrom('mcp/client', { server: 'json-schema-server.mjs', revision });

export const title = 'LiteMCP and MCP, 64 calls in flight, 100 bytes';
export const contenders = [
  { name: 'peer', load: clientFrom('standpipe/client') },
  { name: 'mcp 2026', load: mcpIn('2026-07-28') },
  { name: 'mcp 2025', load: mcpIn('2025-11-25') },
  { name: 'litemcp', load: clientFrom('litemcp/client') },
  { name: 'litemcp as mcp', load: clientFrom('litemcp/as-mcp') },
];
export const ratios = [
  ['litemcp', 'mcp 2026'],
  ['litemcp', 'mcp 2025'],
  ['litemcp as mcp', 'mcp 2026'],
];

export const cases = ({ quick }) => [
  { label: '100 B', bytes: 100, warmMs: quick ? 200 : 400, durationMs: quick ? 200 : 600 },
];

export const targets = ['mcp 2026', 'mcp 2025'].map((mcp) => ({
  text: `64 in flight, 100 B: calls/s, litemcp/${mcp}`,
  value: ({ ratio }) => ratio('100 B', 'litemcp', mcp, 'perSecond'),
  atLeast: 0.7,
}));
