// A host with a healthy server (the one of `mcp/`) and a server that floods.

import { fileURLToPath } from 'node:url';
import { openHost } from '../host/open-host.mjs';
import { serverCommand } from '../server-command.mjs';
import { toolCaller } from '../tool-caller.mjs';

const floodServer = fileURLToPath(new URL('server.mjs', import.meta.url));
const LARGE_IN_FLIGHT = 4;

export async function connect({ kind }) {
  const { host, start, close } = await openHost({
    echo: serverCommand(new URL('../mcp/', import.meta.url)),
    flood: { command: process.execPath, args: [floodServer, kind], restart: 'never' },
  });
  await start();
  const healthy = await toolCaller((name, input) => host.callTool('echo', name, input), close);
  const flood = () => host.callTool('flood', 'flood', {}, { onProgress: () => undefined });
  let over = false;
  const again = () => !over && flood().then(again, () => undefined); // only large answers return and are requested again
  return {
    ...healthy,
    begin() {
      for (let calls = 0; calls < LARGE_IN_FLIGHT; calls++) void again();
    },
    /** Throws if the flood has ended, because the sample would be worthless. */
    checkFlooding() {
      const { state, reason } = host.status().find(({ name }) => name === 'flood');
      if (state !== 'ready') throw new Error(`the flooding server is ${state}: ${reason}`);
    },
    close() {
      over = true;
      return healthy.close();
    },
  };
}
