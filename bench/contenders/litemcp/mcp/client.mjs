// The same over MCP, with our own client: tools/call in the newest revision.

import { connect as connectMcp } from '../../../../dist/entry/client.js';
import { MAX_MESSAGE_BYTES } from '../../limits.mjs';
import { serverCommand } from '../../server-command.mjs';

export async function connect() {
  const client = await connectMcp({ ...serverCommand(import.meta.url), maxFrameBytes: MAX_MESSAGE_BYTES });
  const call = async (name, args) => {
    const { content, isError } = await client.callTool(name, args);
    if (isError) throw new Error(`${name} answered with an error: ${content[0]?.text}`);
    return content[0].text;
  };
  return {
    echo: (text) => call('echo', { text }),
    serverUsage: async () => JSON.parse(await call('usage', {})),
    close: () => client.close(),
  };
}
