// A clock that tests can control. Every other file reads the time and sets timers through it. `nowMs` is monotonic and is not a date.

export interface Timer {
  cancel(): void;
  /** Whether the timer keeps the process alive. Default: true. */
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

/** The longest delay that a Node.js timer supports: a longer one would fire at once. */
export const LONGEST_TIMER_MS = 2 ** 31 - 1;

export const systemClock: Clock = {
  nowMs: () => performance.now(),
  after(delayMs, callback) {
    const handle = setTimeout(callback, Math.min(delayMs, LONGEST_TIMER_MS)) as unknown as NodeTimer;
    return {
      cancel: () => clearTimeout(handle as never),
      keepAlive: (yes) => (yes ? handle.ref?.() : handle.unref?.()),
    };
  },
};

/** A clock that moves only with `advance(ms)`, which runs the timers that are due, in order. */
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
