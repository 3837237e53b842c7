// Time, as a thing that a test can turn. Nothing outside this file reads a clock or sets a timer for a wait that users
// can configure. `nowMs` is monotonic: it orders events, it does not tell the date.

export interface Timer {
  cancel(): void;
  /** Whether the wait keeps the process alive (it does until told otherwise). */
  keepAlive(yes: boolean): void;
}

export interface Clock {
  nowMs(): number;
  after(delayMs: number, callback: () => void): Timer;
}

interface NodeTimer {
  ref?(): void;
  unref?(): void;
}

export const systemClock: Clock = {
  nowMs: () => performance.now(),
  after(delayMs, callback) {
    const handle = setTimeout(callback, delayMs) as unknown as NodeTimer;
    return {
      cancel: () => clearTimeout(handle as never),
      keepAlive: (yes) => (yes ? handle.ref?.() : handle.unref?.()),
    };
  },
};

/** A clock that stands still until it is turned: `advance(ms)` runs what falls due, in order. */
export class ManualClock implements Clock {
  #nowMs = 0;
  #waits = new Set<{ atMs: number; callback: () => void }>();

  nowMs(): number {
    return this.#nowMs;
  }

  after(delayMs: number, callback: () => void): Timer {
    const wait = { atMs: this.#nowMs + delayMs, callback };
    this.#waits.add(wait);
    return { cancel: () => this.#waits.delete(wait), keepAlive: () => undefined };
  }

  get pending(): number {
    return this.#waits.size;
  }

  advance(ms: number): void {
    const untilMs = this.#nowMs + ms;
    for (;;) {
      const due = [...this.#waits].filter((wait) => wait.atMs <= untilMs).sort((a, b) => a.atMs - b.atMs)[0];
      if (!due) break;
      this.#waits.delete(due);
      this.#nowMs = Math.max(this.#nowMs, due.atMs);
      due.callback();
    }
    this.#nowMs = untilMs;
  }
}
