// stdin, stdout and stderr of this process as streams that can be closed: a tap passes on the end of a pipe and keeps running.
// `process.stdout` cannot be closed, and libuv never closes a descriptor below 3, so the descriptor is closed here when its stream
// has finished. Files and terminals have no end to pass on.

import { closeSync, fstatSync, openSync } from 'node:fs';
import { Socket } from 'node:net';
import { devNull } from 'node:os';
import type { Readable, Writable } from 'node:stream';

export interface OwnStdio {
  input: Readable;
  output: Writable;
  errors: Writable;
}

export function ownStdio(): OwnStdio {
  const input = process.stdin;
  if (isPipe(0)) input.once('close', () => closeDescriptor(0));
  return { input, output: writingEnd(1, () => process.stdout), errors: writingEnd(2, () => process.stderr) };
}

function writingEnd(fd: 1 | 2, otherwise: () => Writable): Writable {
  if (!isPipe(fd)) return otherwise();
  return new ClosingSocket({ fd, readable: false, writable: true }).once('close', () => closeDescriptor(fd));
}

/** Ends by closing only. A shutdown would end the socket for every process that has inherited it: a shell, a wrapper. */
class ClosingSocket extends Socket {
  override _final(done: () => void): void {
    done();
  }
}

function isPipe(fd: number): boolean {
  const stats = fstatSync(fd);
  return stats.isFIFO() || stats.isSocket();
}

/** Also reoccupies the descriptor: the next opened file must not become the one that errors are printed to. */
function closeDescriptor(fd: number): void {
  closeSync(fd);
  let lowest = 0;
  while (lowest <= 2) lowest = openSync(devNull, 'r+');
  closeSync(lowest);
}
