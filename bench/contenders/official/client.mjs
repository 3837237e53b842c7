// The official client, with a buffer that holds the largest message: in its default revision, 2025-11-25, or in
// 2026-07-28, which it detects by starting the server twice.

import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { MAX_MESSAGE_BYTES } from '../limits.mjs';
import { serverCommand } from '../server-command.mjs';
import { toolCaller } from '../tool-caller.mjs';

export async function connect({ modern = false } = {}) {
  const options = modern ? { versionNegotiation: { mode: 'auto' } } : undefined;
  const client = new Client({ name: 'bench', version: '1.0.0' }, options);
  const command = serverCommand(import.meta.url, 'server.mjs', ...(modern ? ['modern'] : []));
  await client.connect(new StdioClientTransport({ ...command, maxBufferSize: MAX_MESSAGE_BYTES }));
  return toolCaller(
    (name, input) => client.callTool({ name, arguments: input }),
    () => client.close(),
  );
}
