// The program that a client under test starts as its server. It forwards all input to the checker and writes the output that the
// checker sends. Its argument is the socket of the checker. It exits with the connection.

import type { Socket } from 'node:net';
import { connectLocal } from '../../wire/transport/local-socket.ts';
import { fromStub, stubFrame, stubFrameReader, toStub } from './stub-frames.ts';

const signals = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;
const [, , path = ''] = process.argv;
let exitCode = 1;
const connected = connectLocal(path);
const report = (letter: string, payload?: Uint8Array | string) =>
  void connected.then((socket) => socket.writableEnded || socket.write(stubFrame(letter, payload)), isOver);

report(fromStub.started, `${process.pid}`);
for (const signal of signals) process.on(signal, () => report(fromStub.signal, signal));
process.stdin.on('data', (chunk: Buffer) => report(fromStub.stdin, chunk));
process.stdin.on('end', () => report(fromStub.stdinEnded));
process.stdin.on('error', () => report(fromStub.stdinEnded));
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => report(fromStub.broken));

void connected.then((socket) => {
  socket.on(
    'data',
    stubFrameReader((letter, payload) => obey(socket, letter, payload)),
  );
  socket.on('error', say);
  socket.on('close', () => process.exit(exitCode));
}, isOver);

function say({ message }: Error): void {
  process.stderr.write(`This server belongs to a check that has ended: ${message}\n`);
}

function isOver(error: Error): void {
  say(error);
  process.exit(exitCode);
}

function obey(socket: Socket, letter: string, payload: Buffer): void {
  switch (letter) {
    case toStub.stdout:
      process.stdout.write(payload);
      break;
    case toStub.stderr:
      process.stderr.write(payload);
      break;
    case toStub.flush:
      process.stdout.write('', () => process.stderr.write('', () => report(fromStub.written)));
      break;
    case toStub.ask:
      report(fromStub.alive);
      break;
    case toStub.exit:
      // Earlier output reaches the pipes first. The checker closes the connection after it has read this frame: if the stub exited now, the
      // next write of the checker would fail and discard its unread input.
      process.stdout.write('', () => {
        exitCode = Number(payload.toString());
        if (!socket.writableEnded) socket.end(stubFrame(fromStub.exits));
      });
  }
}
