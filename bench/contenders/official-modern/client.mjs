// The official client in the revision 2026-07-28, which it finds by starting the server twice.

import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { MAX_MESSAGE_BYTES } from '../limits.mjs';
import { serverCommand } from '../server-command.mjs';

export async function connect() {
  const client = new Client({ name: 'bench', version: '1.0.0' }, { versionNegotiation: { mode: 'auto' } });
  const transport = new StdioClientTransport({ ...serverCommand(import.meta.url), maxBufferSize: MAX_MESSAGE_BYTES });
  await client.connect(transport);
  const call = async (name, input) => {
    const { content, isError } = await client.callTool({ name, arguments: input });
    if (isError) throw new Error(`${name} answered with an error: ${content[0]?.text}`);
    return content[0].text;
  };
  return {
    echo: (text) => call('echo', { text }),
    serverUsage: async () => JSON.parse(await call('usage', {})),
    close: () => client.close(),
  };
}
