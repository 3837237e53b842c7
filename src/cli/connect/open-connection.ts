// A connection to the host of a config, which has chosen its server. Where no host runs, one is started in the background.

import type { Socket } from 'node:net';
import { PeerError } from '../../base/errors.ts';
import { chooseServer } from '../../host/control/choose-server.ts';
import { isTrusted, runtimeFolder } from '../../live/runtime-folder.ts';
import { connectLocal } from '../../transport/local-socket.ts';
import { certainControlPath } from '../servers/running-host.ts';
import type { ConnectArguments } from './connect-arguments.ts';

/** A host may be about to end when it is connected to. More often than this it is no coincidence. */
const MOST_TRIES = 5;

export async function openConnection(given: ConnectArguments, say: (text: string) => void): Promise<Socket> {
  const { settings, use, idleMs } = given;
  const path = certainControlPath(settings);
  for (let tries = 1; ; tries++) {
    const socket = await connectIfServed(path);
    if (socket) {
      try {
        await chooseServer(socket, { ...use, retry: true });
        return socket;
      } catch (error) {
        socket.destroy();
        const isEnding = error instanceof PeerError && error.code === 'CONNECTION_CLOSED';
        if (!isEnding || tries >= MOST_TRIES) throw error;
      }
    }
    const { startInBackground } = await import('../up/start-background.ts');
    const started = await startInBackground(settings, { idleMs });
    if (started) say(started.text);
  }
}

/** Undefined if certainly no host listens. */
async function connectIfServed(path: string): Promise<Socket | undefined> {
  if (process.platform !== 'win32' && !isTrusted(runtimeFolder())) return undefined;
  try {
    return await connectLocal(path);
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (['ECONNREFUSED', 'ENOENT', 'ENOTSOCK'].includes(code)) return undefined;
    throw new PeerError('CONNECTION_CLOSED', `The host does not answer at ${path}: ${(error as Error).message}`, {
      hint: 'Its process hangs or is stopped. End it, and connect again.',
      cause: error,
    });
  }
}
