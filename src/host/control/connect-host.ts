// Connects to the socket of a host, and explains why a connection fails.

import type { Socket } from 'node:net';
import { PeerError, StandpipeError } from '../../base/errors.ts';
import { connectLocal, isNotServed } from '../../wire/transport/local-socket.ts';
import { otherVersion } from './control-version.ts';

/** Undefined if no host listens at the path. Rejects with HOST_VERSION if a host listens that does not know the key of the socket. */
export async function connectHost(path: string): Promise<Socket | undefined> {
  try {
    return await connectLocal(path);
  } catch (error) {
    if (isNotServed(error)) return undefined;
    if (error instanceof StandpipeError) throw error;
    if ((error as NodeJS.ErrnoException).code === 'EPROTO') throw otherVersion({});
    throw new PeerError('CONNECTION_CLOSED', `The host does not answer at ${path}: ${(error as Error).message}`, {
      hint: 'Its process hangs or is stopped. End it, and connect again.',
      cause: error,
    });
  }
}
