// The program that a client under test starts as its server. It decides nothing: all that it gets goes to the checker, and it writes what
// the checker says. Its argument is the socket of the checker. It ends with the connection, so that it never stays behind.

import type { Socket } from 'node:net';
import { connectLocal } from '../../transport/local-socket.ts';
import { fromSeat, seatFrame, seatFrameReader, toSeat } from './seat-frames.ts';

const signals = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;
const [, , path = ''] = process.argv;
let exitCode = 1;
const connected = connectLocal(path);
const report = (letter: string, payload?: Uint8Array | string) =>
  void connected.then((socket) => socket.writableEnded || socket.write(seatFrame(letter, payload)), isOver);

report(fromSeat.started, `${process.pid}`);
for (const signal of signals) process.on(signal, () => report(fromSeat.signal, signal));
process.stdin.on('data', (chunk: Buffer) => report(fromSeat.stdin, chunk));
process.stdin.on('end', () => report(fromSeat.stdinEnded));
process.stdin.on('error', () => report(fromSeat.stdinEnded));
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => report(fromSeat.broken));

void connected.then((socket) => {
  socket.on(
    'data',
    seatFrameReader((letter, payload) => obey(socket, letter, payload)),
  );
  socket.on('error', say);
  socket.on('close', () => process.exit(exitCode));
}, isOver);

function say({ message }: Error): void {
  process.stderr.write(`This server is a part of a check that is over: ${message}\n`);
}

function isOver(error: Error): void {
  say(error);
  process.exit(exitCode);
}

function obey(socket: Socket, letter: string, payload: Buffer): void {
  switch (letter) {
    case toSeat.stdout:
      process.stdout.write(payload);
      break;
    case toSeat.stderr:
      process.stderr.write(payload);
      break;
    case toSeat.flush:
      process.stdout.write('', () => process.stderr.write('', () => report(fromSeat.written)));
      break;
    case toSeat.closeStdout:
      process.stdout.end();
      break;
    case toSeat.ask:
      report(fromSeat.alive);
      break;
    case toSeat.exit:
      // What was written before reaches the pipes first. The checker closes the connection when it has read this: after an exit, the next
      // thing that it writes would fail and take what it has not read along.
      process.stdout.write('', () => {
        exitCode = Number(payload.toString());
        if (!socket.writableEnded) socket.end(seatFrame(fromSeat.exits));
      });
  }
}
