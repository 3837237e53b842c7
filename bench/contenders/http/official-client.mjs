// The official client and server over HTTP: in the default revision, 2025-11-25, or in 2026-07-28.

import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { toolCaller } from '../tool-caller.mjs';
import { startServer } from './start-server.mjs';

export async function connect({ modern = false } = {}) {
  const { url, readyMs, end } = await startServer('official-server.mjs', ...(modern ? ['modern'] : []));
  const options = modern ? { versionNegotiation: { mode: 'auto' } } : undefined;
  const client = new Client({ name: 'bench', version: '1.0.0' }, options);
  await client.connect(new StreamableHTTPClientTransport(new URL(url)));
  const close = async () => {
    await client.close();
    await end();
  };
  return { ...toolCaller((name, input) => client.callTool({ name, arguments: input }), close), readyMs };
}
