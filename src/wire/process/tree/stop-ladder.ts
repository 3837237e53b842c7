// Stops a server: closes its stdin, then sends SIGTERM to the tree, then SIGKILL, with a wait after each rung.
// The MCP specification prescribes this order. A server has stopped when its leader has exited and its tree is empty. A server that exits
// at the end of its stdin is not signalled. The result is the rung that emptied the tree.

import { type Clock, systemClock } from '../../../base/clock.ts';
import { within } from '../../../base/wait.ts';

export type StopRung = 'already-exited' | 'stdin' | 'SIGTERM' | 'SIGKILL' | 'unresponsive';

/** The wait of each rung. The defaults add up to 4 s. */
export interface StopWaits {
  stdinMs: number;
  sigtermMs: number;
  sigkillMs: number;
}

export const defaultStopWaits: Readonly<StopWaits> = { stdinMs: 1500, sigtermMs: 1500, sigkillMs: 1000 };

export function withDefaultWaits(waits: Partial<StopWaits> = {}): StopWaits {
  return {
    stdinMs: waits.stdinMs ?? defaultStopWaits.stdinMs,
    sigtermMs: waits.sigtermMs ?? defaultStopWaits.sigtermMs,
    sigkillMs: waits.sigkillMs ?? defaultStopWaits.sigkillMs,
  };
}

/** How long the rest of the tree may run after the leader exited by itself, before the next rung. */
const defaultStragglersMs = 500;

export interface Stoppable {
  readonly exited: boolean;
  readonly exit: Promise<unknown>;
  endStdin(): void;
  signalTree(signal: 'SIGTERM' | 'SIGKILL'): void;
  treeAlive(): boolean;
}

export async function stopLadder(
  child: Stoppable,
  waits: Readonly<StopWaits> = defaultStopWaits,
  clock: Clock = systemClock,
  stragglersMs = Math.min(waits.stdinMs, defaultStragglersMs),
): Promise<StopRung> {
  if (child.exited && !child.treeAlive()) return 'already-exited';

  child.endStdin();
  if (await gone(child, clock, Math.max(waits.stdinMs, stragglersMs), stragglersMs)) return 'stdin';

  // Windows has no SIGTERM: after stdin, the tree is killed.
  if (process.platform !== 'win32') {
    child.signalTree('SIGTERM');
    if (await gone(child, clock, waits.sigtermMs)) return 'SIGTERM';
  }

  child.signalTree('SIGKILL');
  // The next check finds processes that were forked while the signal was delivered.
  const again = () => child.signalTree('SIGKILL');
  if (await gone(child, clock, waits.sigkillMs, waits.sigkillMs, again)) return 'SIGKILL';
  return 'unresponsive';
}

async function gone(
  child: Stoppable,
  clock: Clock,
  waitMs: number,
  afterLeaderMs = waitMs,
  whileAlive: () => void = () => undefined,
): Promise<boolean> {
  const startMs = clock.nowMs();
  if (!child.exited) await within(clock, waitMs, child.exit);
  if (!child.exited) return false;

  const untilMs = Math.min(startMs + waitMs, clock.nowMs() + afterLeaderMs);
  for (let pauseMs = 5; child.treeAlive(); pauseMs = Math.min(pauseMs * 2, 50)) {
    const leftMs = untilMs - clock.nowMs();
    if (leftMs <= 0) return false;
    whileAlive();
    await new Promise<void>((resolve) => clock.after(Math.min(pauseMs, leftMs), resolve));
  }
  return true;
}
