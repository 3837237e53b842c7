// The raw loop with the messages of tools/call: the cost of the messages alone, without checks.

import { serverCommand } from '../server-command.mjs';
import { startLoop } from './loop.mjs';

/** The metadata of every request of 2026-07-28. Requests of 2025-11-25 have none. */
const envelope = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1.0.0' },
  'io.modelcontextprotocol/clientCapabilities': {},
};

export async function connect({ modern }) {
  const { request, close } = startLoop(serverCommand(import.meta.url, 'mcp-server.mjs'));
  const call = (name, input) =>
    request('tools/call', modern ? { name, arguments: input, _meta: envelope } : { name, arguments: input });
  return {
    echo: async (text) => (await call('echo', { text })).content[0].text,
    serverUsage: async () => JSON.parse((await call('usage', {})).content[0].text),
    close,
  };
}
