// The newest lines of a stored log, and all lines that follow.

export interface LogWindow {
  /** Show at most this many stored lines, the newest ones. */
  tail?: number | undefined;
  /** Maximum age of shown lines in ms. */
  since?: number | undefined;
}

/** Selects lines. Stored lines are held back until all of them are known; later lines are printed immediately. */
export class WindowedLines<T extends { atMs: number }> {
  readonly #tail: number;
  readonly #fromMs: number;
  readonly #print: (line: T) => void;
  #held: T[] = [];
  #isStored = true;

  constructor({ tail, since }: LogWindow, nowMs: number, print: (line: T) => void) {
    this.#tail = tail ?? Number.POSITIVE_INFINITY;
    this.#fromMs = since === undefined ? Number.NEGATIVE_INFINITY : nowMs - since;
    this.#print = print;
  }

  add(line: T): void {
    if (line.atMs < this.#fromMs) return;
    if (!this.#isStored || this.#tail === Number.POSITIVE_INFINITY) return this.#print(line);
    this.#held.push(line);
    if (this.#held.length > 2 * this.#tail) this.#held = this.#held.slice(-this.#tail);
  }

  storedEnd(): void {
    if (!this.#isStored) return;
    this.#isStored = false;
    for (const line of this.#held.slice(-this.#tail)) this.#print(line);
    this.#held = [];
  }
}
