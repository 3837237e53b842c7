// Our client and `serveHttp`, in the detected revision or in the given one.

import { connect as connectMcp } from '../../../dist/entry/client.js';
import { toolCaller } from '../tool-caller.mjs';
import { startServer } from './start-server.mjs';

export async function connect(options = {}) {
  const { url, readyMs, end } = await startServer('our-server.mjs');
  const client = await connectMcp({ url }, options);
  const close = async () => {
    await client.close();
    await end();
  };
  return { ...toolCaller((name, input) => client.callTool(name, input), close), readyMs };
}
