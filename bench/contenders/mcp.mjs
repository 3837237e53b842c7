// Those that call a tool: our client and server with a schema, and the official pair, each as it comes and in the other
// era. The raw loop is the limit here too, though it calls nothing; with the messages of a call it says what those cost by
// themselves.

import { clientFrom } from './client-from.mjs';

/** `standpipe` and `official` are what their users get without saying anything: 2026-07-28 the one, 2025-11-25 the other. */
export const mcpContenders = [
  { name: 'raw', load: clientFrom('raw/client') },
  { name: 'raw 2025', load: clientFrom('raw/mcp-client', { modern: false }) },
  { name: 'raw 2026', load: clientFrom('raw/mcp-client', { modern: true }) },
  { name: 'official', load: clientFrom('official/client') },
  { name: 'official 2026', load: clientFrom('official/client', { modern: true }) },
  { name: 'standpipe 2025', load: clientFrom('mcp/client', { era: 'legacy' }) },
  { name: 'standpipe', load: clientFrom('mcp/client') },
];

export const mcpRatios = [
  ['standpipe', 'official'],
  ['standpipe', 'raw'],
  ['standpipe', 'raw 2026'],
  ['standpipe 2025', 'raw 2025'],
];
