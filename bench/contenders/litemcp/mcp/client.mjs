// The same over MCP, with our own client: tools/call in whichever revision. The newest has an envelope on every request;
// those before it have a session and smaller messages.

import { connect as connectMcp } from '../../../../dist/entry/client.js';
import { MAX_MESSAGE_BYTES } from '../../limits.mjs';
import { serverCommand } from '../../server-command.mjs';

export async function connectIn(revision) {
  const command = { ...serverCommand(import.meta.url), maxFrameBytes: MAX_MESSAGE_BYTES };
  const client = await connectMcp(command, { revision });
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
