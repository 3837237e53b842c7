// Our LiteMCP client: a call has positional strings, and the answer is the first content.

import { connectLiteMcp } from '../../../dist/entry/litemcp.js';
import { MAX_MESSAGE_BYTES } from '../limits.mjs';
import { serverCommand } from '../server-command.mjs';

export async function connect() {
  const client = await connectLiteMcp({ ...serverCommand(import.meta.url), maxFrameBytes: MAX_MESSAGE_BYTES });
  const call = async (what, text) => {
    const { response } = await client.call([what, text]);
    if (response.error) throw new Error(`the tool answered with an error: ${response.content[0]?.data}`);
    return response.content[0].data;
  };
  return {
    echo: (text) => call('', text),
    serverUsage: async () => JSON.parse(await call('usage', '')),
    close: () => client.close(),
  };
}
