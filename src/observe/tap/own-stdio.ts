// stdin, stdout and stderr of this process as streams that can be closed: a tap passes on the end of a pipe and keeps running.
// `process.stdout` cannot be closed, and libuv never closes a descriptor below 3, so the descriptor is closed here when its stream
// has finished. Files and terminals have no end to pass on.

import { closeSync, fstatSync, openSync } from 'node:fs';
import { Socket } from 'node:net';
import { devNull } from 'node:os';
import type { Readable, Writable } from 'node:stream';
import { type Clock, systemClock, type Timer } from '../../base/clock.ts';

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

/**
 * Closes without a shutdown, which would end the socket for every process that has inherited it: a shell, a wrapper.
 */
class ClosingSocket extends Socket {
  override _final(done: () => void): void {
    done();
  }
}

function isPipe(fd: number): boolean {
  const stats = fstatSync(fd);
  return stats.isFIFO() || stats.isSocket();
}

/** Also reoccupies the descriptor: errors must not be printed to the next opened file. */
function closeDescriptor(fd: number): void {
  closeSync(fd);
  let lowest = 0;
  while (lowest <= 2) lowest = openSync(devNull, 'r+');
  closeSync(lowest);
}

interface HostWatch {
  outputBroken(): void;
  stop(): void;
}

interface HostWatchOptions {
  clock?: Clock;
  /** The pid of the parent, which changes when the parent dies. */
  parentPid?: () => number;
}

const LOOK_EVERY_MS = 500;
/**
 * While the server does not read, the tap does not read its stdin either and cannot detect the end of it. Then this many checks in a row
 * must find that our parent has died.
 */
const LOOKS_WHILE_PAUSED = 10;

/**
 * Detects that the host has exited, so that its server does not outlive it. The host has exited if our stdin has ended and also our stdout
 * is no longer read or our parent has died. One sign alone is not a proof: a host may close our stdin and wait for the answers, and a
 * parent may only have launched us.
 */
export function watchHost(input: Readable, gone: () => void, options: HostWatchOptions = {}): HostWatch {
  const { clock = systemClock, parentPid = () => process.ppid } = options;
  const parent = parentPid();
  let inputOver = false;
  let outputOver = false;
  let pausedLooks = 0;
  let over = false;
  let timer: Timer;
  const stop = () => {
    over = true;
    timer.cancel();
  };
  const lookLater = () => {
    timer = clock.after(LOOK_EVERY_MS, () => {
      look();
      if (!over) lookLater();
    });
    timer.keepAlive(false);
  };
  const look = () => {
    if (over) return;
    const orphaned = parentPid() !== parent;
    pausedLooks = orphaned && input.isPaused() ? pausedLooks + 1 : 0;
    if (!(inputOver && (outputOver || orphaned)) && pausedLooks < LOOKS_WHILE_PAUSED) return;
    stop();
    gone();
  };
  lookLater();
  input.once('close', () => {
    inputOver = true;
    look();
  });
  return {
    outputBroken() {
      outputOver = true;
      look();
    },
    stop,
  };
}
