// Copies bytes between stdin and stdout and the socket of a host. Messages are neither parsed nor buffered, to add little latency to a
// call. When the host ends, this process ends too: every client understands that all pending requests are lost. A silent reconnect
// would lose the session of the client.

import type { Socket } from 'node:net';
import type { Readable, Writable } from 'node:stream';
import { watchHost } from '../../../observe/tap/host-exit.ts';
import { type OwnStdio, ownStdio } from '../../../observe/tap/own-stdio.ts';

/** Sent first, so that an incomplete last line of output does not merge with the error. */
const END = '\n{"jsonrpc":"2.0","method":"standpipe/end"}\n';

/** `client`: the client closed its input and got its answers, or has exited. `host`: the host has ended. */
export type RelayEnd = 'client' | 'host';

export function relay(
  socket: Socket,
  { input, output }: Pick<OwnStdio, 'input' | 'output'> = ownStdio(),
): Promise<RelayEnd> {
  return new Promise((resolve) => {
    let inputOver = false;
    const clientGone = () => {
      socket.destroy(); // cancels the requests of the client
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
    socket.on('error', () => undefined); // `close` follows
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
