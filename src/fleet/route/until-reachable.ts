// Waits for a server that no node runs at the moment: it may just have been added, or be on its way to another node.

import type { Timer } from '../../base/clock.ts';
import type { Calls } from './calls.ts';

/** Whether this node is connected is not announced by the table. */
const LOOK_EVERY_MS = 100;

export function isReachable(calls: Calls, server: string): boolean {
  return calls.table.instancesOf(server).some((instance) => calls.canReach(instance));
}

/** Resolves when an instance can be reached, when `isOver`, or after the time. */
export function untilReachable(calls: Calls, server: string, waitMs: number, isOver: () => boolean): Promise<void> {
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
