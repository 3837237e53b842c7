// Listens on a loopback port and reports later server errors.

import { once } from 'node:events';
import type { Server } from 'node:http';
import { UsageError } from '../../base/errors.ts';

/** The only address in use, so that the server is unreachable from other machines. */
export const LOOPBACK = '127.0.0.1';
const MOST_TRIES = 20;

/** Tries the next port if one is in use; 0 takes any free port. `onError` is called for errors while listening. */
export async function listen(server: Server, firstPort: number, onError: (error: Error) => void): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      await tryListen(server, firstPort === 0 ? 0 : firstPort + tries - 1);
      break;
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      if (code === 'EADDRINUSE' && tries < MOST_TRIES) continue;
      throw new UsageError('INVALID_OPTION', `The server cannot listen: ${message}`, {
        hint: 'Choose another port.',
        cause: error,
      });
    }
  }
  server.on('error', onError); // without a listener, an error would end the process and thereby the host
}

async function tryListen(server: Server, port: number): Promise<void> {
  server.listen(port, LOOPBACK);
  await once(server, 'listening'); // rejects with the server's error
}
