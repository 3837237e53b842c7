// Schedules the reopening of a stream that was cut: soon at first, later each time that it did not last. The wait keeps
// the process alive, as the stream did.

import type { Clock, Timer } from '../../../base/clock.ts';

const FIRST_MS = 250;
const LONGEST_MS = 30_000;
/** A stream that was open for this long resets the delay. */
const LASTING_MS = 30_000;

export class Reopening {
  readonly #clock: Clock;
  readonly #open: () => void;
  #timer: Timer | undefined;
  #failures = 0;
  #openedMs = Number.NEGATIVE_INFINITY;
  #hasGap = false;

  constructor(clock: Clock, open: () => void) {
    this.#clock = clock;
    this.#open = open;
  }

  /** Call this when the stream was cut or could not be reopened. */
  failed(): void {
    this.#timer?.cancel();
    if (!this.#hasGap && this.#clock.nowMs() - this.#openedMs >= LASTING_MS) this.#failures = 0;
    this.#hasGap = true;
    // Random delays spread the reconnects of clients that lost the same server.
    const waitMs = Math.min(FIRST_MS * 2 ** this.#failures++, LONGEST_MS) * (0.5 + Math.random() / 2);
    this.#timer = this.#clock.after(waitMs, this.#open);
  }

  /** Returns whether notifications may have been missed since the previous stream. */
  opened(): boolean {
    const hadGap = this.#hasGap;
    this.stop();
    this.#openedMs = this.#clock.nowMs();
    return hadGap;
  }

  stop(): void {
    this.#timer?.cancel();
    this.#hasGap = false;
  }
}
