// A server on Standpipe: a few methods over stdin and stdout. Its console output goes to stderr.

import { Peer } from 'standpipe/jsonrpc';
import { StdioServerTransport } from 'standpipe/stdio';

const peer = new Peer(new StdioServerTransport());

peer.handle('greet', ({ name }) => ({ text: `Hello, ${name}!` }));
peer.handle('echo', (params) => params);
peer.handle('work', async ({ ms }) => {
  await new Promise((resolve) => setTimeout(resolve, ms));
  return { ms };
});
peer.handle('chat', ({ text }) => {
  console.log(text); // would break the protocol if it reached stdout
  return { printed: text };
});
peer.handle('crash', () => {
  console.error(`fatal: the database refused the key ${process.env.API_KEY}`);
  process.exit(3);
});

await peer.start();
