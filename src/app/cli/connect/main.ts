// `standpipe connect <server>`: relays stdio to a running host. A separate entry point that loads only the relay, because an MCP host
// waits for its start.

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
    print('the host has ended; unanswered requests may have run. Restart this server to reconnect.');
    process.exit(ExitCode.server);
  } catch (thrown) {
    const error = toError(thrown);
    print(inWords(error));
    const { answerWithError } = await import('./answer-with-error.ts');
    await answerWithError(error);
    process.exit(exitCodeOf(error));
  }
}

/** Uses the format of cli/show-error.ts, which would take too long to load here. */
function inWords(error: Error): string {
  if (!(error instanceof StandpipeError)) return `error: ${error.stack}`;
  const message = `error: ${visibleIndented(error.message)}`;
  return error.hint ? `${message}\nhint: ${visibleIndented(error.hint)}` : message;
}

function print(text: string): void {
  try {
    writeSync(2, `standpipe connect: ${text}\n`);
  } catch {
    // stderr is closed, so the message cannot be shown
  }
}

/** Limit for attempts: a host may be ending at the moment of a connection. More failures have another cause. */
const MOST_TRIES = 5;

/** Connects to the host of a config and selects the server. Starts a background host if none is running. */
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
