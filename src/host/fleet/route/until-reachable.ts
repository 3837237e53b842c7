// Waits for a server that no node runs at the moment: it may just have been added, or is being moved.

import type { Timer } from '../../../base/clock.ts';
import type { FleetCalls } from './calls.ts';

/** The table does not announce whether this node is connected, so that is polled. */
const LOOK_EVERY_MS = 100;

export function isReachable(calls: FleetCalls, server: string): boolean {
  return calls.table.instancesOf(server).some((instance) => calls.canReach(instance));
}

/** Resolves when an instance can be reached, when `isOver`, or after `waitMs`. */
export function untilReachable(
  calls: FleetCalls,
  server: string,
  waitMs: number,
  isOver: () => boolean,
): Promise<void> {
  const untilMs = calls.clock.nowMs() + waitMs;
  return new Promise((resolve) => {
    let timer: Timer | undefined;
    const look = () => {
      timer?.cancel();
      if (isReachable(calls, server) || isOver() || calls.clock.nowMs() >= untilMs) {
        stop();
        return resolve();
      }
      timer = calls.clock.after(LOOK_EVERY_MS, look);
    };
    const stop = calls.table.listen(server, look);
    look();
  });
}
