// Detects that the host has exited, so that its server does not outlive it. The end of our stdin alone is not a proof: a host may
// close it and wait for the answers. The host has exited if also our stdout is no longer read, or our parent has died. A dead
// parent alone is not a proof either: it may only have launched us.

import type { Readable } from 'node:stream';
import { type Clock, systemClock, type Timer } from '../../base/clock.ts';

export interface HostWatch {
  outputBroken(): void;
  stop(): void;
}

export interface HostWatchOptions {
  clock?: Clock;
  /** It changes when the parent dies. */
  parentPid?: () => number;
}

const LOOK_EVERY_MS = 500;
/** While the server does not read, we do not read either, and cannot see the end of our stdin: then this many checks decide. */
const LOOKS_WHILE_PAUSED = 10;

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
