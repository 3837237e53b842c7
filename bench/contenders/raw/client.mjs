// The raw loop: whatever it costs, nobody can go below.

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
