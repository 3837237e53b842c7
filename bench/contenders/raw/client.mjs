// The raw loop, which is the lower bound of all costs.

import { serverCommand } from '../server-command.mjs';
import { startLoop } from './loop.mjs';

export async function connect() {
  const { request, close } = startLoop(serverCommand(import.meta.url));
  return {
    echo: async (text) => (await request('echo', { text })).text,
    serverUsage: () => request('usage', {}),
    close,
  };
}
