// Closes the pipes of a process that has exited. They end by themselves, unless a process that escaped the tree holds the other
// end: then they would stay open, and keep the host alive, until that process exits.
// Unread data is never dropped: a pipe is destroyed only after two checks in a row at which it was empty and nothing had arrived.
// Two, because after a blocked event loop a timer runs before the pipes are read. Backpressure may delay a reader for any time:
// the output of the process stays in the pipe.

import type { Readable } from 'node:stream';
import type { Clock } from '../../../base/clock.ts';

const lookEveryMs = 500;
/** Limit for an escaped process that keeps writing. */
const longestMs = 5_000;
/**
 * Number of bytes: more than a pipe, a socket and the buffers of Node.js hold together. Any further data was written
 * after the exit.
 */
const pipeBytes = 1024 * 1024;

export function releaseWhenIdle(pipes: readonly Readable[], closed: Promise<void>, clock: Clock): void {
  const startedMs = clock.nowMs();
  const readAtStart = readSoFar(pipes);
  let timer = clock.after(lookEveryMs, () => look(readSoFar(pipes), false));
  const look = (readBefore: number, wasIdle: boolean) => {
    const read = readSoFar(pipes);
    const nothingWaits = pipes.every((pipe) => pipe.readableLength === 0);
    const idle = read === readBefore && nothingWaits;
    const tooLong = clock.nowMs() - startedMs > longestMs && (nothingWaits || read - readAtStart > pipeBytes);
    if ((idle && wasIdle) || tooLong) for (const pipe of pipes) pipe.destroy();
    else timer = clock.after(lookEveryMs, () => look(read, idle));
  };
  void closed.then(() => timer.cancel());
}

function readSoFar(pipes: readonly Readable[]): number {
  return pipes.reduce((sum, pipe) => sum + ((pipe as Readable & { bytesRead?: number }).bytesRead ?? 0), 0);
}
