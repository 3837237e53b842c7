// Those that call a tool: our client and server with a schema, and the official pair, each as it comes and in the other
// era. The raw loop is the limit here too, though it calls nothing; with the messages of a call it says what those cost by
// themselves.

const load = (path) => () => import(`./${path}.mjs`);

/** `standpipe` and `official` are what their users get without saying anything: 2026-07-28 the one, 2025-11-25 the other. */
export const mcpContenders = [
  { name: 'raw', load: load('raw/client') },
  { name: 'raw 2025', load: load('raw-mcp/legacy-client') },
  { name: 'raw 2026', load: load('raw-mcp/client') },
  { name: 'official', load: load('official/client') },
  { name: 'official 2026', load: load('official-modern/client') },
  { name: 'standpipe 2025', load: load('mcp/legacy-client') },
  { name: 'standpipe', load: load('mcp/client') },
];

export const mcpRatios = [
  ['standpipe', 'official'],
  ['standpipe', 'raw'],
  ['standpipe', 'raw 2026'],
  ['standpipe 2025', 'raw 2025'],
];
