// The command that starts the server next to a client. Options of the current Node process (for example of a profiler)
// apply to the server too.

import { fileURLToPath } from 'node:url';

export function serverCommand(clientUrl, file = 'server.mjs', ...args) {
  const path = fileURLToPath(new URL(file, clientUrl));
  return { command: process.execPath, args: [...process.execArgv, path, ...args] };
}
