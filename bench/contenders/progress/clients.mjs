// Clients of a tool that reports progress. Each resolves to `{ call(onProgress), close() }`; without `onProgress`, the
// call has no progress token.

import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport as Official } from '@modelcontextprotocol/client/stdio';
import { connect, StdioClientTransport as Ours } from '../../../dist/entry/client.js';
import { serverCommand } from '../server-command.mjs';

const command = (server) => serverCommand(import.meta.url, ...server);

async function officialClient(transport) {
  const client = new Client({ name: 'bench', version: '1.0.0' });
  await client.connect(transport);
  return {
    call: (onprogress) => client.callTool({ name: 'count', arguments: {} }, onprogress && { onprogress }),
    close: () => client.close(),
  };
}

export const official = (server) => officialClient(new Official(command(server)));
export const officialOnOurs = (server) => officialClient(new Ours(command(server)));

export async function ours(server) {
  const client = await connect(command(server), { era: 'legacy' });
  return {
    call: (onProgress) => client.callTool('count', {}, onProgress && { onProgress }),
    close: () => client.close(),
  };
}
