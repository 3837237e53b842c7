// How a client starts the server next to it. Options of its own Node (a profiler's) hold for the server too.

import { fileURLToPath } from 'node:url';

export function serverCommand(clientUrl, file = 'server.mjs', ...args) {
  const path = fileURLToPath(new URL(file, clientUrl));
  return { command: process.execPath, args: [...process.execArgv, path, ...args] };
}
