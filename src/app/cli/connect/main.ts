// `standpipe connect <server>`: a stdio server that is a connection to a host. A separate entry point that loads only this,
// because a host waits for it.

import { writeSync } from 'node:fs';
import type { Socket } from 'node:net';
import { PeerError, StandpipeError, toError } from '../../../base/errors.ts';
import { visibleIndented } from '../../../base/terminal/visible.ts';
import { chooseServer } from '../../../host/control/choose-server.ts';
import { connectHost } from '../../../host/control/connect-host.ts';
import { isTrusted, runtimeFolder } from '../../../observe/live/runtime-folder.ts';
import { ExitCode, exitCodeOf } from '../exit-code.ts';
import { certainControlPath } from '../servers/running-host.ts';
import { type ConnectArguments, parseConnectArguments } from './connect-arguments.ts';
import { relay } from './relay.ts';

export async function connectMain(words: readonly string[]): Promise<void> {
  try {
    const given = parseConnectArguments(words);
    if (given.address) {
      const { broughtAddress } = await import('./brought-address.ts');
      given.use = { brought: broughtAddress(given.address, print) };
    }
    const socket = await openConnection(given);
    if ((await relay(socket)) === 'client') process.exit(ExitCode.done);
    print('the host has ended; requests that were not answered may have run. Start this server again to connect anew.');
    process.exit(ExitCode.server);
  } catch (thrown) {
    const error = toError(thrown);
    print(inWords(error));
    const { answerWithError } = await import('./answer-with-error.ts');
    await answerWithError(error);
    process.exit(exitCodeOf(error));
  }
}

/** The same format as cli/show-error.ts, which would take too long to load here. */
function inWords(error: Error): string {
  if (!(error instanceof StandpipeError)) return `error: ${error.stack}`;
  const message = `error: ${visibleIndented(error.message)}`;
  return error.hint ? `${message}\nhint: ${visibleIndented(error.hint)}` : message;
}

function print(text: string): void {
  try {
    writeSync(2, `standpipe connect: ${text}\n`);
  } catch {
    // stderr is not read, and there is no other place for it
  }
}

/** A host may be about to end when it is connected to. More often than this it is no coincidence. */
const MOST_TRIES = 5;

/** A connection to the host of a config, which has chosen its server. Where no host runs, one is started in the background. */
async function openConnection({ settings, use, idleMs }: ConnectArguments): Promise<Socket> {
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
    if (started) print(started.text);
  }
}
