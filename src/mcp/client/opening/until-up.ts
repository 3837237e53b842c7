// Distinguishes a process that is still starting from one that does not answer the probe. `initialize` is delayed while
// the process starts: a server of both eras that finds both requests in its input uses the older era. A process counts
// as up if it answers `ping`, which legacy servers also answer before `initialize`, or if it has printed something and
// then nothing for one wait.

import type { Clock } from '../../../base/clock.ts';
import { SILENT, within } from '../../../base/wait.ts';
import type { Peer } from '../../../wire/jsonrpc/peer.ts';

/** The maximum number of waits for a process. */
const MOST_WAITS = 4;
const UP: unique symbol = Symbol('up');

export interface UntilUpOptions {
  peer: Peer;
  clock: Clock;
  /** The length of each wait. */
  waitMs: number;
  /** Clock time at which the wait ends at the latest. */
  latestMs: number;
  /** A comparable summary of the output so far; an empty string if there is none. */
  output: () => string | undefined;
  signal: AbortSignal;
}

/**
 * Resolves with the answer to the probe, or with `SILENT` if the server is up and has not answered. The probe must not
 * reject.
 */
export async function untilUp<T>(probe: Promise<T>, options: UntilUpOptions): Promise<T | typeof SILENT> {
  const { peer, clock, waitMs, latestMs, output, signal } = options;
  const timeoutMs = Math.max(0, latestMs - clock.nowMs());
  const up = (): typeof UP => UP;
  const pong = peer.request('ping', undefined, { timeoutMs, cancellable: false, signal }).then(up, up);
  const first = Promise.race<T | typeof UP>([probe, pong]);
  let before: string | undefined;
  for (let waits = 0; waits < MOST_WAITS && clock.nowMs() + waitMs <= latestMs; waits++) {
    const now = output();
    if (now !== '' && now === before) break;
    before = now;
    const found = await within(clock, waitMs, first);
    if (found === UP) break;
    if (found !== SILENT) return found;
  }
  return SILENT;
}
