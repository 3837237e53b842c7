// Lets go of pipes whose process has ended. They end by themselves, unless a process that escaped the tree holds the other
// end: then they would stay open, and keep the host alive, for as long as that one lives.
// What is unread is never thrown away: a pipe is destroyed only after two looks in a row at which nothing waited in it and
// nothing had come. Two, because after a blocked event loop a timer runs before the pipes are read. A reader may be held back
// by its own reader for as long as that takes: what the process wrote before its end waits for it.

import type { Readable } from 'node:stream';
import type { Clock } from '../../base/clock.ts';

const lookEveryMs = 500;
/** A process that escaped and keeps writing is not listened to for ever. */
const longestMs = 5_000;
/** More than a pipe, a socket and Node's buffers hold together: beyond it, what comes was written behind the end. */
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
