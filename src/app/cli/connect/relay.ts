// Passes bytes between the client on our stdin and stdout and the socket of a host. Nothing is parsed and nothing is kept, so
// that a relay adds as little as possible to a call. When the host is gone this process ends: that is the one sign of the loss
// of all pending requests that every client understands. Connecting anew behind its back would lose its session.

import type { Socket } from 'node:net';
import type { Readable, Writable } from 'node:stream';
import { watchHost } from '../../../observe/tap/host-exit.ts';
import { type OwnStdio, ownStdio } from '../../../observe/tap/own-stdio.ts';

/** A last line without its end must not swallow it. */
const END = '\n{"jsonrpc":"2.0","method":"standpipe/end"}\n';

/** `client`: it has ended its input and got its answers, or is gone. `host`: the host has ended. */
export type RelayEnd = 'client' | 'host';

export function relay(
  socket: Socket,
  { input, output }: Pick<OwnStdio, 'input' | 'output'> = ownStdio(),
): Promise<RelayEnd> {
  return new Promise((resolve) => {
    let inputOver = false;
    const clientGone = () => {
      socket.destroy(); // its requests are cancelled
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
    socket.on('error', () => undefined); // it closes
    socket.resume();
  });
}

/** Data that the system accepted at once needs no wait, whatever its size: only the rest is waited for. */
function pass(source: Readable, sink: Writable): void {
  const drained = () => source.resume();
  source.on('data', (chunk: Buffer) => {
    if (sink.write(chunk) || sink.writableLength === 0) return;
    source.pause();
    sink.once('drain', drained);
  });
}
