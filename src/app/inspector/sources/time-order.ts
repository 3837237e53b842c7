// Sorts events from several sources by time: they are held for a short time and then released in order.

import { type Clock, systemClock, type Timer } from '../../../base/clock.ts';

interface Held {
  atMs: number;
  run: () => void;
}

export class TimeOrder {
  readonly #holdMs: number;
  readonly #clock: Clock;
  #held: Held[] = [];
  #timer: Timer | undefined;

  constructor(holdMs: number, clock: Clock = systemClock) {
    this.#holdMs = holdMs;
    this.#clock = clock;
  }

  /** `run` is called later, after all earlier events that arrived in time. `untilFlush`: not before `flush` is called. */
  add(atMs: number, run: () => void, untilFlush = false): void {
    this.#held.push({ atMs, run });
    if (!untilFlush) this.#timer ??= this.#clock.after(this.#holdMs, () => this.flush());
  }

  flush(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    const held = this.#held.sort((a, b) => a.atMs - b.atMs); // stable: events of one source keep their order
    this.#held = [];
    for (const { run } of held) run();
  }
}
