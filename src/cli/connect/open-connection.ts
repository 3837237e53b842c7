// A connection to the host of a config, which has chosen its server. Where no host runs, one is started in the background.

import type { Socket } from 'node:net';
import { PeerError } from '../../base/errors.ts';
import { chooseServer } from '../../host/control/choose-server.ts';
import { connectHost } from '../../host/control/connect-host.ts';
import { isTrusted, runtimeFolder } from '../../live/runtime-folder.ts';
import { certainControlPath } from '../servers/running-host.ts';
import type { ConnectArguments } from './connect-arguments.ts';

/** A host may be about to end when it is connected to. More often than this it is no coincidence. */
const MOST_TRIES = 5;

export async function openConnection(given: ConnectArguments, say: (text: string) => void): Promise<Socket> {
  const { settings, use, idleMs } = given;
  const path = certainControlPath(settings);
  for (let tries = 1; ; tries++) {
    const socket = isTrusted(runtimeFolder()) ? await connectHost(path) : undefined;
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
