// The LiteMCP server as a host uses it: our MCP client over the LiteMCP service.

import { openLiteMcpAsMcp } from '../../../dist/entry/litemcp.js';
import { MAX_MESSAGE_BYTES } from '../limits.mjs';
import { serverCommand } from '../server-command.mjs';

export async function connect() {
  const { client, close } = await openLiteMcpAsMcp({
    ...serverCommand(import.meta.url),
    maxFrameBytes: MAX_MESSAGE_BYTES,
  });
  const call = async (what, text) => {
    const { content, isError } = await client.callTool('echo', { what, text });
    if (isError) throw new Error(`the tool answered with an error: ${content[0]?.text}`);
    return content[0].text;
  };
  return {
    echo: (text) => call('', text),
    serverUsage: async () => JSON.parse(await call('usage', '')),
    close,
  };
}
