// Our peer over our stdio transport, without a protocol on top: the cost of the peer alone.

import { Peer } from '../../../dist/entry/jsonrpc.js';
import { StdioClientTransport } from '../../../dist/entry/stdio.js';
import { MAX_MESSAGE_BYTES } from '../limits.mjs';
import { serverCommand } from '../server-command.mjs';

export async function connect() {
  const transport = new StdioClientTransport({
    ...serverCommand(import.meta.url),
    stderr: 'inherit',
    maxFrameBytes: MAX_MESSAGE_BYTES,
  });
  const peer = new Peer(transport);
  await peer.start();
  return {
    echo: async (text) => (await peer.request('echo', { text })).text,
    serverUsage: () => peer.request('usage'),
    close: () => peer.close(),
  };
}
