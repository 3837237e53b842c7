// `standpipe connect <server>`: relays stdio to a running host. A separate entry point that loads only the relay, because an MCP host
// waits for its start.

import { writeSync } from 'node:fs';
import type { Socket } from 'node:net';
import type { Readable, Writable } from 'node:stream';
import { PeerError, StandpipeError, toError } from '../../../base/errors.ts';
import { visibleIndented } from '../../../base/terminal/visible.ts';
import { chooseServer, connectHost } from '../../../host/control/connect-host.ts';
import { isTrusted, runtimeFolder } from '../../../observe/live/runtime-folder.ts';
import { type OwnStdio, ownStdio, watchHost } from '../../../observe/tap/own-stdio.ts';
import type { FrameSink } from '../../../wire/framing/framing.ts';
import { ExitCode, exitCodeOf } from '../exit-code.ts';
import { certainControlPath } from '../servers/running-host.ts';
import { type ConnectArguments, parseConnectArguments } from './connect-arguments.ts';

export async function connectMain(words: readonly string[]): Promise<void> {
  try {
    const given = parseConnectArguments(words);
    if (given.address) {
      const { broughtAddress } = await import('../servers/server-at-address.ts');
      given.use = { brought: broughtAddress(given.address, print) };
    }
    const socket = await openConnection(given);
    if ((await relay(socket)) === 'client') process.exit(ExitCode.done);
    print('the host has ended; unanswered requests may have run. Restart this server to reconnect.');
    process.exit(ExitCode.server);
  } catch (thrown) {
    const error = toError(thrown);
    print(inWords(error));
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

/** Limit for attempts, because a host may end while a connection is made. If all attempts fail, there is another cause. */
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

/** The message begins with a line break, so that it does not merge with an incomplete last line. */
const END = '\n{"jsonrpc":"2.0","method":"standpipe/end"}\n';

/**
 * Copies bytes between stdio and the socket; messages are neither parsed nor buffered, to add little latency to a call. Resolves to `client` if
 * the client closed its input and got its answers or has exited, and to `host` if the host has ended. The process then exits, because every
 * client understands that all pending requests are lost. A silent reconnect would lose the session of the client.
 */
export function relay(
  socket: Socket,
  { input, output }: Pick<OwnStdio, 'input' | 'output'> = ownStdio(),
): Promise<'client' | 'host'> {
  return new Promise((resolve) => {
    let inputOver = false;
    const clientGone = () => {
      socket.destroy(); // cancels the requests from the client
      resolve('client');
    };
    const client = watchHost(input, clientGone);
    const inputEnded = () => {
      if (!inputOver && socket.writable) socket.write(END);
      inputOver = true;
    };
    const hostEnded = () => {
      client.stop();
      output.end(() => resolve(inputOver ? 'client' : 'host'));
    };
    pass(input, socket);
    pass(socket, output);
    input.once('end', inputEnded).once('error', inputEnded).once('close', inputEnded);
    output.once('error', clientGone);
    socket.once('end', hostEnded).once('close', hostEnded);
    socket.on('error', () => undefined); // the event `close` follows
    socket.resume();
  });
}

/** Waits only for data that the system has not accepted yet, whatever its size. */
function pass(source: Readable, sink: Writable): void {
  const drained = () => source.resume();
  source.on('data', (chunk: Buffer) => {
    if (sink.write(chunk) || sink.writableLength === 0) return;
    source.pause();
    sink.once('drain', drained);
  });
}

/**
 * Answers each request with the error until the client closes its input: MCP hosts show such errors to their users, but often hide stderr.
 */
async function answerWithError(reason: Error & { hint?: string | undefined }): Promise<void> {
  const [{ toRpcError }, { newline }] = await Promise.all([
    import('../../../base/error-json.ts'),
    import('../../../wire/framing/newline.ts'),
  ]);
  const { rpcCode: code, message, data } = toRpcError(reason);
  const error = { code, message: reason.hint ? `${message}. ${reason.hint}` : message, data };
  const decoder = newline().decoder();
  const answer = (line: Uint8Array) => {
    const id = requestId(Buffer.from(line).toString());
    if (id !== undefined) process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, error })}\n`);
  };
  const sink: FrameSink = { frame: answer, fault: ({ prefix }) => answer(prefix) }; // the last line may have no newline
  for await (const chunk of process.stdin) decoder.push(chunk, sink);
  decoder.end(sink);
}

function requestId(line: string): unknown {
  try {
    const { id, method } = JSON.parse(line);
    return method === undefined ? undefined : id;
  } catch {
    return undefined; // the text is not JSON
  }
}
