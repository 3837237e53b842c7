// Our client, in the revision that it finds.

import { connect as connectMcp } from '../../../dist/entry/client.js';
import { MAX_MESSAGE_BYTES } from '../limits.mjs';
import { serverCommand } from '../server-command.mjs';

export async function connect(options) {
  const command = { ...serverCommand(import.meta.url), stderr: 'inherit', maxFrameBytes: MAX_MESSAGE_BYTES };
  const client = await connectMcp(command, options);
  const call = async (name, input) => {
    const { content, isError } = await client.callTool(name, input);
    if (isError) throw new Error(`${name} answered with an error: ${content[0]?.text}`);
    return content[0].text;
  };
  return {
    echo: (text) => call('echo', { text }),
    serverUsage: async () => JSON.parse(await call('usage', {})),
    close: () => client.close(),
  };
}
